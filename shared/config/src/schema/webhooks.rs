//! Webhook sources and notification targets.

use std::collections::BTreeMap;

use schemars::JsonSchema;

use super::scalars::{Entries, Flag, List, Text, Texts, Variable, Word, words, words_of};
use crate::approvals::APPROVERS;
use crate::change_source::ChangeFormat;
use crate::notification::{EVENTS, OUTCOMES};
use crate::{NotificationFormat, WebhookKind};

words!(Kind, *WebhookKind::WORDS);
words!(ChangeForm, *ChangeFormat::WORDS);
words!(Format, NotificationFormat::WORDS);
words!(Outcome, OUTCOMES);
words!(Verdict, *tarsy_model::SessionVerdict::WORDS);
words!(SlackRole, words_of(&APPROVERS));
words!(Event, EVENTS);

/// A webhook source.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Webhook {
    /// Payload format. Default: the name of the entry.
    #[schemars(rename = "type")]
    kind: Option<Word<Kind>>,
    /// Names of the environment variables with accepted secrets. Use two while you rotate a secret.
    secrets_env: Option<List<Variable>>,
    /// Where to find the alert type.
    alert_type: Option<Mapping>,
    /// Where to find the runbook.
    runbook: Option<Mapping>,
    /// Where to find the severity.
    severity: Option<Mapping>,
    /// Where to find the environment.
    environment: Option<Mapping>,
    /// Where to find the sender's ID of the problem; for `generic`.
    id: Option<Mapping>,
    /// Where to find the status; map it to `firing`, `resolved` or `ignore`.
    status: Option<Mapping>,
    /// Header with an HMAC-SHA256 of the body; for `grafana` and `generic`.
    signature_header: Option<Text>,
    /// Header with the time that is signed together with the body, as `<time>:<body>`.
    timestamp_header: Option<Text>,
    /// Create one session per group of alerts instead of one per alert; for `alertmanager` and `grafana`. Default:
    /// false.
    group_alerts: Option<Flag>,
    /// ARNs of accepted SNS topics; required for `sns`.
    topics: Option<Texts>,
    /// Sender of changes, which sets the payload format; required for `change`, not allowed for other types.
    format: Option<Word<ChangeForm>>,
    /// Branches whose pushes are changes; for `change`. Default: the default branch of each repository.
    branches: Option<Texts>,
    /// Where to find the values of a change, instead of where `format` expects them; for `change`.
    fields: Option<ChangeFields>,
}

/// Values of a change.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct ChangeFields {
    /// What changed, in one line.
    title: Option<Mapping>,
    /// Service, application or repository.
    service: Option<Mapping>,
    /// Namespace.
    namespace: Option<Mapping>,
    /// Cluster.
    cluster: Option<Mapping>,
    /// Kind of the change, e.g. `deployment`.
    kind: Option<Mapping>,
    /// Who made it.
    author: Option<Mapping>,
    /// Commit, tag or version.
    revision: Option<Mapping>,
    /// Web page of the change; http or https.
    link: Option<Mapping>,
    /// The sender's ID of the change. Payloads with the same ID are one change.
    id: Option<Mapping>,
    /// When it happened: RFC 3339, or Unix seconds or milliseconds.
    time: Option<Mapping>,
}

/// Where to find a value in a payload.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Mapping {
    /// Labels to read, in this order.
    labels: Option<Texts>,
    /// Annotations to read after the labels.
    annotations: Option<Texts>,
    /// Translations of the values found.
    values: Option<BTreeMap<String, Text>>,
    /// Value if no acceptable value is found.
    default: Option<Text>,
}

/// A notification target.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Notification {
    /// URL to post to; set this or `url_env`. For `slack-app`, `pagerduty`, `opsgenie` and `github-issue`: base URL of
    /// the API; default: the vendor's. For `jira`: address of the site.
    url: Option<Text>,
    /// Name of the environment variable with the URL.
    url_env: Option<Variable>,
    /// Format of the message. Default: standard.
    format: Option<Word<Format>>,
    /// Name of the environment variable with the signing secret (`whsec_` and base64); required for `standard`.
    secret_env: Option<Variable>,
    /// Events to report: starts and ends of sessions, and sessions that wait for a person. Default: completed, failed,
    /// waiting. For issues: completed, failed. For `slack-app` without `outcomes`: also started.
    events: Option<List<Word<Event>>>,
    /// Severities to report. Default: all.
    severities: Option<Texts>,
    /// Alert types to report. Default: all.
    alert_types: Option<Texts>,
    /// Outcomes to report. Default: all.
    outcomes: Option<List<Word<Outcome>>>,
    /// Verdicts to report, i.e. results of the check of the answer. Default: all.
    verdicts: Option<List<Word<Verdict>>>,
    /// Session labels to report. Default: all, including sessions without a label.
    session_labels: Option<Texts>,
    /// Allow hosts with private addresses. Default: false.
    private: Option<Flag>,
    /// Allow http. Default: false.
    http: Option<Flag>,
    /// Name of the environment variable with the bot token (`xoxb-...`); required for `slack-app`.
    bot_token_env: Option<Variable>,
    /// ID of the channel to post to; required for `slack-app`.
    channel: Option<Text>,
    /// Name of the environment variable with the signing secret of the Slack app. Without it, messages have no buttons.
    signing_secret_env: Option<Variable>,
    /// ID of the Slack app whose button presses and events are accepted. Default: any with a valid signature.
    app_id: Option<Text>,
    /// ID of the Slack workspace whose button presses and events are accepted. Default: any with a valid signature.
    team_id: Option<Text>,
    /// Slack users who may decide, by member ID.
    users: Option<Entries<SlackUser>>,
    /// Name of the environment variable with the API key or token; required for `pagerduty`, `opsgenie`, `jira` and
    /// `github-issue`.
    token_env: Option<Variable>,
    /// Email address of the user who is the author of notes; required for `pagerduty`.
    from: Option<Text>,
    /// Resolve the incident when its session completes without a failed stage; for `pagerduty` and `opsgenie`. Default: false.
    resolve: Option<Flag>,
    /// Sources besides the vendor's own webhook whose alerts may name their incident, e.g. `alertmanager` or `api`; for
    /// `pagerduty` and `opsgenie`. Default: none.
    incident_sources: Option<Texts>,
    /// Project key; required for `jira`.
    project: Option<Text>,
    /// Issue type; for `jira`. Default: Task.
    issue_type: Option<Text>,
    /// Email address of the API token's owner; for Jira Cloud.
    user: Option<Text>,
    /// Repository, as `owner/name`; required for `github-issue`.
    repository: Option<Text>,
    /// Labels of issues; for `jira` and `github-issue`.
    labels: Option<Texts>,
}

/// A Slack user who may decide.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct SlackUser {
    /// Name in the audit log.
    name: Option<Text>,
    /// Role of the user.
    role: Option<Word<SlackRole>>,
}
