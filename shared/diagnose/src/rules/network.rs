//! Policies that block traffic, and packets that are late or lost.

use super::logs::meaning;
use super::messages::{has, short};
use crate::cause::Cause;
use crate::cluster::Object;
use crate::facts::{Facts, labels, list};
use crate::finding::{Draft, ObjectRef};

/// What lines mean that report a call without an answer.
const UNANSWERED: [Cause; 3] = [
    Cause::DnsFailure,
    Cause::NetworkDelay,
    Cause::DependencyUnreachable,
];

pub(super) fn find(facts: &Facts<'_>, drafts: &mut Vec<Draft>) {
    for policy in facts.cluster.of_kind("NetworkPolicy") {
        drafts.extend(blocking(facts, policy));
    }
    for (number, source) in facts.cluster.sources.iter().enumerate() {
        let hints = source.hints();
        let mut lines = source.text.lines().take(4_000);
        let Some(line) = lines.find(|line| is_delayed(line)) else {
            continue;
        };
        let name = hints.name.unwrap_or(hints.namespace);
        let object = match facts.pod(hints.namespace, name) {
            Some(pod) => facts.owner(pod),
            None => ObjectRef::new(hints.kind.unwrap_or("Service"), hints.namespace, name),
        };
        let told = short(line);
        let sentence = format!("The network of {object} is slow or loses packets: {told}.");
        drafts.push(Draft::new(Cause::NetworkDelay, object, sentence).shown_by(number, line));
    }
}

/// A policy that allows nothing, where something does not get through.
fn blocking(facts: &Facts<'_>, policy: &Object) -> Option<Draft> {
    let (id, value) = (&policy.id, &policy.value);
    let selector = labels(value, "/spec/podSelector/matchLabels");
    let covers = |has: &[(&str, &str)]| selector.iter().all(|pair| has.contains(pair));
    let types = list(value, "/spec/policyTypes");
    let closed = |direction: &str, field: &str| {
        let is_listed = types.iter().any(|of| of == direction)
            || types.is_empty()
                && direction == "Ingress"
                && value.pointer("/spec/podSelector").is_some();
        let rules = value.pointer(field).and_then(|rules| rules.as_array());
        is_listed && rules.is_none_or(Vec::is_empty)
    };
    let is_egress = closed("Egress", "/spec/egress");
    let is_ingress = closed("Ingress", "/spec/ingress");
    let named = has(&id.name, &["deny", "block", "isolate"]);
    if !is_egress && !is_ingress && !named {
        return None;
    }
    let failing = facts.cluster.logs.iter().find_map(|log| {
        let is_here = log.namespace == id.namespace || log.namespace.is_empty();
        let mut last = log.lines.iter().rev();
        let line =
            last.find(|line| meaning(line).is_some_and(|cause| UNANSWERED.contains(&cause)))?;
        is_here.then_some((log.source, line))
    });
    let is_failing = facts.pods_in(&id.namespace).any(|pod| !pod.is_healthy());
    let direction = match (is_egress, is_ingress) {
        (true, true) => "all traffic",
        (true, false) => "all egress (DNS included)",
        (false, true) => "all ingress",
        (false, false) => "traffic",
    };
    let sentence =
        format!("{id} blocks {direction} of the pods it selects, and calls go unanswered.");
    let mut draft = Draft::new(Cause::NetworkPolicy, id.clone(), sentence);
    draft = draft.shown_by(policy.source(), &id.name);
    let pods = facts.pods_in(&id.namespace);
    for pod in pods.filter(|pod| covers(&pod.labels())) {
        draft = draft.affecting(facts.owner(pod));
    }
    let (log, line) = match (failing, is_failing) {
        (Some((log, line)), _) => (log, line.as_str()),
        (None, true) => return Some(draft.weighing(-45)),
        (None, false) => return None,
    };
    Some(draft.shown_by(log, line).weighing(5))
}

/// Whether a line reports a delay: packet loss, or a round trip or latency of more than 300 ms.
fn is_delayed(line: &str) -> bool {
    let lower = line.to_ascii_lowercase();
    if let Some((before, _)) = lower.split_once("% packet loss") {
        let lost = before.rsplit([' ', ',']).next().unwrap_or_default();
        return lost.parse::<f64>().is_ok_and(|lost| lost >= 5.0);
    }
    if lower.contains("netem") && lower.contains("delay") {
        return true;
    }
    if lower.starts_with("rtt ") || lower.starts_with("round-trip") {
        let times = lower.split('=').nth(1).unwrap_or_default();
        let average = times.split('/').nth(1).unwrap_or_default().trim();
        return average.parse::<f64>().is_ok_and(|average| average > 300.0);
    }
    let delays = [
        "high network latency",
        "network delay",
        "network latency is",
    ];
    has(&lower, &delays) && !has(&lower, &["no network", "normal"])
}
