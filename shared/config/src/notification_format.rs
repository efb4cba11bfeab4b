//! Formats of notifications.

use serde::Serialize;

/// Format of a notification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum NotificationFormat {
    /// JSON with a signature (Standard Webhooks).
    Standard,
    /// An incoming webhook of Slack.
    Slack,
    /// A workflow of Microsoft Teams.
    Teams,
    /// A Slack app with a bot token: threads, and buttons for requested approvals.
    SlackApp,
    /// Notes in the alert's incident of PagerDuty.
    Pagerduty,
    /// Notes in the alert of Opsgenie.
    Opsgenie,
    /// Issues of Jira.
    Jira,
    /// Issues of a GitHub repository.
    GithubIssue,
}

impl NotificationFormat {
    pub(crate) const WORDS: [&'static str; 8] = [
        "standard",
        "slack",
        "teams",
        "slack-app",
        "pagerduty",
        "opsgenie",
        "jira",
        "github-issue",
    ];

    pub(crate) fn read(word: &str) -> Self {
        match word {
            "slack" => Self::Slack,
            "teams" => Self::Teams,
            "slack-app" => Self::SlackApp,
            "pagerduty" => Self::Pagerduty,
            "opsgenie" => Self::Opsgenie,
            "jira" => Self::Jira,
            "github-issue" => Self::GithubIssue,
            _ => Self::Standard,
        }
    }
}
