//! Recognises containers that crash, run out of memory or can't run their command.

use super::messages::{first, short, within};
use super::words::{WORDS, is_in};
use crate::cause::Cause;
use crate::cluster::{Cluster, Object};
use crate::facts::Container;
use crate::fields::Fields;
use crate::finding::Draft;

pub(super) fn find(cluster: &Cluster, drafts: &mut Vec<Draft>) {
    for pod in cluster.pods().filter(|pod| !pod.is_deleting()) {
        let containers = pod.containers();
        let found = containers.iter().filter_map(|of| of_container(pod, of));
        let has_no_state = containers.iter().all(|of| of.status.is_null());
        let is_looping = has_no_state && is_in(&WORDS.looping, pod.status());
        let found = found.chain(is_looping.then(|| by_status(pod)));
        drafts.extend(found.map(|(cause, sentence, shown)| {
            Draft::new(cause, cluster.owner(pod), sentence)
                .shown_by(pod.source, shown)
                .shown_by_object(pod)
                .on_node(pod.node())
        }));
    }
}

/// Returns the cause why a container ends, a sentence about it, and the text that shows it in the result.
fn of_container<'c>(pod: &Object, container: &Container<'c>) -> Option<(Cause, String, &'c str)> {
    let (waiting, told) = container.waiting().unwrap_or_default();
    let exit = container.exit();
    let reason = exit.map_or("", |exit| exit.text("/reason"));
    let code = exit.and_then(|exit| exit.number("/exitCode"));
    let exited = code.map_or(String::new(), |code| format!(", exit code {code}"));
    let (id, name) = (&pod.id, container.text("/name"));
    let restarts = container.restarts();
    let is_failing = !pod.is_healthy();
    let out_of_memory = reason == "OOMKilled" || told.contains("OOMKilled");
    let cannot_start = matches!(code, Some(126 | 127))
        || is_in(&WORDS.cannot_start, waiting)
        || is_in(&WORDS.cannot_start, reason);
    let ends = waiting == "CrashLoopBackOff"
        || code.is_some_and(|code| code != 0) && restarts > 0
        || reason == "Error";
    Some(if out_of_memory && (is_failing || restarts >= 3) {
        let limit = container.spec.text("/resources/limits/memory");
        let limit = within(" of ", limit, "");
        let sentence = format!(
            "Container `{name}` of {id} is out of memory: it reaches its memory limit{limit} and is killed (OOMKilled{exited}, {restarts} restarts)."
        );
        (Cause::OutOfMemory, sentence, "OOMKilled")
    } else if is_failing && cannot_start {
        let message = first(told, exit.map_or("", |exit| exit.text("/message")));
        let sentence = format!(
            "Container `{name}` of {id} can't run its command ({}{exited}): {}.",
            first(waiting, reason),
            short(message)
        );
        (Cause::BadCommand, sentence, first(message, "Exit Code"))
    } else if is_failing && ends {
        let sentence = format!(
            "Container `{name}` of {id} ends again and again (CrashLoopBackOff): last {}{exited}, {restarts} restarts.",
            first(reason, "end")
        );
        (Cause::CrashLoop, sentence, first(waiting, reason))
    } else {
        return None;
    })
}

/// Returns the same for a pod of which only the status is known.
fn by_status<'c>(pod: &Object) -> (Cause, String, &'c str) {
    let (id, status, restarts) = (&pod.id, pod.status(), pod.restarts());
    let cause = match status {
        "OOMKilled" => Cause::OutOfMemory,
        "RunContainerError" | "StartError" | "ContainerCannotRun" => Cause::BadCommand,
        _ => Cause::CrashLoop,
    };
    let sentence = format!("{id} is in status {status} after {restarts} restarts.");
    (cause, sentence, "")
}
