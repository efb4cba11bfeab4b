//! Probes that fail.

use super::messages::{has, short};
use crate::cause::Cause;
use crate::facts::{Container, Event, Facts, Pod, Workload};
use crate::finding::{Draft, ObjectRef};

/// Word in events (in lower case), field of a container, cause.
const PROBES: [(&str, &str, Cause); 3] = [
    ("liveness", "livenessProbe", Cause::LivenessProbe),
    ("readiness", "readinessProbe", Cause::ReadinessProbe),
    ("startup", "startupProbe", Cause::StartupProbe),
];

pub(super) fn find(facts: &Facts<'_>, drafts: &mut Vec<Draft>) {
    let failed = [
        "probe failed",
        "probe errored",
        "liveness probe",
        "readiness probe",
    ];
    for event in &facts.events {
        let of_event = |(word, ..): &(&str, &str, Cause)| has(event.message, &[*word]);
        if has(event.message, &failed)
            && let Some(probe) = PROBES.into_iter().find(of_event)
        {
            drafts.extend(by_event(facts, event, probe));
        }
    }
    // Without events: a probe of a port that the container does not declare.
    for pod in facts.failing().filter(|pod| pod.status() == "Running") {
        let owner = facts.owner(pod);
        for container in containers(facts, Some(pod), &owner) {
            for (word, field, cause) in PROBES {
                if let Some(why) = mismatch(&container, field) {
                    let id = &pod.object.id;
                    let sentence = format!("The {word} probe of {id} can't succeed. {why}.");
                    let draft = Draft::new(cause, owner.clone(), sentence);
                    let draft = draft.shown_by(pod.object.source(), field);
                    drafts.push(draft.seen_at(pod));
                }
            }
        }
    }
}

fn by_event(
    facts: &Facts<'_>,
    event: &Event<'_>,
    (word, field, cause): (&str, &str, Cause),
) -> Option<Draft> {
    let about = &event.about;
    let pod = facts.pod(&about.namespace, &about.name);
    // A container that is restarted is ready for a while, again and again.
    let returns = pod.is_some_and(|pod| {
        pod.restarts() >= 3 && event.count >= 3 && cause != Cause::ReadinessProbe
    });
    if facts.is_over(event) && !returns {
        return None;
    }
    let owner = facts.owner_of(about);
    let containers = containers(facts, pod, &owner);
    let mut probed = containers
        .iter()
        .filter(|container| container.probe_port(field).is_some());
    let mismatch = probed.next().and_then(|of| mismatch(of, field));
    // A probe can't succeed in a container that ends by itself.
    let ends = pod.is_some_and(|pod| {
        let containers = pod.containers();
        let mut exits = containers.iter().filter_map(Container::exit);
        exits.any(|exit| {
            !matches!(exit.code, Some(0 | 137 | 143) | None) || exit.reason == "OOMKilled"
        })
    });
    let weight = match (mismatch.is_some(), ends) {
        (true, _) => 12,
        (false, true) => -40,
        (false, false) => 0,
    };
    let hint = mismatch.or_else(|| hint(event.message).map(str::to_owned));
    let hint = hint.map_or(String::new(), |hint| format!(" {hint}."));
    let message = short(event.message);
    let sentence = format!("The {word} probe of {about} fails: {message}.{hint}");
    let draft = Draft::new(cause, owner, sentence).told_by(event);
    let node = pod.map_or("", |pod| pod.node());
    Some(draft.weighing(weight).on_node(node))
}

/// Containers of the pod, or of the template of its owner, if that shows more.
fn containers<'c>(
    facts: &Facts<'c>,
    pod: Option<&Pod<'c>>,
    owner: &ObjectRef,
) -> Vec<Container<'c>> {
    let own = pod.map(Pod::containers).unwrap_or_default();
    match own.iter().all(|container| container.spec.is_null()) {
        true => facts
            .workload_of(owner)
            .map(Workload::containers)
            .unwrap_or_default(),
        false => own,
    }
}

/// What of a probe does not fit the container.
fn mismatch(container: &Container<'_>, field: &str) -> Option<String> {
    let port = container.probe_port(field)?;
    let ports = container.ports();
    if port.is_empty() || ports.is_empty() || ports.iter().any(|open| open.is(&port)) {
        return None;
    }
    let declared: Vec<String> = ports.iter().map(|open| open.number.to_string()).collect();
    Some(format!(
        "It asks port {port}, but container `{}` declares port {}",
        container.name(),
        declared.join(", ")
    ))
}

/// What a failure's message points to.
fn hint(message: &str) -> Option<&'static str> {
    let wrong_scheme = [
        "https client",
        "malformed http",
        "tls: first record",
        "x509",
        "http request to an https",
    ];
    let hints: [(&[&str], &str); 5] = [
        (
            &wrong_scheme,
            "The scheme or protocol of the probe is wrong",
        ),
        (&["404"], "The path of the probe does not exist"),
        (
            &["connection refused"],
            "No process listens on the port of the probe",
        ),
        (
            &["deadline exceeded", "timeout", "timed out"],
            "The application answers too slowly, or the timeout of the probe is too short",
        ),
        (
            &["statuscode: 5"],
            "The application itself reports that it is unhealthy",
        ),
    ];
    let mut fitting = hints.iter().filter(|(words, _)| has(message, words));
    fitting.next().map(|(_, hint)| *hint)
}
