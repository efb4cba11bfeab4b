//! Images that can't be pulled.

use super::messages::{has, quoted, short};
use crate::cause::Cause;
use crate::facts::Facts;
use crate::finding::Draft;

const WAITING: [&str; 5] = [
    "ImagePullBackOff",
    "ErrImagePull",
    "InvalidImageName",
    "ErrImageNeverPull",
    "ImageInspectError",
];

pub(super) fn find(facts: &Facts<'_>, drafts: &mut Vec<Draft>) {
    for pod in facts
        .pods
        .iter()
        .filter(|pod| !pod.is_healthy() && !pod.is_deleting())
    {
        let id = &pod.object.id;
        let containers = pod.containers();
        let waiting = containers.iter().find_map(|container| {
            let (reason, message) = container.waiting()?;
            (WAITING.contains(&reason) || is_pull(message)).then_some((
                reason,
                message,
                container.image(),
            ))
        });
        let is_shown = WAITING.iter().any(|reason| pod.status().ends_with(reason));
        let events: Vec<_> = facts
            .events
            .iter()
            .filter(|event| event.about.name == id.name && is_pull(event.message))
            .collect();
        if waiting.is_none() && !is_shown && (events.is_empty() || pod.status() == "Running") {
            continue;
        }
        // The longest message says why; the others only that it waits.
        let told = events.iter().map(|event| event.message);
        let told = told
            .chain(waiting.map(|(_, message, _)| message))
            .max_by_key(|text| text.len())
            .unwrap_or("");
        let image = waiting
            .map(|(_, _, image)| image)
            .filter(|image| !image.is_empty());
        let image = image.or_else(|| quoted(told)).unwrap_or("");
        let status = waiting.map_or(pod.status(), |(reason, _, _)| reason);
        let mut draft = draft(facts.owner(pod), status, image, told).affecting(id.clone());
        for event in events {
            draft = draft.shown_by(event.source, event.message);
        }
        let (source, name) = pod.proof();
        drafts.push(draft.shown_by(source, &name));
    }
    // Events without the pods they are about.
    for event in facts
        .current("Failed")
        .chain(facts.current("BackOff"))
        .chain(facts.current("FailedToRetrieveImagePullSecret"))
    {
        if is_pull(event.message)
            && facts
                .pod(&event.about.namespace, &event.about.name)
                .is_none()
        {
            let image = quoted(event.message).unwrap_or("");
            let owner = facts.owner_of(&event.about);
            let weight = i32::try_from(event.message.len().min(200)).unwrap_or(0) / 40;
            let draft =
                draft(owner, "ErrImagePull", image, event.message).affecting(event.about.clone());
            drafts.push(
                draft
                    .shown_by(event.source, event.message)
                    .weighing(weight - 5),
            );
        }
    }
}

fn is_pull(message: &str) -> bool {
    has(
        message,
        &[
            "failed to pull image",
            "pulling image",
            "errimagepull",
            "imagepullbackoff",
            "image pull secret",
            "invalidimagename",
        ],
    ) && !message.starts_with("Pulling image")
        && !message.starts_with("Successfully pulled")
}

fn draft(object: crate::finding::ObjectRef, status: &str, image: &str, told: &str) -> Draft {
    let (cause, why) = match () {
        () if status == "InvalidImageName" => (Cause::ImageNameInvalid, "its name is malformed"),
        () if has(told, &["no matching manifest", "no match for platform"]) => (
            Cause::ImageNotFound,
            "it does not exist for the platform of the node",
        ),
        () if has(
            told,
            &[
                "no such host",
                "dial tcp",
                "i/o timeout",
                "connection refused",
                "server misbehaving",
                "tls handshake",
            ],
        ) =>
        {
            (Cause::RegistryUnreachable, "its registry can't be reached")
        }
        // Docker Hub answers so for images that do not exist.
        () if has(told, &["repository does not exist"]) && !has(told, &["pull secret"]) => (
            Cause::ImageNotFound,
            "the repository does not exist or needs credentials",
        ),
        () if has(
            told,
            &[
                "unauthorized",
                "authentication required",
                "access denied",
                "denied:",
                "forbidden",
                "no basic auth",
                "authorization failed",
                "pull secret",
            ],
        ) =>
        {
            (
                Cause::ImagePullDenied,
                "the registry denies it: credentials are missing or wrong",
            )
        }
        () if has(told, &["manifest", "not found", "notfound"]) => (
            Cause::ImageNotFound,
            "the registry has no such image or tag (manifest not found)",
        ),
        () => (
            Cause::ImageNotFound,
            "the image or its tag is probably wrong",
        ),
    };
    let image = match image {
        "" => "an image".to_owned(),
        image => format!("image `{image}`"),
    };
    let sentence = format!(
        "{object} can't start because {image} can't be pulled ({status}): {why}.{}",
        kubernetes_reports(told)
    );
    Draft::new(cause, object, sentence)
}

fn kubernetes_reports(told: &str) -> String {
    match told {
        "" => String::new(),
        told => format!(" Kubernetes reports: {}.", short(told)),
    }
}
