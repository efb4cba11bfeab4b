//! Quotas and limits of a namespace that keep pods from being made.

use super::messages::{between, has, short};
use crate::cause::Cause;
use crate::facts::{Facts, text};
use crate::finding::{Draft, ObjectRef};

pub(super) fn find(facts: &Facts<'_>, drafts: &mut Vec<Draft>) {
    for event in &facts.events {
        if !facts.is_over(event) {
            let owner = facts.owner_of(&event.about);
            let found = explain(event.message, owner);
            drafts.extend(found.map(|draft| {
                draft
                    .affecting(event.about.clone())
                    .shown_by(event.source, event.message)
            }));
        }
    }
    for workload in &facts.workloads {
        for condition in workload.failures() {
            let message = text(condition, "/message");
            let found = explain(message, facts.owner_of(&workload.object.id));
            drafts.extend(found.map(|draft| draft.shown_by(workload.source(), message)));
        }
    }
    for (number, source) in facts.cluster.sources.iter().enumerate() {
        let hints = source.hints();
        for line in source
            .text
            .lines()
            .filter(|_| hints.is_log)
            .filter(|line| line.contains("exceeded quota:"))
            .take(1)
        {
            let from = ObjectRef::new("Namespace", "", hints.namespace);
            drafts.extend(
                explain(line, from).map(|draft| draft.shown_by(number, line).weighing(-10)),
            );
        }
    }
}

fn explain(message: &str, owner: ObjectRef) -> Option<Draft> {
    let namespace = match owner.kind.as_str() {
        "Namespace" => owner.name.clone(),
        _ => owner.namespace.clone(),
    };
    if has(message, &["exceeded quota:", "failed quota:"]) {
        let after = message
            .split_once("exceeded quota: ")
            .or_else(|| message.split_once("failed quota: "))
            .map_or("", |(_, rest)| rest);
        let name = after.split([',', ':', ' ']).next().unwrap_or_default();
        let object = match name {
            "" => ObjectRef::new("Namespace", "", &namespace),
            name => ObjectRef::new("ResourceQuota", &namespace, name),
        };
        let sentence = format!(
            "{object} of namespace {namespace} is exhausted (quota exceeded), so {owner} can't create its pods: {}.",
            short(message)
        );
        return Some(
            Draft::new(Cause::QuotaExceeded, object, sentence)
                .affecting(owner)
                .weighing(8),
        );
    }
    let is_limit = has(
        message,
        &[
            "usage per container is",
            "usage per pod is",
            "maximum cpu",
            "minimum memory",
            "violates podsecurity",
            "is forbidden: unable to validate against any",
        ],
    );
    let denied =
        between(message, "admission webhook \"", "\"").filter(|_| message.contains("denied"));
    let sentence = match denied {
        Some(webhook) => format!(
            "Admission webhook `{webhook}` denies what {owner} needs: {}.",
            short(message)
        ),
        None if is_limit => format!(
            "An admission rule of namespace {namespace} rejects the pods of {owner}: {}.",
            short(message)
        ),
        None => return None,
    };
    Some(Draft::new(Cause::AdmissionDenied, owner, sentence))
}
