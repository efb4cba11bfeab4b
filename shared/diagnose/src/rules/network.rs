//! Recognises network policies that block traffic, and packets that are late or lost.

use super::logs::meaning;
use super::messages::{has, short};
use super::words::WORDS;
use crate::cause::Cause;
use crate::cluster::{Cluster, Object};
use crate::fields::Fields;
use crate::finding::{Draft, ObjectRef};

/// Causes of log lines that report a call without an answer.
const UNANSWERED: [Cause; 3] = [
    Cause::DnsFailure,
    Cause::NetworkDelay,
    Cause::DependencyUnreachable,
];

pub(super) fn find(cluster: &Cluster, drafts: &mut Vec<Draft>) {
    for policy in cluster.of_kind("NetworkPolicy") {
        drafts.extend(blocking(cluster, policy));
    }
    for (number, source) in cluster.sources.iter().enumerate() {
        let hints = source.hints();
        let mut lines = source.text.lines().take(4_000);
        let Some(line) = lines.find(|line| is_delayed(line)) else {
            continue;
        };
        let name = hints.name.unwrap_or(hints.namespace);
        let object = ObjectRef::new(hints.kind.unwrap_or("Service"), hints.namespace, name);
        let object = cluster
            .pod(&object)
            .map_or(object, |pod| cluster.owner(pod));
        let told = short(line);
        let sentence = format!("The network of {object} is slow or loses packets: {told}.");
        drafts.push(Draft::new(Cause::NetworkDelay, object, sentence).shown_by(number, line));
    }
}

/// Drafts a finding for a policy that allows no traffic in a direction, or whose name suggests that.
///
/// There must also be a sign of blocked traffic: a log line about an unanswered call, or a pod of the namespace that is
/// not healthy.
fn blocking(cluster: &Cluster, policy: &Object) -> Option<Draft> {
    let id = &policy.id;
    let selector = policy.labels("/spec/podSelector/matchLabels");
    let types = policy.list("/spec/policyTypes");
    let closed = |direction: &str, field: &str| {
        let is_default = || direction == "Ingress" && policy.at("/spec/podSelector").is_some();
        let is_listed = types.iter().any(|of| of == direction) || types.is_empty() && is_default();
        is_listed && policy.list(field).is_empty()
    };
    let is_egress = closed("Egress", "/spec/egress");
    let is_ingress = closed("Ingress", "/spec/ingress");
    let named = has(&id.name, &["deny", "block", "isolate"]);
    if !is_egress && !is_ingress && !named {
        return None;
    }
    let mut logs = cluster.logs.iter();
    let unanswered = |line: &&String| meaning(line).is_some_and(|of| UNANSWERED.contains(&of));
    let failing = logs.find_map(|log| {
        let is_here = ["", &id.namespace].contains(&&*log.pod.namespace);
        let line = log.lines.iter().rev().find(unanswered)?;
        is_here.then_some((log.source, line))
    });
    let is_failing = cluster.pods_in(&id.namespace).any(|pod| !pod.is_healthy());
    let direction = match (is_egress, is_ingress) {
        (true, true) => "all traffic",
        (true, false) => "all egress (DNS included)",
        (false, true) => "all ingress",
        (false, false) => "traffic",
    };
    let sentence =
        format!("{id} blocks {direction} of the pods it selects, and calls go unanswered.");
    let draft = Draft::new(Cause::NetworkPolicy, id.clone(), sentence);
    let draft = draft.shown_by(policy.source, &id.name);
    let covered = cluster.pods_in(&id.namespace).filter(|pod| {
        let has = pod.labels("/metadata/labels");
        selector.iter().all(|pair| has.contains(pair))
    });
    let draft = covered.fold(draft, |draft, pod| draft.affecting(cluster.owner(pod)));
    match failing {
        Some((log, line)) => Some(draft.shown_by(log, line).weighing(5)),
        None => is_failing.then(|| draft.weighing(-45)),
    }
}

/// Whether a line reports a slow network: a packet loss of at least 5 %, an average round trip of more than 300 ms, a
/// delay by `netem`, or a phrase about delays.
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
    has(&lower, &WORDS.delays) && !has(&lower, &["no network", "normal"])
}
