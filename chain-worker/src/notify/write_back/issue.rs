//! Creates issues: Jira's REST API (version 2, which both Jira Data Center and Jira Cloud have) and GitHub's REST API.
//!
//! Neither accepts an id from its client. Each issue contains the delivery's id, in Jira as a label, in GitHub as a
//! hidden comment. A retry searches for that id first.

use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue, USER_AGENT};
use serde_json::{Value, json};
use tarsy_config::{IssueTracker, WriteBack};
use tarsy_egress::{Client, secret_header};
use url::Url;
use uuid::Uuid;

use super::{accepted, read, receipt};
use crate::notify::attempt::{Receipt, Refusal};
use crate::notify::markup::plain_markdown;
use crate::notify::message::Message;
use crate::notify::signature::base64;

/// Maximum length of a title. Jira takes 255 characters.
const LONGEST_TITLE: usize = 250;

/// Creates one issue. If the delivery was begun before (`is_repeated`), searches for it first.
pub(super) async fn post(
    (base, client): (&Url, &Client),
    write_back: &WriteBack,
    tracker: &IssueTracker,
    delivery: Uuid,
    message: &Message<'_>,
    is_repeated: bool,
) -> Result<Receipt, Refusal> {
    let headers = headers(write_back, tracker).map_err(Refusal::unanswered)?;
    if is_repeated {
        let answer = read(client, search_url(base, tracker, delivery), &headers).await?;
        let found: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
        if contains_issue(&found, tracker, delivery) {
            return Ok(receipt(Some(&answer)));
        }
    }
    let body = body(tracker, delivery, message).to_string();
    let sent = client.post(create_url(base, tracker), headers, body).await;
    let answer = accepted(
        sent.map_err(|error| Refusal::unanswered(error.to_string()))?,
        "the project or repository",
    )?;
    Ok(receipt(Some(&answer)))
}

fn headers(write_back: &WriteBack, tracker: &IssueTracker) -> Result<HeaderMap, String> {
    let token = write_back.token.as_ref().map_or("", |token| token.expose());
    let key = match tracker {
        IssueTracker::Jira {
            user: Some(user), ..
        } => format!("Basic {}", base64(format!("{user}:{token}").as_bytes())),
        _ => format!("Bearer {token}"),
    };
    let key = secret_header(&key).map_err(|_| "the token is not a token")?;
    let accept = match tracker {
        IssueTracker::Jira { .. } => "application/json",
        IssueTracker::Github { .. } => "application/vnd.github+json",
    };
    Ok(HeaderMap::from_iter([
        (AUTHORIZATION, key),
        (ACCEPT, HeaderValue::from_static(accept)),
        (CONTENT_TYPE, HeaderValue::from_static("application/json")),
        (USER_AGENT, HeaderValue::from_static("tarsy")),
    ]))
}

fn create_url(base: &Url, tracker: &IssueTracker) -> Url {
    match tracker {
        IssueTracker::Jira { .. } => below(base, &["rest", "api", "2", "issue"]),
        IssueTracker::Github { repository, .. } => issues_of(base, repository),
    }
}

/// Returns the URL of the search for a delivery: in Jira by its label, in GitHub among the newest hundred issues.
fn search_url(base: &Url, tracker: &IssueTracker, delivery: Uuid) -> Url {
    match tracker {
        IssueTracker::Jira { project, user, .. } => {
            // Jira Cloud no longer has `search`, and Data Center has no `search/jql`.
            let mut url = match user {
                Some(_) => below(base, &["rest", "api", "3", "search", "jql"]),
                None => below(base, &["rest", "api", "2", "search"]),
            };
            let jql = format!(
                "project = \"{project}\" AND labels = \"{}\"",
                label(delivery)
            );
            let fields = [
                ("jql", jql.as_str()),
                ("fields", "labels"),
                ("maxResults", "1"),
            ];
            url.query_pairs_mut().extend_pairs(fields);
            url
        }
        IssueTracker::Github { repository, .. } => {
            let mut url = issues_of(base, repository);
            let newest = [("state", "all"), ("sort", "created"), ("direction", "desc")];
            url.query_pairs_mut()
                .extend_pairs(newest)
                .append_pair("per_page", "100");
            url
        }
    }
}

fn issues_of(base: &Url, repository: &str) -> Url {
    let (owner, name) = repository.split_once('/').unwrap_or((repository, ""));
    below(base, &["repos", owner, name, "issues"])
}

fn below(base: &Url, path: &[&str]) -> Url {
    let mut url = base.clone();
    if let Ok(mut segments) = url.path_segments_mut() {
        segments.pop_if_empty().extend(path);
    }
    url
}

/// Returns the label by which a delivery is found.
fn label(delivery: Uuid) -> String {
    format!("tarsy-{delivery}")
}

fn body(tracker: &IssueTracker, delivery: Uuid, message: &Message<'_>) -> Value {
    let title: String = message.headline().chars().take(LONGEST_TITLE).collect();
    match tracker {
        IssueTracker::Jira {
            project,
            issue_type,
            labels,
            ..
        } => {
            let labels: Vec<String> = labels.iter().cloned().chain([label(delivery)]).collect();
            json!({"fields": {
                "project": {"key": project}, "issuetype": {"name": issue_type},
                "summary": title, "description": jira_text(&message.note()), "labels": labels,
            }})
        }
        IssueTracker::Github { labels, .. } => {
            let text = github_text(&message.note());
            json!({"title": title, "labels": labels, "body": format!("{text}\n\n<!-- {} -->", label(delivery))})
        }
    }
}

/// Escapes text for Jira: braces are its macros, brackets its links and mentions (`[~name]`), exclamation marks its
/// images. A backslash in the text would undo an escape, so it is replaced.
fn jira_text(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' => escaped.push_str("&#92;"),
            '{' | '}' | '[' | ']' | '!' => escaped.extend(['\\', c]),
            c => escaped.push(c),
        }
    }
    escaped
}

/// Returns Markdown that loads no image and shows every address. A zero-width space after each `@` prevents
/// notifications of users.
fn github_text(text: &str) -> String {
    plain_markdown(text).replace('@', "@\u{200b}")
}

/// Returns whether one of the listed issues is that of the delivery.
fn contains_issue(answer: &Value, tracker: &IssueTracker, delivery: Uuid) -> bool {
    let mark = label(delivery);
    match tracker {
        IssueTracker::Jira { .. } => answer["issues"].as_array().is_some_and(|issues| {
            issues.iter().any(|issue| {
                let labels = issue["fields"]["labels"].as_array();
                labels.is_some_and(|labels| labels.iter().any(|label| *label == mark))
            })
        }),
        IssueTracker::Github { .. } => answer.as_array().is_some_and(|issues| {
            let mut texts = issues.iter().filter_map(|issue| issue["body"].as_str());
            texts.any(|text| text.contains(&mark))
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_analysis_mentions_no_user_and_runs_no_macro() {
        assert_eq!(jira_text("[~alex] {code}"), r"\[~alex\] \{code\}");
        assert_eq!(
            jira_text(r"!https://e.example/a! \!x!"),
            r"\!https://e.example/a\! &#92;\!x\!"
        );
        assert_eq!(github_text("@alex <!-- x"), "@\u{200b}alex \\<\\!-- x");
        assert!(!github_text("![x](https://e.example/a)").contains("!["));
    }

    #[test]
    fn a_repository_is_a_path_below_the_api() {
        let base = "https://git.example.com/api/v3".parse().unwrap();
        assert_eq!(
            issues_of(&base, "example/ops").as_str(),
            "https://git.example.com/api/v3/repos/example/ops/issues"
        );
    }
}
