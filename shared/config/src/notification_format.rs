//! Formats of notifications.

use serde::Serialize;
use tarsy_model::words;

use crate::fields::choice;

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

words!(NotificationFormat {
    Standard => "standard",
    Slack => "slack",
    Teams => "teams",
    SlackApp => "slack-app",
    Pagerduty => "pagerduty",
    Opsgenie => "opsgenie",
    Jira => "jira",
    GithubIssue => "github-issue",
});
choice!(NotificationFormat);
