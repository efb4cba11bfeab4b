//! Trackers in which issues are created: a project of Jira, a repository of GitHub.

use serde::Serialize;

use crate::fields::{Fields, Text};
use crate::notification::fields::NotificationFields;
use crate::notification_format::NotificationFormat;

/// Issue type of Jira, unless `issue_type` names another.
const ISSUE_TYPE: &str = "Task";
/// The keys of targets.
const KEYS: NotificationFields = NotificationFields::FIELDS;
/// Longest key of a project, as Jira allows by default.
const LONGEST_KEY: usize = 10;

/// Settings that only targets of format `jira` or `github-issue` have.
#[derive(Clone, Debug, Serialize)]
pub enum IssueTracker {
    /// A project of Jira.
    Jira {
        /// Key of the project.
        project: String,
        /// Name of the issue type.
        issue_type: String,
        /// Mail address of the owner of the API token, for Jira Cloud. Without it the token is a personal access token
        /// of Jira Data Center.
        user: Option<String>,
        /// Labels of the issues.
        labels: Vec<String>,
    },
    /// A repository of GitHub.
    Github {
        /// `owner/name`.
        repository: String,
        /// Labels of the issues.
        labels: Vec<String>,
    },
}

impl IssueTracker {
    /// Reads the keys of a target, if its format creates issues.
    pub(crate) fn read(fields: &Fields<'_>, format: NotificationFormat) -> Option<Self> {
        match format {
            NotificationFormat::Jira => Some(Self::jira(fields)),
            NotificationFormat::GithubIssue => Some(Self::github(fields)),
            _ => None,
        }
    }

    fn jira(fields: &Fields<'_>) -> Self {
        const HINT: &str = "the letters before the number of an issue, e.g. `OPS` of `OPS-12`";
        let project = fields.require(KEYS.project, HINT);
        let project = project.map(Text::into_string);
        if let Some(key) = &project {
            let is_key =
                |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
            let begins = key.starts_with(|first: char| first.is_ascii_uppercase());
            if !begins || key.len() > LONGEST_KEY || !key.bytes().all(is_key) {
                fields.problem(
                    KEYS.project,
                    "`project`: not the key of a project".to_owned(),
                    HINT,
                );
            }
        }
        let user = fields.string(KEYS.user);
        if let Some(user) = &user
            && !is_mail_address(user)
        {
            fields.problem(
                KEYS.user,
                "`user`: not a mail address".to_owned(),
                "Jira Cloud wants the address of the API token's owner; leave it out for Jira Data Center",
            );
        }
        Self::Jira {
            project: project.unwrap_or_default(),
            issue_type: fields
                .string(KEYS.issue_type)
                .unwrap_or_else(|| ISSUE_TYPE.to_owned()),
            user,
            labels: labels(fields),
        }
    }

    fn github(fields: &Fields<'_>) -> Self {
        const HINT: &str = "`owner/name`";
        let repository = fields.require(KEYS.repository, HINT);
        let repository = repository.map(Text::into_string);
        if let Some(name) = &repository {
            let is_name = |part: &str| {
                let is_part = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.');
                !part.is_empty() && !part.starts_with('.') && part.bytes().all(is_part)
            };
            let parts = name.split_once('/');
            if !parts.is_some_and(|(owner, name)| is_name(owner) && is_name(name)) {
                fields.problem(
                    KEYS.repository,
                    "`repository`: not a repository".to_owned(),
                    HINT,
                );
            }
        }
        Self::Github {
            repository: repository.unwrap_or_default(),
            labels: labels(fields),
        }
    }
}

/// Reads the labels. Labels with blanks are problems, because Jira refuses them.
fn labels(fields: &Fields<'_>) -> Vec<String> {
    let labels = fields.strings(KEYS.labels).unwrap_or_default();
    if labels
        .iter()
        .any(|label| label.is_empty() || label.contains(char::is_whitespace))
    {
        fields.problem(
            KEYS.labels,
            "`labels`: a label is empty or holds a blank".to_owned(),
            "write e.g. `needs-review`",
        );
    }
    labels
}

/// Whether a text looks like a mail address.
pub(crate) fn is_mail_address(text: &str) -> bool {
    let parts = text.split_once('@');
    parts.is_some_and(|(name, host)| !name.is_empty() && !host.is_empty())
        && text.bytes().all(|byte| byte.is_ascii_graphic())
}
