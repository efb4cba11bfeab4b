//! Recognises images that can't be pulled.

use super::messages::{first, has, quoted, reported};
use super::words::{self, IMAGES, WORDS, is_in};
use crate::cause::Cause;
use crate::cluster::{Cluster, Event};
use crate::finding::{Draft, ObjectRef};

pub(super) fn find(cluster: &Cluster, drafts: &mut Vec<Draft>) {
    for pod in cluster.failing() {
        let waiting = pod.containers().into_iter().find_map(|container| {
            let (reason, message) = container.waiting()?;
            let is_waiting = is_in(&WORDS.pull_reasons, reason) || is_pull(message);
            is_waiting.then_some((reason, message, container.text("/image")))
        });
        let mut reasons = WORDS.pull_reasons.iter();
        let is_shown = reasons.any(|reason| pod.status().ends_with(reason));
        let events = cluster.events.iter();
        let events: Vec<&Event> = events
            .filter(|event| event.about.name == pod.id.name && is_pull(&event.message))
            .collect();
        if waiting.is_none() && !is_shown && (events.is_empty() || pod.status() == "Running") {
            continue;
        }
        let (status, message, image) = waiting.unwrap_or((pod.status(), "", ""));
        // The longest message states the reason; the others report only that the pod waits.
        let told = events.iter().map(|event| event.message.as_str());
        let told = told.chain([message]).max_by_key(|text| text.len());
        let told = told.unwrap_or_default();
        let draft = draft(cluster.owner(pod), status, first(image, quoted(told)), told);
        let draft = events.into_iter().fold(draft, |draft, event| {
            draft.shown_by(event.source, &event.message)
        });
        drafts.push(draft.shown_by_object(pod));
    }
    // Events about pods that are not known.
    let reasons = ["Failed", "BackOff", "FailedToRetrieveImagePullSecret"];
    for event in reasons.iter().flat_map(|reason| cluster.current(reason)) {
        let (about, message) = (&event.about, event.message.as_str());
        if is_pull(message) && cluster.pod(about).is_none() {
            let owner = cluster.owner_of(about);
            let draft = draft(owner, "ErrImagePull", quoted(message), message);
            let weight = i32::try_from(message.len().min(200)).unwrap_or(0) / 40;
            drafts.push(draft.shown_by_event(event).weighing(weight - 5));
        }
    }
}

fn is_pull(message: &str) -> bool {
    has(message, &WORDS.pulls)
        && !message.starts_with("Pulling image")
        && !message.starts_with("Successfully pulled")
}

fn draft(object: ObjectRef, status: &str, image: &str, told: &str) -> Draft {
    let (cause, why) = match words::find(&IMAGES, told) {
        _ if status == "InvalidImageName" => (Cause::ImageNameInvalid, "its name is malformed"),
        Some(row) => (row.cause, row.text),
        None => (
            Cause::ImageNotFound,
            "the image or its tag is probably wrong",
        ),
    };
    let image = match image {
        "" => "an image".to_owned(),
        image => format!("image `{image}`"),
    };
    let reported = reported(told);
    let sentence = format!(
        "{object} can't start because {image} can't be pulled ({status}): {why}.{reported}"
    );
    Draft::new(cause, object, sentence)
}
