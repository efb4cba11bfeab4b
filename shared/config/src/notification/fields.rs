//! Keys of notification targets.

use tarsy_model::SessionVerdict;

use crate::approvals::Approver;
use crate::fields::{Entries, Flag, List, Required, Text, Texts, Variable, Word, choice, section};
use crate::notification_format::NotificationFormat;

choice!(struct Outcome = ["completed", "partial", "failed"]);
choice!(struct Event = ["started", "completed", "failed", "cancelled", "waiting"]);
choice!(SessionVerdict);

section! {
    /// A notification target.
    struct NotificationFields("Notification", "notification target") {
        /// URL to post to; set this or `url_env`. For `slack-app`, `pagerduty`, `opsgenie` and `github-issue`: base URL of
        /// the API; default: the vendor's. For `jira`: address of the site.
        url: Text,
        /// Name of the environment variable with the URL.
        url_env: Variable,
        /// Format of the message. Default: standard.
        format: Word<NotificationFormat>,
        /// Name of the environment variable with the signing secret (`whsec_` and base64); required for `standard`.
        secret_env: Variable,
        /// Events to report: starts and ends of sessions, and sessions that wait for a person. Default: completed, failed,
        /// waiting. For issues: completed, failed. For `slack-app` without `outcomes`: also started.
        events: List<Word<Event>>,
        /// Severities to report. Default: all.
        severities: Texts,
        /// Alert types to report. Default: all.
        alert_types: Texts,
        /// Outcomes to report. Default: all.
        outcomes: List<Word<Outcome>>,
        /// Verdicts to report, i.e. results of the check of the answer. Default: all.
        verdicts: List<Word<SessionVerdict>>,
        /// Session labels to report. Default: all, including sessions without a label.
        session_labels: Texts,
        /// Allow hosts with private addresses. Default: false.
        private: Flag,
        /// Allow http. Default: false.
        http: Flag,
        /// Name of the environment variable with the bot token (`xoxb-...`); required for `slack-app`.
        bot_token_env: Variable,
        /// ID of the channel to post to; required for `slack-app`.
        channel: Text,
        /// Name of the environment variable with the signing secret of the Slack app. Without it, messages have no buttons.
        signing_secret_env: Variable,
        /// ID of the Slack app whose button presses and events are accepted. Default: any with a valid signature.
        app_id: Text,
        /// ID of the Slack workspace whose button presses and events are accepted. Default: any with a valid signature.
        team_id: Text,
        /// Slack users who may decide, by member ID.
        users: Entries<SlackUserFields>,
        /// Name of the environment variable with the API key or token; required for `pagerduty`, `opsgenie`, `jira` and
        /// `github-issue`.
        token_env: Variable,
        /// Email address of the user who is the author of notes; required for `pagerduty`.
        from: Text,
        /// Resolve the incident when its session completes without a failed stage; for `pagerduty` and `opsgenie`. Default: false.
        resolve: Flag,
        /// Sources besides the vendor's own webhook whose alerts may name their incident, e.g. `alertmanager` or `api`; for
        /// `pagerduty` and `opsgenie`. Default: none.
        incident_sources: Texts,
        /// Project key; required for `jira`.
        project: Text,
        /// Issue type; for `jira`. Default: Task.
        issue_type: Text,
        /// Email address of the API token's owner; for Jira Cloud.
        user: Text,
        /// Repository, as `owner/name`; required for `github-issue`.
        repository: Text,
        /// Labels of issues; for `jira` and `github-issue`.
        labels: Texts,
    }
}

section! {
    /// A Slack user who may decide.
    struct SlackUserFields("SlackUser", "Slack user") {
        /// Name in the audit log.
        name: Required<Text>,
        /// Role of the user.
        role: Required<Word<Approver>>,
    }
}
