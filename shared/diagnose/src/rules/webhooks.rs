//! Admission webhooks that can't be called, and autoscalers without metrics.

use super::messages::{between, short};
use crate::cause::Cause;
use crate::facts::Facts;
use crate::finding::{Draft, ObjectRef};

/// Events of autoscalers without metrics.
const NO_METRICS: [&str; 4] = [
    "FailedGetResourceMetric",
    "FailedComputeMetricsReplicas",
    "FailedGetPodsMetric",
    "FailedGetExternalMetric",
];

pub(super) fn find(facts: &Facts<'_>, drafts: &mut Vec<Draft>) {
    for complaint in facts.complaints() {
        if complaint.message.contains("failed calling webhook") {
            let owner = facts.owner_of(complaint.about);
            drafts.push(webhook(complaint.message, owner).complained_of(&complaint));
        }
    }
    for event in &facts.events {
        if NO_METRICS.contains(&event.reason) {
            let (about, message) = (event.about.clone(), short(event.message));
            let sentence = format!("{about} can't scale because it gets no metrics: {message}.");
            let draft = Draft::new(Cause::AutoscalerMetrics, about, sentence);
            drafts.push(draft.told_by(event));
        }
    }
}

fn webhook(message: &str, owner: ObjectRef) -> Draft {
    let name =
        between(message, "failed calling webhook \"", "\"").unwrap_or("an admission webhook");
    let object = ObjectRef::new("ValidatingWebhookConfiguration", "", name);
    let sentence = format!(
        "Admission webhook `{name}` can't be called, so {owner} can't create its pods: {}.",
        short(message)
    );
    let host = between(message, "https://", "/")
        .map(|host| host.split(['.', ':']).next().unwrap_or_default().to_owned());
    Draft::new(Cause::WebhookUnavailable, object, sentence)
        .affecting(owner)
        .waiting_for(host)
}
