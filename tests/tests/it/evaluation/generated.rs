//! Generates cases from a seed. The same seed gives the same cases.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

const SERVICES: [&str; 12] = [
    "billing", "catalog", "courier", "ledger", "loyalty", "mailer", "pricing", "quotes", "ratings",
    "renderer", "search", "tickets",
];
const NAMESPACES: [&str; 6] = [
    "shop",
    "back-office",
    "reports",
    "partners",
    "mobile",
    "warehouse",
];

/// A small generator of pseudo-random numbers (`SplitMix64`).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % end as u64).unwrap()
    }

    fn one<'t>(&mut self, of: &[&'t str]) -> &'t str {
        of[self.below(of.len())]
    }
}

/// Returns an incident: its name, the tool that shows its cause, the tool's result, and the facts that the answer must
/// contain. Without facts, the case is healthy.
fn incident(
    numbers: &mut Numbers,
    service: &str,
    namespace: &str,
) -> (&'static str, &'static str, String, Vec<String>) {
    let number = 20 + numbers.below(900);
    let pod = format!("{service}-{:05x}", numbers.next() & 0xf_ffff);
    let (name, tool, result, facts) = match numbers.below(8) {
        0 => (
            "PodCrashLooping",
            "pods_list",
            format!("{pod} 0/1 OOMKilled, exit code 137, limit {number}Mi"),
            vec!["exit code 137".to_owned(), format!("{number}Mi")],
        ),
        1 => (
            "ReplicaSetStuck",
            "events_list",
            format!(
                "FailedCreate {service}: exceeded quota: {namespace}-quota, limited: pods={number}"
            ),
            vec![format!("{namespace}-quota"), "exceeded quota".to_owned()],
        ),
        2 => (
            "PodNotReady",
            "events_list",
            format!("Failed to pull image registry.example/{service}:v{number}: manifest unknown"),
            vec![format!("v{number}"), "manifest unknown".to_owned()],
        ),
        3 => (
            "ErrorRateHigh",
            "logs_read",
            format!("{pod} FATAL: too many clients already, max_connections = {number}"),
            vec!["too many clients".to_owned(), "max_connections".to_owned()],
        ),
        4 => (
            "HandshakesFail",
            "certificates_list",
            format!("{service}-tls expired {number} hours ago, renewal disabled"),
            vec![format!("{service}-tls"), "renewal disabled".to_owned()],
        ),
        5 => (
            "WritesFail",
            "logs_read",
            format!("{pod} write /var/lib/{service}/wal-{number}: no space left on device"),
            vec!["no space left".to_owned(), format!("wal-{number}")],
        ),
        6 => (
            "BacklogGrows",
            "queues_list",
            format!("{service}-jobs: {number} messages, 0 consumers"),
            vec![format!("{service}-jobs"), "0 consumers".to_owned()],
        ),
        _ => (
            "LatencyHigh",
            "metrics_query",
            format!("p99 {number} ms of 1000 ms allowed, errors 0, announced load test"),
            Vec::new(),
        ),
    };
    (name, tool, result, facts)
}

/// Returns a case. `number` makes its alert differ from those of the other cases.
fn case(seed: u64, number: usize) -> Value {
    let mut numbers = Numbers(seed.wrapping_mul(1_000_003).wrapping_add(number as u64));
    let (service, namespace) = (numbers.one(&SERVICES), numbers.one(&NAMESPACES));
    let service = format!("{service}-{seed}-{number}x");
    let (name, tool, result, facts) = incident(&mut numbers, &service, namespace);
    let arguments = json!({"namespace": namespace, "name": service});
    json!({
        "id": format!("generated-{seed}-{number:03}"),
        "tags": ["generated"],
        "alert": {"alertname": name, "namespace": namespace, "service": service},
        "records": [
            {"tool": tool, "args": arguments, "result": result},
            {"tool": "changes_list", "args": {"namespace": namespace}, "result": "no changes within a day"},
        ],
        "truth": {
            "healthy": facts.is_empty(),
            "facts": facts.iter().map(|fact| [fact]).collect::<Vec<_>>(),
            "path": [tool, "changes_list"],
        },
    })
}

/// Writes this many cases into a folder.
pub(crate) fn write(folder: &Path, seed: u64, number: usize) {
    fs::create_dir_all(folder).unwrap();
    for number in 0..number {
        let case = case(seed, number);
        let file = folder.join(format!("{}.json", case["id"].as_str().unwrap()));
        fs::write(file, case.to_string()).unwrap();
    }
}
