//! GitLab: pushes, tags and deployments.

use serde_json::Value;

use super::draft::Draft;
use super::path::{at, first};
use super::push::Push;

/// Returns the change of an event, if it is one.
pub(super) fn draft(payload: &Value, branches: &[String]) -> Option<Draft> {
    match payload["object_kind"].as_str()? {
        "push" | "tag_push" => push(payload)?.draft(branches),
        "deployment" => deployment(payload),
        _ => None,
    }
}

fn push(payload: &Value) -> Option<Push<'_>> {
    let (repository, after) = (
        at(payload, "project.path_with_namespace")?,
        at(payload, "after")?,
    );
    let commits = payload["commits"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    let newest = commits.iter().find(|commit| commit["id"] == *after);
    let newest = newest.or(commits.last()).unwrap_or(&Value::Null);
    Some(Push {
        draft: Draft {
            // Only the commits have times, and they may be days older than the push.
            time: None,
            service: repository.rsplit('/').next().map(str::to_owned),
            author: first(payload, &["user_username", "user_name"]),
            link: at(newest, "url").or_else(|| at(payload, "project.web_url")),
            ..Draft::default()
        },
        repository,
        reference: payload["ref"].as_str()?,
        default_branch: at(payload, "project.default_branch"),
        before: at(payload, "before")?,
        after,
        message: first(newest, &["title", "message"]),
        commits: payload["total_commits_count"].as_u64().unwrap_or_default(),
    })
}

fn deployment(payload: &Value) -> Option<Draft> {
    let (status, id) = (at(payload, "status")?, at(payload, "deployment_id")?);
    let place = at(payload, "environment").unwrap_or_else(|| "an environment".to_owned());
    let what = first(payload, &["ref", "short_sha"]).unwrap_or_else(|| "a revision".to_owned());
    let project = at(payload, "project.path_with_namespace")?;
    let title = match status.as_str() {
        "success" => format!("Deployed {what} to {place}"),
        "failed" => format!("Deployment of {what} to {place} failed"),
        _ => return None,
    };
    let title = match at(payload, "commit_title") {
        Some(commit) => format!("{title}: {commit}"),
        None => title,
    };
    Some(Draft {
        id: Some(format!("deployment:{project}:{id}:{status}")),
        time: at(payload, "status_changed_at"),
        kind: Some("deployment".to_owned()),
        title: Some(title),
        service: project.rsplit('/').next().map(str::to_owned),
        author: first(payload, &["user.username", "user.name"]),
        revision: at(payload, "short_sha"),
        link: first(
            payload,
            &["deployable_url", "commit_url", "project.web_url"],
        ),
        ..Draft::default()
    })
}
