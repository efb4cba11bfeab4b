//! Probes that fail.

use super::messages::{has, short};
use crate::cause::Cause;
use crate::facts::{Container, Facts, Pod};
use crate::finding::Draft;

/// Word in events, field of a container, cause.
const PROBES: [(&str, &str, Cause); 3] = [
    ("Liveness", "livenessProbe", Cause::LivenessProbe),
    ("Readiness", "readinessProbe", Cause::ReadinessProbe),
    ("Startup", "startupProbe", Cause::StartupProbe),
];

pub(super) fn find(facts: &Facts<'_>, drafts: &mut Vec<Draft>) {
    for event in facts.events.iter().filter(|event| {
        has(
            event.message,
            &[
                "probe failed",
                "probe errored",
                "liveness probe",
                "readiness probe",
            ],
        )
    }) {
        let Some((word, field, cause)) = PROBES
            .into_iter()
            .find(|(word, _, _)| has(event.message, &[&word.to_ascii_lowercase()]))
        else {
            continue;
        };
        let pod = facts.pod(&event.about.namespace, &event.about.name);
        // A container that is restarted is ready for a while, again and again.
        let returns = pod.is_some_and(|pod| {
            pod.restarts() >= 3 && event.count >= 3 && cause != Cause::ReadinessProbe
        });
        if facts.is_over(event) && !returns {
            continue;
        }
        let owner = facts.owner_of(&event.about);
        let containers = containers(facts, pod, &owner);
        let container = containers
            .iter()
            .find(|container| container.probe(field).is_some());
        let mut sentence = format!(
            "The {} probe of {} fails: {}.",
            word.to_ascii_lowercase(),
            event.about,
            short(event.message)
        );
        let mismatch = container.and_then(|container| mismatch(container, field));
        let hint = mismatch.clone().or_else(|| hint(event.message));
        if let Some(hint) = hint {
            sentence.push_str(&format!(" {hint}."));
        }
        // A probe can't succeed in a container that ends by itself.
        let ends = pod.is_some_and(|pod| {
            pod.containers()
                .iter()
                .filter_map(Container::exit)
                .any(|exit| {
                    !matches!(exit.code, Some(0 | 137 | 143) | None) || exit.reason == "OOMKilled"
                })
        });
        let weight = match (mismatch.is_some(), ends) {
            (true, _) => 12,
            (false, true) => -40,
            (false, false) => 0,
        };
        let draft = Draft::new(cause, owner, sentence)
            .affecting(event.about.clone())
            .shown_by(event.source, event.message);
        drafts.push(
            draft
                .weighing(weight)
                .on_node(pod.map_or("", |pod| pod.node())),
        );
    }
    // Without events: a probe of a port that the container does not declare.
    for pod in facts
        .pods
        .iter()
        .filter(|pod| !pod.is_healthy() && !pod.is_deleting() && pod.status() == "Running")
    {
        let owner = facts.owner(pod);
        for container in containers(facts, Some(pod), &owner) {
            for (word, field, cause) in PROBES {
                if let Some(why) = mismatch(&container, field) {
                    let sentence = format!(
                        "The {} probe of {} can't succeed. {why}.",
                        word.to_ascii_lowercase(),
                        pod.object.id
                    );
                    let (source, name) = pod.proof();
                    drafts.push(
                        Draft::new(cause, owner.clone(), sentence)
                            .affecting(pod.object.id.clone())
                            .shown_by(source, field)
                            .shown_by(source, &name),
                    );
                }
            }
        }
    }
}

/// Containers of the pod, or of the template of its owner, if that shows more.
fn containers<'c>(
    facts: &Facts<'c>,
    pod: Option<&Pod<'c>>,
    owner: &crate::finding::ObjectRef,
) -> Vec<Container<'c>> {
    let own = pod.map(Pod::containers).unwrap_or_default();
    match own.iter().all(|container| container.spec.is_null()) {
        true => facts
            .workload_of(owner)
            .map(|workload| workload.containers())
            .unwrap_or_default(),
        false => own,
    }
}

/// What of a probe does not fit the container.
fn mismatch(container: &Container<'_>, field: &str) -> Option<String> {
    let (port, _, _) = container.probe(field)?;
    let ports = container.ports();
    let fits = ports
        .iter()
        .any(|(name, number, _)| *name == port || number.to_string() == port);
    let all: Vec<String> = ports
        .iter()
        .map(|(_, number, _)| number.to_string())
        .collect();
    (!port.is_empty() && !ports.is_empty() && !fits).then(|| {
        format!(
            "It asks port {port}, but container `{}` declares port {}",
            container.name(),
            all.join(", ")
        )
    })
}

/// What a failure's message points to.
fn hint(message: &str) -> Option<String> {
    let hint = match () {
        () if has(
            message,
            &[
                "https client",
                "malformed http",
                "tls: first record",
                "x509",
                "http request to an https",
            ],
        ) =>
        {
            "The scheme or protocol of the probe is wrong"
        }
        () if has(message, &["statuscode: 404", "404"]) => "The path of the probe does not exist",
        () if has(message, &["connection refused"]) => {
            "No process listens on the port of the probe"
        }
        () if has(message, &["deadline exceeded", "timeout", "timed out"]) => {
            "The application answers too slowly, or the timeout of the probe is too short"
        }
        () if has(message, &["statuscode: 5"]) => {
            "The application itself reports that it is unhealthy"
        }
        () => return None,
    };
    Some(hint.to_owned())
}
