//! Nodes that are not ready, or lack something.

use super::messages::short;
use crate::cause::Cause;
use crate::cluster::Object;
use crate::facts::{Facts, Pod, list, text};
use crate::finding::{Draft, ObjectRef};

pub(super) fn find(facts: &Facts<'_>, drafts: &mut Vec<Draft>) {
    for node in facts.cluster.of_kind("Node") {
        drafts.extend(conditions(node));
        drafts.extend(too_many_pods(node));
    }
    for event in &facts.events {
        let about = &event.about;
        let is_over = || facts.is_over(event);
        let cause = match event.reason {
            _ if about.kind != "Node" => continue,
            "NodeNotReady" if !is_over() => Cause::NodeNotReady,
            "EvictionThresholdMet"
            | "FreeDiskSpaceFailed"
            | "NodeHasDiskPressure"
            | "NodeHasInsufficientMemory"
                if !is_over() || is_pressed(facts, about) =>
            {
                Cause::NodePressure
            }
            _ => continue,
        };
        let message = short(event.message);
        let sentence = format!("{about} reports {}: {message}.", event.reason);
        drafts.push(Draft::new(cause, about.clone(), sentence).told_by(event));
    }
    for pod in facts.pods.iter().filter(|pod| is_evicted(pod)) {
        let object = match pod.node() {
            "" => facts.owner(pod),
            node => ObjectRef::new("Node", "", node),
        };
        let message = text(&pod.object.value, "/status/message");
        let draft = evicted(&pod.object.id, message, object).seen_at(pod);
        drafts.push(draft.weighing(-25));
    }
    for event in facts.current("Evicted") {
        let draft = evicted(&event.about, event.message, facts.owner_of(&event.about));
        drafts.push(draft.shown_by(event.source, event.message).weighing(-20));
    }
}

fn is_evicted(pod: &Pod<'_>) -> bool {
    pod.status() == "Evicted" || text(&pod.object.value, "/status/reason") == "Evicted"
}

fn evicted(pod: &ObjectRef, message: &str, object: ObjectRef) -> Draft {
    let sentence = format!("{pod} was evicted: {}.", short(message));
    Draft::new(Cause::NodePressure, object, sentence)
}

fn too_many_pods(node: &Object) -> Option<Draft> {
    let pods = node.value.pointer("/status/podCount")?.as_i64()?;
    let most: i64 = text(&node.value, "/status/capacity/pods").parse().ok()?;
    let id = &node.id;
    let sentence = format!(
        "{id} runs {pods} pods, as many as it may ({most}): it has too many pods for its capacity."
    );
    let draft = Draft::new(Cause::TooManyPods, id.clone(), sentence);
    (pods >= most).then(|| draft.shown_by(node.source(), "pods:"))
}

fn is_pressed(facts: &Facts<'_>, about: &ObjectRef) -> bool {
    facts
        .cluster
        .get("Node", "", &about.name)
        .is_none_or(|node| !conditions(node).is_empty())
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
        let shown = match of {
            // A node that stopped reporting has all conditions unknown.
            "Ready" => &node.id.name,
            of => of,
        };
        Some(draft.shown_by(node.source(), shown))
    };
    list(&node.value, "/status/conditions")
        .iter()
        .filter_map(bad)
        .collect()
}
