//! Diagnoses a large namespace. The time is printed, not asserted.

use std::fmt::Write as _;
use std::time::Instant;

use serde_json::json;
use tarsy_diagnose::{Source, diagnose};

#[test]
fn a_namespace_of_200_pods_has_its_one_fault_first() {
    let mut pods = "NAMESPACE   APIVERSION   KIND   NAME                       READY   STATUS             RESTARTS   AGE   LABELS\n".to_owned();
    let mut events = "# The following events (YAML format) were found:\n".to_owned();
    let mut log = String::new();
    for number in 0..200 {
        let (ready, status) = match number {
            137 => ("0/1", "ImagePullBackOff"),
            _ => ("1/1", "Running"),
        };
        let name = format!(
            "web-{number:03}-7d4b9c6f5-x2xz{}",
            char::from(b'a' + number % 26)
        );
        let _ = writeln!(
            pods,
            "shop        v1           Pod    {name:<27}{ready}     {status:<19}0          3d    app=web-{number}"
        );
        let message = match number {
            137 => "Failed to pull image \"shop/web:9\": manifest unknown",
            _ => "Readiness probe failed: connection refused",
        };
        for _ in 0..5 {
            let _ = writeln!(
                events,
                "- InvolvedObject:\n    Kind: Pod\n    Name: {name}\n  Message: '{message}'\n  Namespace: shop\n  Reason: {}\n  Type: Warning",
                if number == 137 { "Failed" } else { "Unhealthy" }
            );
        }
        let _ = writeln!(log, "line {number} of a log that says nothing");
    }
    let source = |tool: &str, text: String| Source {
        tool: tool.to_owned(),
        arguments: json!({"namespace": "shop"}),
        text,
    };
    let sources = vec![
        source("pods_list_in_namespace", pods),
        source("events_list", events),
        source("pods_log", log.repeat(20)),
    ];
    let started = Instant::now();
    let findings = diagnose(sources, &json!({"namespace": "shop"}));
    println!(
        "200 pods, 1,000 events, 4,000 lines: {:?}",
        started.elapsed()
    );
    assert_eq!(findings.len(), 1, "{findings:#?}");
    assert_eq!(findings[0].cause.as_str(), "image_not_found");
    assert_eq!(findings[0].object.name, "web-137");
}
