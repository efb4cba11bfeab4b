//! Pods that the scheduler can't place. Its message has a reason for each node, and all of them count.

use super::messages::{between, has, short};
use crate::cause::Cause;
use crate::facts::{Container, Facts, Pod, labels, list, text};
use crate::finding::{Draft, ObjectRef};

pub(super) fn find(facts: &Facts<'_>, drafts: &mut Vec<Draft>) {
    let mut seen: Vec<&str> = Vec::new();
    for pod in facts
        .pods
        .iter()
        .filter(|pod| !pod.is_healthy() && !pod.is_deleting() && pod.node().is_empty())
    {
        let id = &pod.object.id;
        let event = facts
            .events
            .iter()
            .rfind(|event| event.reason == "FailedScheduling" && event.about.name == id.name);
        let message = match pod.unscheduled() {
            "" => event.map_or("", |event| event.message),
            message => message,
        };
        if message.is_empty() {
            drafts.extend(by_request(facts, pod));
            continue;
        }
        seen.push(&id.name);
        let source = event.map_or(pod.proof().0, |event| event.source);
        drafts.extend(explain(
            facts,
            message,
            Some(pod),
            facts.owner(pod),
            id.clone(),
            source,
        ));
    }
    for event in facts
        .current("FailedScheduling")
        .filter(|event| !seen.contains(&event.about.name.as_str()))
    {
        let owner = facts.owner_of(&event.about);
        drafts.extend(explain(
            facts,
            event.message,
            None,
            owner,
            event.about.clone(),
            event.source,
        ));
    }
}

/// A pod that waits without a message, and asks for a resource that most nodes lack, e.g. GPUs.
fn by_request(facts: &Facts<'_>, pod: &Pod<'_>) -> Option<Draft> {
    let owner = facts.owner(pod);
    let template = facts
        .workload_of(&owner)
        .map(|workload| workload.containers());
    let containers = template.unwrap_or_else(|| pod.containers());
    let mut asked = containers
        .iter()
        .flat_map(|container| labels(container.spec, "/resources/requests"));
    let (name, amount) = asked.find(|(name, _)| name.contains('/'))?;
    let id = pod.object.id.clone();
    let (source, shown) = pod.proof();
    let sentence = format!(
        "{id} is {} and on no node. It requests {amount} of `{name}`: probably insufficient {name}.",
        pod.status()
    );
    let draft = Draft::new(Cause::InsufficientResource, owner, sentence).affecting(id);
    Some(draft.shown_by(source, &shown).weighing(-30))
}

/// A reason of some nodes.
#[derive(Clone, Debug, PartialEq)]
struct Reason {
    cause: Cause,
    text: String,
    /// How late the scheduler looks for it: a node that is excluded late passed all that is looked for before.
    order: i32,
}

/// The reasons in a message.
fn reasons(message: &str) -> Vec<Reason> {
    // What pre-emption would change is said after it.
    let message = message.split("preemption:").next().unwrap_or(message);
    let said = message
        .split_once(" nodes are available")
        .map_or(message, |(_, rest)| rest);
    let mut parts: Vec<String> = Vec::new();
    let mut depth = 0;
    let mut part = String::new();
    for c in said.trim_start_matches([':', ' ']).chars() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth <= 0 => {
                parts.push(std::mem::take(&mut part));
                continue;
            }
            _ => {}
        }
        part.push(c);
    }
    parts.push(part);
    parts
        .iter()
        .filter_map(|part| reason(part.trim().trim_end_matches('.')))
        .collect()
}

fn reason(text: &str) -> Option<Reason> {
    let is = |words: &[&str]| has(text, words);
    let (cause, order) = match () {
        () if text.is_empty() => return None,
        () if is(&["were unschedulable", "node.kubernetes.io/unschedulable"]) => {
            (Cause::NodeCordoned, 100)
        }
        () if is(&[
            "node.kubernetes.io/not-ready",
            "node.kubernetes.io/unreachable",
            "not ready",
            "network-unavailable",
        ]) =>
        {
            (Cause::NodeNotReady, 90)
        }
        () if is(&["disk-pressure", "memory-pressure", "pid-pressure"]) => {
            (Cause::NodePressure, 90)
        }
        // Control planes keep pods away, as they should.
        () if is(&["node-role.kubernetes.io"]) => (Cause::TaintNotTolerated, 0),
        () if is(&["taint"]) => (Cause::TaintNotTolerated, 20),
        () if is(&[
            "node affinity",
            "node selector",
            "node(s) didn't match pod's node",
            "nodeaffinity",
            "nodeselector",
        ]) && !is(&["volume node affinity"]) =>
        {
            (Cause::NodeAffinity, 30)
        }
        () if is(&["free ports", "host port"]) => (Cause::HostPortTaken, 40),
        () if is(&["insufficient cpu"]) => (Cause::InsufficientCpu, 50),
        () if is(&["insufficient memory"]) => (Cause::InsufficientMemory, 50),
        () if is(&["too many pods"]) => (Cause::TooManyPods, 50),
        () if is(&["insufficient"]) => (Cause::InsufficientResource, 55),
        () if is(&["persistentvolumeclaim", "volume"]) => (Cause::VolumeNotBound, 60),
        () if is(&["topology spread"]) => (Cause::TopologySpread, 70),
        () if is(&[
            "pod affinity",
            "pod anti-affinity",
            "anti-affinity",
            "pod affinity/anti-affinity",
        ]) =>
        {
            (Cause::PodAffinity, 80)
        }
        () => return None,
    };
    Some(Reason {
        cause,
        text: text.to_owned(),
        order,
    })
}

fn explain(
    facts: &Facts<'_>,
    message: &str,
    pod: Option<&Pod<'_>>,
    owner: ObjectRef,
    affected: ObjectRef,
    source: usize,
) -> Option<Draft> {
    let reasons = reasons(message);
    let mut chosen = reasons.iter().max_by_key(|reason| reason.order)?.clone();
    let requests = pod.map(|pod| requests(pod)).unwrap_or_default();
    let mut notes = String::new();
    if chosen.cause == Cause::NodeCordoned || chosen.cause == Cause::TaintNotTolerated {
        // A pod that fits on no node needs more than the node back.
        if let Some(capacity) = reasons
            .iter()
            .find(|reason| exceeds_all(facts, reason.cause, &requests))
        {
            chosen = capacity.clone();
        }
    }
    if chosen.cause == Cause::NodeCordoned
        && let Some(pod) = pod
        && let Some(selector) = unmatched_selector(facts, pod)
    {
        // Also the cordoned node has not the labels.
        notes = format!(" No node has the labels `{selector}`.");
        chosen.cause = Cause::NodeAffinity;
    }
    let object = match chosen.cause {
        Cause::NodeCordoned => node_where(facts, |node| node["spec"]["unschedulable"] == true),
        Cause::TaintNotTolerated => None,
        Cause::NodeNotReady => node_where(facts, |node| {
            list(node, "/status/conditions")
                .iter()
                .any(|c| text(c, "/type") == "Ready" && text(c, "/status") != "True")
        }),
        Cause::VolumeNotBound => claim(facts, pod, &chosen.text),
        _ => None,
    };
    match chosen.cause {
        Cause::NodeAffinity => {
            if let Some(selector) = pod.map(selector).filter(|selector| !selector.is_empty()) {
                notes = format!(" The pod asks for node labels `{selector}`.");
            }
        }
        Cause::TaintNotTolerated => {
            if let Some(taint) = between(&chosen.text, "{", "}") {
                notes = format!(" The taint is `{}`.", taint.trim());
            }
        }
        Cause::InsufficientCpu | Cause::InsufficientMemory | Cause::InsufficientResource => {
            let (field, most) = match chosen.cause {
                Cause::InsufficientCpu => ("cpu", largest(facts, "cpu")),
                Cause::InsufficientMemory => ("memory", largest(facts, "memory")),
                _ => ("", None),
            };
            let asked: Vec<String> = requests
                .iter()
                .filter(|(name, _)| field.is_empty() && name.contains('/') || *name == field)
                .map(|(name, value)| format!("{name}={value}"))
                .collect();
            if !asked.is_empty() {
                notes = format!(
                    " The pod requests {}{}.",
                    asked.join(", "),
                    most.map_or(String::new(), |most| format!(
                        ", the largest node offers {most}"
                    ))
                );
            }
        }
        _ => {}
    }
    let others: Vec<&str> = reasons
        .iter()
        .filter(|reason| reason.cause != chosen.cause && reason.order > 0)
        .map(|reason| reason.text.as_str())
        .collect();
    if !others.is_empty() {
        notes.push_str(&format!(" Other nodes: {}.", others.join(", ")));
    }
    let why = match chosen.cause {
        Cause::NodeCordoned => "a node is cordoned (unschedulable)".to_owned(),
        _ => chosen.text.clone(),
    };
    let on = object
        .as_ref()
        .map_or(String::new(), |object| format!(" ({object})"));
    let sentence = format!(
        "{affected} is Pending because it can't be scheduled: {why}{on}.{notes} The scheduler reports: {}.",
        short(message)
    );
    let draft = Draft::new(
        chosen.cause,
        object.unwrap_or_else(|| owner.clone()),
        sentence,
    );
    Some(
        draft
            .affecting(owner)
            .affecting(affected)
            .shown_by(source, message),
    )
}

fn requests<'c>(pod: &Pod<'c>) -> Vec<(&'c str, &'c str)> {
    let containers = pod.containers();
    containers
        .iter()
        .flat_map(|container: &Container<'c>| labels(container.spec, "/resources/requests"))
        .collect()
}

fn selector(pod: &Pod<'_>) -> String {
    let pairs: Vec<String> = pod
        .node_selector()
        .iter()
        .map(|(key, value)| format!("{key}={value}"))
        .collect();
    pairs.join(",")
}

/// The node selector of a pod, if all nodes show their labels and none has it.
fn unmatched_selector(facts: &Facts<'_>, pod: &Pod<'_>) -> Option<String> {
    let wanted = pod.node_selector();
    let mut nodes = facts
        .cluster
        .of_kind("Node")
        .map(|node| labels(&node.value, "/metadata/labels"))
        .peekable();
    nodes.peek()?;
    let none_has =
        nodes.all(|has| !has.is_empty() && !wanted.iter().all(|pair| has.contains(pair)));
    (!wanted.is_empty() && none_has).then(|| selector(pod))
}

fn node_where(facts: &Facts<'_>, is: impl Fn(&serde_json::Value) -> bool) -> Option<ObjectRef> {
    let mut nodes = facts.cluster.of_kind("Node").filter(|node| is(&node.value));
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

/// The largest allocatable amount of a node, as it is written.
fn largest<'f>(facts: &'f Facts<'_>, resource: &str) -> Option<&'f str> {
    let pointer = format!("/status/allocatable/{resource}");
    let amounts = facts
        .cluster
        .of_kind("Node")
        .map(move |node| text(&node.value, &pointer));
    amounts
        .filter(|amount| quantity(amount).is_some())
        .max_by(|a, b| {
            quantity(a)
                .partial_cmp(&quantity(b))
                .unwrap_or(std::cmp::Ordering::Equal)
        })
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
    largest(facts, resource)
        .and_then(quantity)
        .is_some_and(|most| asked > most)
}
