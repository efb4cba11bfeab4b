//! Containers that end.

use super::messages::{has, short};
use crate::cause::Cause;
use crate::facts::{Container, Facts, Pod};
use crate::finding::Draft;

/// Statuses of pods whose containers end, where nothing more is known of them.
const LOOPING: [&str; 9] = [
    "CrashLoopBackOff",
    "Error",
    "OOMKilled",
    "RunContainerError",
    "Init:CrashLoopBackOff",
    "Init:Error",
    "StartError",
    "ContainerCannotRun",
    "Failed",
];
/// Reasons of containers that don't start.
const CANNOT_START: [&str; 4] = [
    "RunContainerError",
    "CreateContainerError",
    "StartError",
    "ContainerCannotRun",
];

pub(super) fn find(facts: &Facts<'_>, drafts: &mut Vec<Draft>) {
    for pod in facts.pods.iter().filter(|pod| !pod.is_deleting()) {
        let containers = pod.containers();
        let found = containers.iter().filter_map(|of| of_container(pod, of));
        let has_no_state = containers.iter().all(|of| of.status.is_null());
        let by_status = || by_status(pod);
        let is_looping = has_no_state && LOOPING.contains(&pod.status());
        let found = found.chain(is_looping.then(by_status));
        drafts.extend(found.map(|(cause, sentence, shown)| {
            Draft::new(cause, facts.owner(pod), sentence)
                .shown_by(pod.object.source(), shown)
                .seen_at(pod)
                .on_node(pod.node())
        }));
    }
    for event in &facts.events {
        if matches!(event.reason, "OOMKilling" | "OOMKilled" | "SystemOOM") && !facts.is_over(event)
        {
            let (object, message) = (facts.owner_of(&event.about), short(event.message));
            let sentence = format!(
                "The kernel killed a process of {object} because memory ran out: {message}."
            );
            drafts.push(Draft::new(Cause::OutOfMemory, object, sentence).told_by(event));
        }
    }
    for event in facts.current("BackOff") {
        let about = &event.about;
        if event.message.contains("restarting failed container")
            && facts.pod(&about.namespace, &about.name).is_none()
        {
            let cause = match has(event.message, &["oomkilled", "exit code: 137"]) {
                true => Cause::OutOfMemory,
                false => Cause::CrashLoop,
            };
            let sentence = format!("{about} restarts again and again (CrashLoopBackOff).");
            drafts.push(Draft::new(cause, facts.owner_of(about), sentence).told_by(event));
        }
    }
}

/// Why a container ends, in a sentence, and what shows it.
fn of_container<'c>(pod: &Pod<'c>, container: &Container<'c>) -> Option<(Cause, String, &'c str)> {
    let (waiting, told) = container.waiting().unwrap_or_default();
    let exit = container.exit();
    let reason = exit.map_or("", |exit| exit.reason);
    let code = exit.and_then(|exit| exit.code);
    let exited = code.map_or(String::new(), |code| format!(", exit code {code}"));
    let (id, name) = (&pod.object.id, container.name());
    let restarts = container.restarts();
    let is_failing = !pod.is_healthy();
    let out_of_memory = reason == "OOMKilled" || told.contains("OOMKilled");
    let cannot_start = matches!(code, Some(126 | 127))
        || CANNOT_START.contains(&waiting)
        || CANNOT_START.contains(&reason);
    let ends = waiting == "CrashLoopBackOff"
        || code.is_some_and(|code| code != 0) && restarts > 0
        || reason == "Error";
    Some(match () {
        () if out_of_memory && (is_failing || restarts >= 3) => {
            let limit = container.spec.pointer("/resources/limits/memory");
            let limit = limit.and_then(|limit| limit.as_str());
            let limit = limit.map_or(String::new(), |limit| format!(" of {limit}"));
            let sentence = format!(
                "Container `{name}` of {id} is out of memory: it reaches its memory limit{limit} and is killed (OOMKilled{exited}, {restarts} restarts)."
            );
            (Cause::OutOfMemory, sentence, "OOMKilled")
        }
        () if is_failing && cannot_start => {
            let message = first(told, exit.map_or("", |exit| exit.message));
            let sentence = format!(
                "Container `{name}` of {id} can't run its command ({}{exited}): {}.",
                first(waiting, reason),
                short(message)
            );
            (Cause::BadCommand, sentence, first(message, "Exit Code"))
        }
        () if is_failing && ends => {
            let sentence = format!(
                "Container `{name}` of {id} ends again and again (CrashLoopBackOff): last {}{exited}, {restarts} restarts.",
                first(reason, "end")
            );
            (Cause::CrashLoop, sentence, first(waiting, reason))
        }
        () => return None,
    })
}

/// A pod of which only the status is known.
fn by_status<'c>(pod: &Pod<'c>) -> (Cause, String, &'c str) {
    let status = pod.status();
    let cause = match status {
        "OOMKilled" => Cause::OutOfMemory,
        "RunContainerError" | "StartError" | "ContainerCannotRun" => Cause::BadCommand,
        _ => Cause::CrashLoop,
    };
    let (id, restarts) = (&pod.object.id, pod.restarts());
    let sentence = format!("{id} is in status {status} after {restarts} restarts.");
    (cause, sentence, "")
}

fn first<'t>(one: &'t str, other: &'t str) -> &'t str {
    match one {
        "" => other,
        one => one,
    }
}
