//! Recognises pods that the scheduler can't place. Its message groups all nodes by reason, and every reason is read.

use super::messages::{between, selector, short, within};
use super::words::{self, SCHEDULER};
use crate::cause::Cause;
use crate::cluster::{Cluster, Object};
use crate::facts::Container;
use crate::fields::Fields;
use crate::finding::{Draft, ObjectRef};

pub(super) fn find(cluster: &Cluster, drafts: &mut Vec<Draft>) {
    let mut seen: Vec<&str> = Vec::new();
    for pod in cluster.failing().filter(|pod| pod.node().is_empty()) {
        let name = &pod.id.name;
        let mut events = cluster.events.iter();
        let event =
            events.rfind(|event| event.reason == "FailedScheduling" && event.about.name == *name);
        let message = match pod.unscheduled() {
            "" => event.map_or("", |event| &event.message),
            message => message,
        };
        if message.is_empty() {
            drafts.extend(by_request(cluster, pod));
            continue;
        }
        seen.push(name);
        let source = event.map_or(pod.source, |event| event.source);
        let draft = explain(cluster, message, &pod.id);
        drafts.extend(draft.map(|draft| draft.shown_by(source, message)));
    }
    for event in cluster.current("FailedScheduling") {
        let (about, message) = (&event.about, &event.message);
        if !seen.contains(&about.name.as_str()) {
            let draft = explain(cluster, message, about);
            drafts.extend(draft.map(|draft| draft.shown_by(event.source, message)));
        }
    }
}

/// Drafts a finding for a pod that waits without a message and requests a resource that most nodes lack, e.g. GPUs.
fn by_request(cluster: &Cluster, pod: &Object) -> Option<Draft> {
    let owner = cluster.owner(pod);
    let asked = requests(&cluster.containers(pod));
    let (name, amount) = asked.iter().find(|(name, _)| name.contains('/'))?;
    let (id, status) = (&pod.id, pod.status());
    let sentence = format!(
        "{id} is {status} and on no node. It requests {amount} of `{name}`: probably insufficient {name}."
    );
    let draft = Draft::new(Cause::InsufficientResource, owner, sentence);
    Some(draft.shown_by_object(pod).weighing(-30))
}

/// A reason why the scheduler excludes some nodes.
#[derive(Clone, Copy)]
struct Reason<'m> {
    cause: Cause,
    text: &'m str,
    /// Position of the check. A node that is excluded late passed all earlier checks.
    order: i32,
}

/// Returns the reasons in a message of the scheduler.
fn reasons<'m>(message: &'m str) -> Vec<Reason<'m>> {
    // The text after `preemption:` is about what pre-emption would change.
    let message = message.split("preemption:").next().unwrap_or(message);
    let said = message
        .split_once(" nodes are available")
        .map_or(message, |(_, rest)| rest);
    // A taint is in braces and may contain commas.
    let mut depth = 0;
    let is_end = |c: char| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        c == ',' && depth <= 0
    };
    let parts = said.trim_start_matches([':', ' ']).split(is_end);
    let reason = |part: &'m str| {
        let text = part.trim().trim_end_matches('.');
        let row = words::find(&SCHEDULER, text)?;
        Some(Reason {
            cause: row.cause,
            text,
            order: row.text.parse().ok()?,
        })
    };
    parts.filter_map(reason).collect()
}

fn explain(cluster: &Cluster, message: &str, about: &ObjectRef) -> Option<Draft> {
    let (pod, owner) = (cluster.pod(about), cluster.owner_of(about));
    let reasons = reasons(message);
    let mut chosen = *reasons.iter().max_by_key(|reason| reason.order)?;
    let requests = pod.map_or_else(Vec::new, |pod| requests(&pod.containers()));
    if matches!(chosen.cause, Cause::NodeCordoned | Cause::TaintNotTolerated) {
        // If the pod requests more than any node has, it would not help to get the excluded node back.
        let mut capacity = reasons.iter();
        let capacity = capacity.find(|reason| exceeds_all(cluster, reason.cause, &requests));
        chosen = *capacity.unwrap_or(&chosen);
    }
    // The cordoned node lacks the labels as well.
    if chosen.cause == Cause::NodeCordoned && pod.is_some_and(|pod| is_unmatched(cluster, pod)) {
        chosen.cause = Cause::NodeAffinity;
    }
    let mut nodes = cluster.of_kind("Node");
    let object = match chosen.cause {
        Cause::NodeCordoned => nodes
            .find(|node| node.at("/spec/unschedulable") == Some(&true.into()))
            .map(|node| node.id.clone()),
        Cause::NodeNotReady => nodes
            .find(|node| node.condition("Ready").is_some() && !node.is_true("Ready"))
            .map(|node| node.id.clone()),
        Cause::VolumeNotBound => pod.and_then(|pod| claim(cluster, pod, chosen.text)),
        _ => None,
    };
    let others: Vec<&str> = reasons
        .iter()
        .filter(|reason| reason.cause != chosen.cause && reason.order > 0)
        .map(|reason| reason.text)
        .collect();
    let others = within(" Other nodes: ", &others.join(", "), ".");
    let note = note(cluster, chosen, pod, &requests);
    let why = match chosen.cause {
        Cause::NodeCordoned => "a node is cordoned (unschedulable)",
        _ => chosen.text,
    };
    let on = object.as_ref();
    let on = on.map_or(String::new(), |object| format!(" ({object})"));
    let sentence = format!(
        "{about} is Pending because it can't be scheduled: {why}{on}.{note}{others} The scheduler reports: {}.",
        short(message)
    );
    let object = object.unwrap_or_else(|| owner.clone());
    let draft = Draft::new(chosen.cause, object, sentence);
    Some(draft.affecting(owner).affecting(about.clone()))
}

/// Adds what the reason leaves out: the labels or resources that the pod requests, or the taint.
fn note(
    cluster: &Cluster,
    reason: Reason<'_>,
    pod: Option<&Object>,
    requests: &[(&str, &str)],
) -> String {
    let field = match reason.cause {
        Cause::NodeAffinity => {
            let wanted = pod.map(|pod| selector(&pod.labels("/spec/nodeSelector")));
            let wanted = wanted.unwrap_or_default();
            return within(" The pod asks for node labels `", &wanted, "`.");
        }
        Cause::TaintNotTolerated => {
            let taint = between(reason.text, "{", "}").unwrap_or_default();
            return within(" The taint is `", taint.trim(), "`.");
        }
        Cause::InsufficientCpu | Cause::InsufficientMemory | Cause::InsufficientResource => {
            resource(reason.cause)
        }
        _ => return String::new(),
    };
    let asked: Vec<String> = requests
        .iter()
        .filter(|(name, _)| field.is_empty() && name.contains('/') || *name == field)
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    let most = largest(cluster, field).map_or("", |(most, _)| most);
    let most = within(", the largest node offers ", most, "");
    within(" The pod requests ", &asked.join(", "), &format!("{most}."))
}

fn requests<'c>(containers: &[Container<'c>]) -> Vec<(&'c str, &'c str)> {
    containers
        .iter()
        .flat_map(|container| container.spec.labels("/resources/requests"))
        .collect()
}

/// Whether a pod has a node selector that no node matches, and the labels of all nodes are known.
fn is_unmatched(cluster: &Cluster, pod: &Object) -> bool {
    let wanted = pod.labels("/spec/nodeSelector");
    let lacks = |node: &Object| {
        let has = node.labels("/metadata/labels");
        !has.is_empty() && !wanted.iter().all(|pair| has.contains(pair))
    };
    let mut nodes = cluster.of_kind("Node").peekable();
    !wanted.is_empty() && nodes.peek().is_some() && nodes.all(lacks)
}

/// Returns the persistent volume claim that a pod waits for.
fn claim(cluster: &Cluster, pod: &Object, said: &str) -> Option<ObjectRef> {
    let namespace = &pod.id.namespace;
    let named = between(said, "persistentvolumeclaim \"", "\"").or_else(|| {
        let volumes = pod.list("/spec/volumes").iter();
        let mut claims = volumes.map(|volume| volume.text("/persistentVolumeClaim/claimName"));
        claims.find(|name| {
            let known = cluster.get("PersistentVolumeClaim", namespace, name);
            !name.is_empty() && known.is_none_or(|claim| claim.status() != "Bound")
        })
    });
    if let Some(name) = named {
        return Some(ObjectRef::new("PersistentVolumeClaim", namespace, name));
    }
    // If the pod's volumes are not known, a single pending claim of the namespace must be its own.
    let claims = cluster.of_kind("PersistentVolumeClaim");
    let mut waiting =
        claims.filter(|claim| claim.id.namespace == *namespace && claim.status() == "Pending");
    let first = waiting.next()?;
    waiting.next().is_none().then(|| first.id.clone())
}

/// Parses a quantity such as `500m` or `2Gi` into cores or bytes.
pub(super) fn quantity(text: &str) -> Option<f64> {
    let end = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let unit = unit.split_whitespace().next().unwrap_or_default();
    let base = if unit.ends_with('i') {
        1024.0
    } else {
        1000.0_f64
    };
    let power = match unit.trim_end_matches('i') {
        "" => 0,
        "m" => -1,
        "k" | "K" => 1,
        "M" => 2,
        "G" => 3,
        "T" => 4,
        _ => return None,
    };
    Some(number.parse::<f64>().ok()? * base.powi(power))
}

/// Returns the resource that is insufficient: `cpu` or `memory`; empty if it is another one.
const fn resource(cause: Cause) -> &'static str {
    match cause {
        Cause::InsufficientCpu => "cpu",
        Cause::InsufficientMemory => "memory",
        _ => "",
    }
}

/// Returns the largest allocatable amount of all nodes: as it is written, and in cores or bytes.
fn largest<'c>(cluster: &'c Cluster, resource: &str) -> Option<(&'c str, f64)> {
    let pointer = format!("/status/allocatable/{resource}");
    let nodes = cluster.of_kind("Node");
    let amounts = nodes.filter_map(|node| {
        let written = node.text(&pointer);
        Some((written, quantity(written)?))
    });
    amounts.max_by(|one, other| one.1.total_cmp(&other.1))
}

/// Whether a pod requests more of the missing resource than any node has.
fn exceeds_all(cluster: &Cluster, cause: Cause, requests: &[(&str, &str)]) -> bool {
    let resource = resource(cause);
    let asked = requests.iter().filter(|(name, _)| *name == resource);
    let asked: f64 = asked.filter_map(|(_, value)| quantity(value)).sum();
    largest(cluster, resource).is_some_and(|(_, most)| asked > most)
}
