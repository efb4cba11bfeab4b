//! GitHub: pushes, deployments and releases. The kind of event is taken from the body, because the
//! header that names it is not signed.

use serde_json::Value;

use super::draft::Draft;
use super::path::{at, first};
use super::push::Push;

/// Returns the change of an event, if it is one.
pub(super) fn draft(payload: &Value, branches: &[String]) -> Option<Draft> {
    if payload["deployment_status"].is_object() {
        return deployed(payload);
    }
    if payload["deployment"].is_object() {
        return deployment(payload);
    }
    if payload["release"].is_object() {
        return release(payload);
    }
    let push = Push {
        repository: at(payload, "repository.full_name")?,
        reference: payload["ref"].as_str()?,
        default_branch: at(payload, "repository.default_branch"),
        before: at(payload, "before")?,
        after: at(payload, "after")?,
        message: at(payload, "head_commit.message"),
        commits: payload["commits"]
            .as_array()
            .map_or(0, |commits| commits.len() as u64),
        draft: Draft {
            time: at(payload, "repository.pushed_at"),
            service: at(payload, "repository.name"),
            author: first(payload, &["pusher.name", "sender.login"]),
            link: first(payload, &["compare", "head_commit.url"]),
            ..Draft::default()
        },
    };
    push.draft(branches)
}

/// Returns the change of a deployment that begins.
fn deployment(payload: &Value) -> Option<Draft> {
    let is_new = payload["action"] == "created" || payload["action"].is_null();
    let id = at(payload, "deployment.id").filter(|_| is_new)?;
    let (what, place) = deployed_what(payload);
    Some(Draft {
        id: Some(format!("deployment:{id}")),
        time: at(payload, "deployment.created_at"),
        title: Some(format!("Deploying {what} to {place}")),
        author: at(payload, "deployment.creator.login"),
        link: first(payload, &["workflow_run.html_url", "repository.html_url"]),
        ..of_deployment(payload)
    })
}

/// Returns the change of a deployment that has ended. Other states are intermediate.
fn deployed(payload: &Value) -> Option<Draft> {
    let id = at(payload, "deployment_status.id")?;
    let (what, place) = deployed_what(payload);
    let title = match payload["deployment_status"]["state"].as_str()? {
        "success" => format!("Deployed {what} to {place}"),
        "failure" | "error" => format!("Deployment of {what} to {place} failed"),
        _ => return None,
    };
    let links = [
        "deployment_status.log_url",
        "deployment_status.target_url",
        "workflow_run.html_url",
        "repository.html_url",
    ];
    Some(Draft {
        id: Some(format!("deployment_status:{id}")),
        time: at(payload, "deployment_status.created_at"),
        title: Some(title),
        author: first(
            payload,
            &[
                "deployment.creator.login",
                "deployment_status.creator.login",
            ],
        ),
        link: first(payload, &links),
        ..of_deployment(payload)
    })
}

fn deployed_what(payload: &Value) -> (String, String) {
    let what = first(payload, &["deployment.ref", "deployment.sha"]);
    let place = at(payload, "deployment.environment");
    (
        what.unwrap_or_else(|| "a revision".to_owned()),
        place.unwrap_or_else(|| "an environment".to_owned()),
    )
}

fn of_deployment(payload: &Value) -> Draft {
    Draft {
        kind: Some("deployment".to_owned()),
        service: at(payload, "repository.name"),
        revision: at(payload, "deployment.sha"),
        ..Draft::default()
    }
}

fn release(payload: &Value) -> Option<Draft> {
    let id = at(payload, "release.id").filter(|_| payload["action"] == "published")?;
    let tag = at(payload, "release.tag_name")?;
    let name = at(payload, "release.name").filter(|name| *name != tag);
    Some(Draft {
        id: Some(format!("release:{id}")),
        time: at(payload, "release.published_at"),
        kind: Some("release".to_owned()),
        title: Some(match name {
            Some(name) => format!("Released {tag}: {name}"),
            None => format!("Released {tag}"),
        }),
        service: at(payload, "repository.name"),
        author: at(payload, "release.author.login"),
        revision: Some(tag),
        link: at(payload, "release.html_url"),
        ..Draft::default()
    })
}
