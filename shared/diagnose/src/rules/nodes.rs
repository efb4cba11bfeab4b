//! Nodes that are not ready, or lack something.

use super::messages::{has, short};
use crate::cause::Cause;
use crate::cluster::Object;
use crate::facts::{Facts, list, text};
use crate::finding::{Draft, ObjectRef};

pub(super) fn find(facts: &Facts<'_>, drafts: &mut Vec<Draft>) {
    for node in facts.cluster.of_kind("Node") {
        drafts.extend(conditions(node));
        let pods = node
            .value
            .pointer("/status/podCount")
            .and_then(serde_json::Value::as_i64);
        let most = text(&node.value, "/status/capacity/pods")
            .parse::<i64>()
            .ok();
        if let (Some(pods), Some(most)) = (pods, most)
            && pods >= most
        {
            let sentence = format!(
                "{} runs {pods} pods, as many as it may ({most}): it has too many pods for its capacity.",
                node.id
            );
            drafts.push(
                Draft::new(Cause::TooManyPods, node.id.clone(), sentence)
                    .shown_by(source(node), "pods:"),
            );
        }
    }
    for event in facts
        .events
        .iter()
        .filter(|event| event.about.kind == "Node")
    {
        let cause = match event.reason {
            "NodeNotReady" => Cause::NodeNotReady,
            "EvictionThresholdMet"
            | "FreeDiskSpaceFailed"
            | "NodeHasDiskPressure"
            | "NodeHasInsufficientMemory" => Cause::NodePressure,
            _ => continue,
        };
        if !facts.is_over(event) || cause == Cause::NodePressure && is_pressed(facts, &event.about)
        {
            let sentence = format!(
                "{} reports {}: {}.",
                event.about,
                event.reason,
                short(event.message)
            );
            drafts.push(
                Draft::new(cause, event.about.clone(), sentence)
                    .shown_by(event.source, event.message),
            );
        }
    }
    for pod in facts.pods.iter().filter(|pod| {
        pod.status() == "Evicted" || text(&pod.object.value, "/status/reason") == "Evicted"
    }) {
        let message = text(&pod.object.value, "/status/message");
        let object = match pod.node() {
            "" => facts.owner(pod),
            node => ObjectRef::new("Node", "", node),
        };
        let sentence = format!("{} was evicted: {}.", pod.object.id, short(message));
        let (source, name) = pod.proof();
        drafts.push(
            Draft::new(Cause::NodePressure, object, sentence)
                .affecting(pod.object.id.clone())
                .shown_by(source, &name)
                .weighing(-25),
        );
    }
    for event in facts.current("Evicted") {
        let sentence = format!("{} was evicted: {}.", event.about, short(event.message));
        drafts.push(
            Draft::new(Cause::NodePressure, facts.owner_of(&event.about), sentence)
                .shown_by(event.source, event.message)
                .weighing(-20),
        );
    }
}

fn is_pressed(facts: &Facts<'_>, about: &ObjectRef) -> bool {
    facts
        .cluster
        .get("Node", "", &about.name)
        .is_none_or(|node| !conditions(node).is_empty())
}

fn source(node: &Object) -> usize {
    node.sources.last().copied().unwrap_or(0)
}

fn conditions(node: &Object) -> Vec<Draft> {
    let bad = |condition: &serde_json::Value| {
        let (of, status) = (text(condition, "/type"), text(condition, "/status"));
        let (cause, what) = match (of, status) {
            ("Ready", "False" | "Unknown") => (Cause::NodeNotReady, "is not ready (NotReady)"),
            ("DiskPressure", "True") => (Cause::NodePressure, "is under disk pressure"),
            ("MemoryPressure", "True") => (Cause::NodePressure, "is under memory pressure"),
            ("PIDPressure", "True") => (Cause::NodePressure, "runs out of process ids"),
            ("NetworkUnavailable", "True") => (Cause::NodeNotReady, "has no network"),
            _ => return None,
        };
        let why = match text(condition, "/message") {
            "" => String::new(),
            message => format!(": {}", short(message)),
        };
        let draft = Draft::new(cause, node.id.clone(), format!("{} {what}{why}.", node.id));
        // A node that stopped reporting has all conditions unknown.
        let is_shown = has(of, &["ready"]);
        Some(draft.shown_by(source(node), if is_shown { &node.id.name } else { of }))
    };
    list(&node.value, "/status/conditions")
        .iter()
        .filter_map(bad)
        .collect()
}
