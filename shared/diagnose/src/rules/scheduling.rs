//! Pods that the scheduler can't place. Its message has a reason for each node, and all of them count.

use super::messages::{between, selector, short};
use super::words::{self, SCHEDULER};
use crate::cause::Cause;
use crate::cluster::Object;
use crate::facts::{Container, Facts, Pod, condition, labels, list, text};
use crate::finding::{Draft, ObjectRef};

pub(super) fn find(facts: &Facts<'_>, drafts: &mut Vec<Draft>) {
    let mut seen: Vec<&str> = Vec::new();
    for pod in facts.failing().filter(|pod| pod.node().is_empty()) {
        let id = &pod.object.id;
        let mut events = facts.events.iter();
        let event =
            events.rfind(|event| event.reason == "FailedScheduling" && event.about.name == id.name);
        let message = match pod.unscheduled() {
            "" => event.map_or("", |event| event.message),
            message => message,
        };
        if message.is_empty() {
            drafts.extend(by_request(facts, pod));
            continue;
        }
        seen.push(&id.name);
        let source = event.map_or(pod.object.source(), |event| event.source);
        let draft = explain(facts, message, Some(pod), facts.owner(pod), id);
        drafts.extend(draft.map(|draft| draft.shown_by(source, message)));
    }
    for event in facts.current("FailedScheduling") {
        let about = &event.about;
        if !seen.contains(&about.name.as_str()) {
            let draft = explain(facts, event.message, None, facts.owner_of(about), about);
            drafts.extend(draft.map(|draft| draft.shown_by(event.source, event.message)));
        }
    }
}

/// A pod that waits without a message, and asks for a resource that most nodes lack, e.g. GPUs.
fn by_request(facts: &Facts<'_>, pod: &Pod<'_>) -> Option<Draft> {
    let owner = facts.owner(pod);
    let template = facts.workload_of(&owner);
    let containers = template.map_or_else(|| pod.containers(), |of| of.containers());
    let asked = requests(&containers);
    let (name, amount) = asked.iter().find(|(name, _)| name.contains('/'))?;
    let (id, status) = (&pod.object.id, pod.status());
    let sentence = format!(
        "{id} is {status} and on no node. It requests {amount} of `{name}`: probably insufficient {name}."
    );
    let draft = Draft::new(Cause::InsufficientResource, owner, sentence);
    Some(draft.seen_at(pod).weighing(-30))
}

/// A reason of some nodes.
#[derive(Clone, Debug, PartialEq)]
struct Reason {
    cause: Cause,
    text: String,
    /// How late the scheduler looks for it.
    order: i32,
}

/// The reasons in a message.
fn reasons(message: &str) -> Vec<Reason> {
    // What pre-emption would change is said after it.
    let message = message.split("preemption:").next().unwrap_or(message);
    let said = message
        .split_once(" nodes are available")
        .map_or(message, |(_, rest)| rest);
    // A taint stands in braces, with commas of its own.
    let mut depth = 0;
    let is_end = |c: char| {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        c == ',' && depth <= 0
    };
    let parts = said.trim_start_matches([':', ' ']).split(is_end);
    let reason = |part: &str| {
        let text = part.trim().trim_end_matches('.');
        let row = words::find(&SCHEDULER, text)?;
        Some(Reason {
            cause: row.cause,
            text: text.to_owned(),
            order: row.text.parse().ok()?,
        })
    };
    parts.filter_map(reason).collect()
}

fn explain(
    facts: &Facts<'_>,
    message: &str,
    pod: Option<&Pod<'_>>,
    owner: ObjectRef,
    affected: &ObjectRef,
) -> Option<Draft> {
    let reasons = reasons(message);
    let mut chosen = reasons.iter().max_by_key(|reason| reason.order)?.clone();
    let requests = pod.map_or_else(Vec::new, |pod| requests(&pod.containers()));
    if matches!(chosen.cause, Cause::NodeCordoned | Cause::TaintNotTolerated) {
        // A pod that fits on no node needs more than the node back.
        let mut capacity = reasons.iter();
        let capacity = capacity.find(|reason| exceeds_all(facts, reason.cause, &requests));
        chosen = capacity.unwrap_or(&chosen).clone();
    }
    // Also the cordoned node has not the labels.
    if chosen.cause == Cause::NodeCordoned && pod.is_some_and(|pod| is_unmatched(facts, pod)) {
        chosen.cause = Cause::NodeAffinity;
    }
    let object = match chosen.cause {
        Cause::NodeCordoned => {
            node_where(facts, |node| node.value["spec"]["unschedulable"] == true)
        }
        Cause::NodeNotReady => node_where(facts, |node| {
            condition(node, "Ready").is_some_and(|ready| text(ready, "/status") != "True")
        }),
        Cause::VolumeNotBound => claim(facts, pod, &chosen.text),
        _ => None,
    };
    let others: Vec<&str> = reasons
        .iter()
        .filter(|reason| reason.cause != chosen.cause && reason.order > 0)
        .map(|reason| reason.text.as_str())
        .collect();
    let others = match others.is_empty() {
        true => String::new(),
        false => format!(" Other nodes: {}.", others.join(", ")),
    };
    let note = note(facts, &chosen, pod, &requests).unwrap_or_default();
    let why = match chosen.cause {
        Cause::NodeCordoned => "a node is cordoned (unschedulable)",
        _ => &chosen.text,
    };
    let on = object
        .as_ref()
        .map_or(String::new(), |object| format!(" ({object})"));
    let sentence = format!(
        "{affected} is Pending because it can't be scheduled: {why}{on}.{note}{others} The scheduler reports: {}.",
        short(message)
    );
    let object = object.unwrap_or_else(|| owner.clone());
    let draft = Draft::new(chosen.cause, object, sentence);
    Some(draft.affecting(owner).affecting(affected.clone()))
}

/// What a reason does not say: what the pod asks for, or the taint.
fn note(
    facts: &Facts<'_>,
    reason: &Reason,
    pod: Option<&Pod<'_>>,
    requests: &[(&str, &str)],
) -> Option<String> {
    let (field, most) = match reason.cause {
        Cause::NodeAffinity => {
            let wanted = selector(&pod?.node_selector());
            return (!wanted.is_empty())
                .then(|| format!(" The pod asks for node labels `{wanted}`."));
        }
        Cause::TaintNotTolerated => {
            let taint = between(&reason.text, "{", "}")?.trim();
            return Some(format!(" The taint is `{taint}`."));
        }
        Cause::InsufficientCpu => ("cpu", largest(facts, "cpu")),
        Cause::InsufficientMemory => ("memory", largest(facts, "memory")),
        Cause::InsufficientResource => ("", None),
        _ => return None,
    };
    let asked: Vec<String> = requests
        .iter()
        .filter(|(name, _)| field.is_empty() && name.contains('/') || *name == field)
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    let most = most.map_or(String::new(), |(most, _)| {
        format!(", the largest node offers {most}")
    });
    (!asked.is_empty()).then(|| format!(" The pod requests {}{most}.", asked.join(", ")))
}

fn requests<'c>(containers: &[Container<'c>]) -> Vec<(&'c str, &'c str)> {
    containers
        .iter()
        .flat_map(|container| labels(container.spec, "/resources/requests"))
        .collect()
}

/// Whether a pod has a node selector, all nodes show their labels, and none has those of the selector.
fn is_unmatched(facts: &Facts<'_>, pod: &Pod<'_>) -> bool {
    let wanted = pod.node_selector();
    let nodes = facts.cluster.of_kind("Node");
    let nodes: Vec<_> = nodes
        .map(|node| labels(&node.value, "/metadata/labels"))
        .collect();
    let lacks = |has: &Vec<_>| !has.is_empty() && !wanted.iter().all(|pair| has.contains(pair));
    !wanted.is_empty() && !nodes.is_empty() && nodes.iter().all(lacks)
}

fn node_where(facts: &Facts<'_>, is: impl Fn(&Object) -> bool) -> Option<ObjectRef> {
    let mut nodes = facts.cluster.of_kind("Node").filter(|node| is(node));
    nodes.next().map(|node| node.id.clone())
}

/// The claim that a pod waits for.
fn claim(facts: &Facts<'_>, pod: Option<&Pod<'_>>, said: &str) -> Option<ObjectRef> {
    let pod = pod?;
    let namespace = &pod.object.id.namespace;
    if let Some(name) = between(said, "persistentvolumeclaim \"", "\"") {
        return Some(ObjectRef::new("PersistentVolumeClaim", namespace, name));
    }
    let mut claims = list(&pod.object.value, "/spec/volumes")
        .iter()
        .map(|volume| text(volume, "/persistentVolumeClaim/claimName"));
    let named = claims.find(|name| {
        let known = facts.cluster.get("PersistentVolumeClaim", namespace, name);
        !name.is_empty() && known.is_none_or(|claim| text(&claim.value, "/status/phase") != "Bound")
    });
    if let Some(name) = named {
        return Some(ObjectRef::new("PersistentVolumeClaim", namespace, name));
    }
    // Where the pod's volumes are not known, the only claim that waits is its own.
    let claims = facts.cluster.of_kind("PersistentVolumeClaim");
    let mut waiting = claims.filter(|claim| {
        claim.id.namespace == *namespace && text(&claim.value, "/status/phase") == "Pending"
    });
    let first = waiting.next()?;
    waiting.next().is_none().then(|| first.id.clone())
}

/// Cores or bytes of a quantity such as `500m` or `2Gi`.
pub(super) fn quantity(text: &str) -> Option<f64> {
    let end = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let factor = match unit.split_whitespace().next().unwrap_or_default() {
        "" => 1.0,
        "m" => 0.001,
        "k" => 1e3,
        "M" => 1e6,
        "G" => 1e9,
        "T" => 1e12,
        "Ki" => 1024.0,
        "Mi" => 1_048_576.0,
        "Gi" => 1_073_741_824.0,
        "Ti" => 1_099_511_627_776.0,
        _ => return None,
    };
    Some(number.parse::<f64>().ok()? * factor)
}

/// The largest allocatable amount of a node: as it is written, and in cores or bytes.
fn largest<'f>(facts: &'f Facts<'_>, resource: &str) -> Option<(&'f str, f64)> {
    let pointer = format!("/status/allocatable/{resource}");
    let nodes = facts.cluster.of_kind("Node");
    let amounts = nodes.filter_map(|node| {
        let written = text(&node.value, &pointer);
        Some((written, quantity(written)?))
    });
    amounts.max_by(|one, other| one.1.total_cmp(&other.1))
}

/// Whether a pod asks for more than any node has.
fn exceeds_all(facts: &Facts<'_>, cause: Cause, requests: &[(&str, &str)]) -> bool {
    let resource = match cause {
        Cause::InsufficientCpu => "cpu",
        Cause::InsufficientMemory => "memory",
        _ => return false,
    };
    let asked: f64 = requests
        .iter()
        .filter(|(name, _)| *name == resource)
        .filter_map(|(_, value)| quantity(value))
        .sum();
    largest(facts, resource).is_some_and(|(_, most)| asked > most)
}
