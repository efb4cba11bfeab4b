//! Recognises probes that fail.

use super::messages::{has, short};
use super::words::WORDS;
use crate::cause::Cause;
use crate::cluster::{Cluster, Event, Object};
use crate::facts::{Container, is_port};
use crate::fields::Fields;
use crate::finding::{Draft, ObjectRef};

/// Word in events (in lower case), field of a container's specification, cause.
const PROBES: [(&str, &str, Cause); 3] = [
    ("liveness", "livenessProbe", Cause::LivenessProbe),
    ("readiness", "readinessProbe", Cause::ReadinessProbe),
    ("startup", "startupProbe", Cause::StartupProbe),
];

pub(super) fn find(cluster: &Cluster, drafts: &mut Vec<Draft>) {
    let events = cluster.events.iter();
    for event in events.filter(|event| has(&event.message, &WORDS.probes)) {
        let mut probes = PROBES.into_iter();
        let probe = probes.find(|(word, ..)| has(&event.message, &[word]));
        drafts.extend(probe.and_then(|probe| by_event(cluster, event, probe)));
    }
    // Needs no event: a probe of a port that the container does not declare.
    for pod in cluster.failing().filter(|pod| pod.status() == "Running") {
        let owner = cluster.owner(pod);
        for container in containers(cluster, Some(pod), &owner) {
            for (word, field, cause) in PROBES {
                if let Some(why) = mismatch(&container, field) {
                    let id = &pod.id;
                    let sentence = format!("The {word} probe of {id} can't succeed. {why}.");
                    let draft = Draft::new(cause, owner.clone(), sentence);
                    drafts.push(draft.shown_by(pod.source, field).shown_by_object(pod));
                }
            }
        }
    }
}

fn by_event(
    cluster: &Cluster,
    event: &Event,
    (word, field, cause): (&str, &str, Cause),
) -> Option<Draft> {
    let about = &event.about;
    let pod = cluster.pod(&about.namespace, &about.name);
    // A container that keeps restarting is ready in between, so its pod may look healthy now.
    let returns = pod.is_some_and(|pod| {
        pod.restarts() >= 3 && event.count >= 3 && cause != Cause::ReadinessProbe
    });
    if cluster.is_over(event) && !returns {
        return None;
    }
    let owner = cluster.owner_of(about);
    let containers = containers(cluster, pod, &owner);
    let mut probed = containers.iter();
    let probed = probed.find(|container| container.probe_port(field).is_some());
    let mismatch = probed.and_then(|of| mismatch(of, field));
    // A probe can't succeed in a container that ends by itself.
    let of_pod = pod.map(Object::containers).unwrap_or_default();
    let mut exits = of_pod.iter().filter_map(Container::exit);
    let ends = exits.any(|exit| {
        let code = exit.number("/exitCode");
        !matches!(code, Some(0 | 137 | 143) | None) || exit.text("/reason") == "OOMKilled"
    });
    let weight = match (mismatch.is_some(), ends) {
        (true, _) => 12,
        (false, true) => -40,
        (false, false) => 0,
    };
    // The likely mistake: a port that does not fit, or else what the message points to.
    let mut hints = WORDS.probe_hints.iter();
    let hint = hints.find(|(_, words)| has(&event.message, words));
    let hint = mismatch.or_else(|| Some(hint?.0.clone()));
    let hint = hint.map_or(String::new(), |hint| format!(" {hint}."));
    let message = short(&event.message);
    let sentence = format!("The {word} probe of {about} fails: {message}.{hint}");
    let draft = Draft::new(cause, owner, sentence).shown_by_event(event);
    let node = pod.map_or("", |pod| pod.node());
    Some(draft.weighing(weight).on_node(node))
}

/// Returns the containers of the pod, or those of its owner's template if the pod's specification is not known.
fn containers<'c>(
    cluster: &'c Cluster,
    pod: Option<&'c Object>,
    owner: &ObjectRef,
) -> Vec<Container<'c>> {
    let own = pod.map(Object::containers).unwrap_or_default();
    if own.iter().any(|container| !container.spec.is_null()) {
        return own;
    }
    let template = cluster.workload_of(owner);
    template
        .map(Object::template_containers)
        .unwrap_or_default()
}

/// Describes the port of a probe that the container does not declare; `None` if it fits or can't be checked.
fn mismatch(container: &Container<'_>, field: &str) -> Option<String> {
    let port = container
        .probe_port(field)
        .filter(|port| !port.is_empty())?;
    let mut ports = container.ports();
    let declared: Vec<String> = container
        .ports()
        .map(|open| open["containerPort"].to_string())
        .collect();
    if declared.is_empty() || ports.any(|open| is_port(open, &port)) {
        return None;
    }
    Some(format!(
        "It asks port {port}, but container `{}` declares port {}",
        container.text("/name"),
        declared.join(", ")
    ))
}
