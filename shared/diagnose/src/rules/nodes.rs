//! Recognises nodes that are not ready, under pressure or full, and evicted pods.

use serde_json::Value;

use super::messages::{short, within};
use crate::cause::Cause;
use crate::cluster::{Cluster, Object};
use crate::fields::Fields;
use crate::finding::{Draft, ObjectRef};

pub(super) fn find(cluster: &Cluster, drafts: &mut Vec<Draft>) {
    for node in cluster.of_kind("Node") {
        drafts.extend(conditions(node));
        drafts.extend(too_many_pods(node));
    }
    for pod in cluster.pods() {
        if pod.status() == "Evicted" || pod.text("/status/reason") == "Evicted" {
            let object = match pod.node() {
                "" => cluster.owner(pod),
                node => ObjectRef::new("Node", "", node),
            };
            let (id, told) = (&pod.id, short(pod.text("/status/message")));
            let sentence = format!("{id} was evicted: {told}.");
            let draft = Draft::new(Cause::NodePressure, object, sentence);
            drafts.push(draft.shown_by_object(pod).weighing(-25));
        }
    }
}

fn too_many_pods(node: &Object) -> Option<Draft> {
    let pods = node.number("/status/podCount")?;
    let most: i64 = node.text("/status/capacity/pods").parse().ok()?;
    let id = &node.id;
    let sentence = format!(
        "{id} runs {pods} pods, as many as it may ({most}): it has too many pods for its capacity."
    );
    let draft = Draft::new(Cause::TooManyPods, id.clone(), sentence);
    (pods >= most).then(|| draft.shown_by(node.source, "pods:"))
}

fn conditions(node: &Object) -> impl Iterator<Item = Draft> {
    let bad = |condition: &Value| {
        let of = condition.text("/type");
        let (cause, what) = match (of, condition.text("/status")) {
            ("Ready", "False" | "Unknown") => (Cause::NodeNotReady, "is not ready (NotReady)"),
            ("DiskPressure", "True") => (Cause::NodePressure, "is under disk pressure"),
            ("MemoryPressure", "True") => (Cause::NodePressure, "is under memory pressure"),
            ("PIDPressure", "True") => (Cause::NodePressure, "runs out of process ids"),
            ("NetworkUnavailable", "True") => (Cause::NodeNotReady, "has no network"),
            _ => return None,
        };
        let why = within(": ", &short(condition.text("/message")), "");
        let draft = Draft::new(cause, node.id.clone(), format!("{} {what}{why}.", node.id));
        let shown = match of {
            // All conditions of a node that stopped reporting are unknown, so its name is the better evidence.
            "Ready" => &node.id.name,
            of => of,
        };
        Some(draft.shown_by(node.source, shown))
    };
    node.list("/status/conditions").iter().filter_map(bad)
}
