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
    /// A Slack app with a bot token: threads, and buttons where approval is asked.
    SlackApp,
    /// Notes in the alert's incident of PagerDuty.
    Pagerduty,
    /// Notes in the alert of Opsgenie.
    Opsgenie,
}

impl NotificationFormat {
    pub(crate) const WORDS: [&'static str; 6] = [
        "standard",
        "slack",
        "teams",
        "slack-app",
        "pagerduty",
        "opsgenie",
    ];
}
