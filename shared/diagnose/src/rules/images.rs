//! Images that can't be pulled.

use super::messages::{has, quoted, reported};
use super::words::{self, IMAGES};
use crate::cause::Cause;
use crate::facts::Facts;
use crate::finding::{Draft, ObjectRef};

const WAITING: [&str; 5] = [
    "ImagePullBackOff",
    "ErrImagePull",
    "InvalidImageName",
    "ErrImageNeverPull",
    "ImageInspectError",
];

/// Words of pulls.
const PULL: [&str; 6] = [
    "failed to pull image",
    "pulling image",
    "errimagepull",
    "imagepullbackoff",
    "image pull secret",
    "invalidimagename",
];

pub(super) fn find(facts: &Facts<'_>, drafts: &mut Vec<Draft>) {
    for pod in facts.failing() {
        let waiting = pod.containers().into_iter().find_map(|container| {
            let (reason, message) = container.waiting()?;
            let is_waiting = WAITING.contains(&reason) || is_pull(message);
            is_waiting.then_some((reason, message, container.image()))
        });
        let is_shown = WAITING.iter().any(|reason| pod.status().ends_with(reason));
        let events: Vec<_> = facts
            .events
            .iter()
            .filter(|event| event.about.name == pod.object.id.name && is_pull(event.message))
            .collect();
        if waiting.is_none() && !is_shown && (events.is_empty() || pod.status() == "Running") {
            continue;
        }
        let (status, message, image) = waiting.unwrap_or((pod.status(), "", ""));
        // The longest message says why; the others only that it waits.
        let told = events.iter().map(|event| event.message);
        let told = told.chain([message]).max_by_key(|text| text.len());
        let told = told.unwrap_or_default();
        let image = match image {
            "" => quoted(told).unwrap_or_default(),
            image => image,
        };
        let mut draft = draft(facts.owner(pod), status, image, told);
        for event in events {
            draft = draft.shown_by(event.source, event.message);
        }
        drafts.push(draft.seen_at(pod));
    }
    // Events without the pods they are about.
    let reasons = ["Failed", "BackOff", "FailedToRetrieveImagePullSecret"];
    for event in reasons.iter().flat_map(|reason| facts.current(reason)) {
        let about = &event.about;
        if is_pull(event.message) && facts.pod(&about.namespace, &about.name).is_none() {
            let image = quoted(event.message).unwrap_or_default();
            let draft = draft(facts.owner_of(about), "ErrImagePull", image, event.message);
            let weight = i32::try_from(event.message.len().min(200)).unwrap_or(0) / 40;
            drafts.push(draft.told_by(event).weighing(weight - 5));
        }
    }
}

fn is_pull(message: &str) -> bool {
    has(message, &PULL)
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
