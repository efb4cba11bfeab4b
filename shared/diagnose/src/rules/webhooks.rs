//! Recognises admission webhooks that can't be called, and autoscalers without metrics.

use super::messages::{between, short};
use super::words::{WORDS, is_in};
use crate::cause::Cause;
use crate::cluster::Cluster;
use crate::finding::{Draft, ObjectRef};

pub(super) fn find(cluster: &Cluster, drafts: &mut Vec<Draft>) {
    for complaint in cluster.complaints() {
        if complaint.message.contains("failed calling webhook") {
            let owner = cluster.owner_of(&complaint.about);
            drafts.push(webhook(&complaint.message, owner).shown_by_event(&complaint));
        }
    }
    for event in &cluster.events {
        if is_in(&WORDS.no_metrics, &event.reason) {
            let (about, message) = (event.about.clone(), short(&event.message));
            let sentence = format!("{about} can't scale because it gets no metrics: {message}.");
            let draft = Draft::new(Cause::AutoscalerMetrics, about, sentence);
            drafts.push(draft.shown_by_event(event));
        }
    }
}

fn webhook(message: &str, owner: ObjectRef) -> Draft {
    let name = between(message, "failed calling webhook \"", "\"");
    let name = name.unwrap_or("an admission webhook");
    let object = ObjectRef::new("ValidatingWebhookConfiguration", "", name);
    let sentence = format!(
        "Admission webhook `{name}` can't be called, so {owner} can't create its pods: {}.",
        short(message)
    );
    Draft::new(Cause::WebhookUnavailable, object, sentence)
        .affecting(owner)
        .waiting_for(between(message, "https://", "/").map(str::to_owned))
}
