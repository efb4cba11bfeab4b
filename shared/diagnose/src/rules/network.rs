//! Policies that block traffic, and packets that are late or lost.

use super::logs::meaning;
use super::messages::has;
use crate::cause::Cause;
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
        let source = policy.sources.last().copied().unwrap_or(0);
        drafts.extend(blocking(facts, &policy.id, &policy.value, source));
    }
    for (number, source) in facts.cluster.sources.iter().enumerate() {
        let hints = source.hints();
        let Some(line) = source
            .text
            .lines()
            .take(4_000)
            .find(|line| is_delayed(line))
        else {
            continue;
        };
        let name = hints.name.unwrap_or(hints.namespace);
        let object = match facts.pod(hints.namespace, name) {
            Some(pod) => facts.owner(pod),
            None => ObjectRef::new(hints.kind.unwrap_or("Service"), hints.namespace, name),
        };
        let sentence = format!(
            "The network of {object} is slow or loses packets: {}.",
            super::messages::short(line)
        );
        drafts.push(Draft::new(Cause::NetworkDelay, object, sentence).shown_by(number, line));
    }
}

/// A policy that allows nothing, where something does not get through.
fn blocking(
    facts: &Facts<'_>,
    id: &ObjectRef,
    value: &serde_json::Value,
    source: usize,
) -> Option<Draft> {
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
    let covered = facts
        .pods
        .iter()
        .filter(|pod| pod.object.id.namespace == id.namespace && covers(&pod.labels()));
    let covered: Vec<ObjectRef> = covered.map(|pod| facts.owner(pod)).collect();
    let failing = facts.cluster.logs.iter().find_map(|log| {
        let is_here = log.namespace == id.namespace || log.namespace.is_empty();
        let mut last = log.lines.iter().rev();
        let line =
            last.find(|line| meaning(line).is_some_and(|cause| UNANSWERED.contains(&cause)))?;
        is_here.then_some((log.source, line))
    });
    let is_failing = facts
        .pods
        .iter()
        .any(|pod| pod.object.id.namespace == id.namespace && !pod.is_healthy());
    let direction = match (is_egress, is_ingress) {
        (true, true) => "all traffic",
        (true, false) => "all egress (DNS included)",
        (false, true) => "all ingress",
        (false, false) => "traffic",
    };
    let sentence =
        format!("{id} blocks {direction} of the pods it selects, and calls go unanswered.");
    let mut draft =
        Draft::new(Cause::NetworkPolicy, id.clone(), sentence).shown_by(source, &id.name);
    for object in covered {
        draft = draft.affecting(object);
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
        let average = times.split('/').nth(1).unwrap_or_default();
        return average
            .trim()
            .parse::<f64>()
            .is_ok_and(|average| average > 300.0);
    }
    has(
        &lower,
        &[
            "high network latency",
            "network delay",
            "network latency is",
        ],
    ) && !has(&lower, &["no network", "normal"])
}
