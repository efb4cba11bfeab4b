//! Containers that end.

use super::messages::{has, short};
use crate::cause::Cause;
use crate::facts::{Container, Facts, Pod};
use crate::finding::Draft;

pub(super) fn find(facts: &Facts<'_>, drafts: &mut Vec<Draft>) {
    for pod in facts.pods.iter().filter(|pod| !pod.is_deleting()) {
        for container in pod.containers() {
            drafts.extend(of_container(facts, pod, &container));
        }
        let is_looping = matches!(
            pod.status(),
            "CrashLoopBackOff"
                | "Error"
                | "OOMKilled"
                | "RunContainerError"
                | "Init:CrashLoopBackOff"
                | "Init:Error"
                | "StartError"
                | "ContainerCannotRun"
                | "Failed"
        );
        if is_looping
            && pod
                .containers()
                .iter()
                .all(|container| container.status.is_null())
        {
            drafts.push(by_status(facts, pod));
        }
    }
    for event in facts
        .events
        .iter()
        .filter(|event| matches!(event.reason, "OOMKilling" | "OOMKilled" | "SystemOOM"))
    {
        if !facts.is_over(event) {
            let object = facts.owner_of(&event.about);
            let sentence = format!(
                "The kernel killed a process of {object} because memory ran out: {}.",
                short(event.message)
            );
            drafts.push(
                Draft::new(Cause::OutOfMemory, object, sentence)
                    .affecting(event.about.clone())
                    .shown_by(event.source, event.message),
            );
        }
    }
    for event in facts
        .current("BackOff")
        .filter(|event| event.message.contains("restarting failed container"))
    {
        if facts
            .pod(&event.about.namespace, &event.about.name)
            .is_none()
        {
            let object = facts.owner_of(&event.about);
            let cause = match has(event.message, &["oomkilled", "exit code: 137"]) {
                true => Cause::OutOfMemory,
                false => Cause::CrashLoop,
            };
            let sentence = format!(
                "{} restarts again and again (CrashLoopBackOff).",
                event.about
            );
            drafts.push(
                Draft::new(cause, object, sentence)
                    .affecting(event.about.clone())
                    .shown_by(event.source, event.message),
            );
        }
    }
}

fn of_container(facts: &Facts<'_>, pod: &Pod<'_>, container: &Container<'_>) -> Option<Draft> {
    let (waiting, told) = container.waiting().unwrap_or_default();
    let exit = container.exit();
    let reason = exit.map_or("", |exit| exit.reason);
    let code = exit.and_then(|exit| exit.code);
    let is_failing = !pod.is_healthy();
    let out_of_memory = reason == "OOMKilled" || told.contains("OOMKilled");
    let object = facts.owner(pod);
    let name = container.name();
    let id = pod.object.id.clone();
    let limit = container
        .spec
        .pointer("/resources/limits/memory")
        .and_then(|limit| limit.as_str());
    let limit = limit.map_or(String::new(), |limit| format!(" of {limit}"));
    let exited = code.map_or(String::new(), |code| format!(", exit code {code}"));
    let message = match told {
        "" => exit.map_or("", |exit| exit.message),
        told => told,
    };
    let cannot_start = [
        "RunContainerError",
        "CreateContainerError",
        "StartError",
        "ContainerCannotRun",
    ];
    let draft = match () {
        () if out_of_memory && (is_failing || container.restarts() >= 3) => {
            let sentence = format!(
                "Container `{name}` of {id} is out of memory: it reaches its memory limit{limit} and is killed (OOMKilled{exited}, {} restarts).",
                container.restarts()
            );
            Draft::new(Cause::OutOfMemory, object, sentence).shown_by(pod.proof().0, "OOMKilled")
        }
        () if !is_failing => return None,
        () if code == Some(127)
            || code == Some(126)
            || cannot_start.contains(&waiting)
            || cannot_start.contains(&reason) =>
        {
            let sentence = format!(
                "Container `{name}` of {id} can't run its command ({}{exited}): {}.",
                first(waiting, reason),
                short(message)
            );
            let draft = Draft::new(Cause::BadCommand, object, sentence);
            draft.shown_by(
                pod.proof().0,
                if message.is_empty() {
                    "Exit Code"
                } else {
                    message
                },
            )
        }
        () if waiting == "CrashLoopBackOff"
            || (code.is_some_and(|code| code != 0) && container.restarts() > 0)
            || reason == "Error" =>
        {
            let sentence = format!(
                "Container `{name}` of {id} ends again and again (CrashLoopBackOff): last {}{exited}, {} restarts.",
                first(reason, "end"),
                container.restarts()
            );
            Draft::new(Cause::CrashLoop, object, sentence)
                .shown_by(pod.proof().0, first(waiting, reason))
        }
        () => return None,
    };
    let (source, shown) = pod.proof();
    Some(
        draft
            .affecting(id)
            .on_node(pod.node())
            .shown_by(source, &shown),
    )
}

/// A pod of which only the status is known.
fn by_status(facts: &Facts<'_>, pod: &Pod<'_>) -> Draft {
    let id = pod.object.id.clone();
    let cause = match pod.status() {
        "OOMKilled" => Cause::OutOfMemory,
        "RunContainerError" | "StartError" | "ContainerCannotRun" => Cause::BadCommand,
        _ => Cause::CrashLoop,
    };
    let sentence = format!(
        "{id} is in status {} after {} restarts.",
        pod.status(),
        pod.restarts()
    );
    let (source, shown) = pod.proof();
    Draft::new(cause, facts.owner(pod), sentence)
        .affecting(id)
        .on_node(pod.node())
        .shown_by(source, &shown)
}

fn first<'t>(one: &'t str, other: &'t str) -> &'t str {
    match one {
        "" => other,
        one => one,
    }
}
