//! Admission webhooks that can't be called, and autoscalers without metrics.

use super::messages::{between, short};
use crate::cause::Cause;
use crate::facts::{Facts, text};
use crate::finding::{Draft, ObjectRef};

pub(super) fn find(facts: &Facts<'_>, drafts: &mut Vec<Draft>) {
    for event in facts
        .events
        .iter()
        .filter(|event| event.message.contains("failed calling webhook"))
    {
        if !facts.is_over(event) {
            let draft = webhook(event.message, facts.owner_of(&event.about));
            drafts.push(
                draft
                    .affecting(event.about.clone())
                    .shown_by(event.source, event.message),
            );
        }
    }
    for workload in &facts.workloads {
        for condition in workload
            .failures()
            .filter(|condition| text(condition, "/message").contains("failed calling webhook"))
        {
            let message = text(condition, "/message");
            drafts.push(
                webhook(message, workload.object.id.clone()).shown_by(workload.source(), message),
            );
        }
    }
    for event in facts.events.iter().filter(|event| {
        matches!(
            event.reason,
            "FailedGetResourceMetric"
                | "FailedComputeMetricsReplicas"
                | "FailedGetPodsMetric"
                | "FailedGetExternalMetric"
        )
    }) {
        let sentence = format!(
            "{} can't scale because it gets no metrics: {}.",
            event.about,
            short(event.message)
        );
        drafts.push(
            Draft::new(Cause::AutoscalerMetrics, event.about.clone(), sentence)
                .shown_by(event.source, event.message),
        );
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
