//! Recognises probes that fail.

use super::messages::{has, short};
use super::words::WORDS;
use crate::cause::Cause;
use crate::cluster::{Cluster, Event};
use crate::facts::{Container, is_port};
use crate::fields::Fields;
use crate::finding::Draft;

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
        for container in cluster.containers(pod) {
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
    let pod = &*cluster.pod_or_name(about);
    // A container that keeps restarting is ready in between, so its pod may look healthy now.
    let returns = pod.restarts() >= 3 && event.count >= 3 && cause != Cause::ReadinessProbe;
    if cluster.is_over(event) && !returns {
        return None;
    }
    let owner = cluster.owner_of(about);
    let mut probed = cluster.containers(pod).into_iter();
    let probed = probed.find(|container| container.probe_port(field).is_some());
    let mismatch = probed.and_then(|of| mismatch(&of, field));
    // A probe can't succeed in a container that ends by itself.
    let containers = pod.containers();
    let ends = containers.iter().filter_map(Container::exit).any(|exit| {
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
    Some(draft.weighing(weight).on_node(pod.node()))
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
