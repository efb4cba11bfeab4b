//! Webhook sources and notification targets.

use std::collections::BTreeMap;

use schemars::JsonSchema;

use super::scalars::{Entries, Flag, List, Text, Texts, Variable, Word, words};
use crate::change_source::ChangeFormat;
use crate::notification::OUTCOMES;
use crate::slack_app::ROLES;
use crate::{NotificationFormat, WebhookKind};

words!(Kind, WebhookKind::WORDS);
words!(ChangeForm, ChangeFormat::WORDS);
words!(Format, NotificationFormat::WORDS);
words!(Outcome, OUTCOMES);
words!(Verdict, *tarsy_model::SessionVerdict::WORDS);
words!(SlackRole, ROLES);
words!(
    Event,
    ["started", "completed", "failed", "cancelled", "waiting"]
);

/// A webhook source.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Webhook {
    /// Payload format. Default: the name of the entry.
    #[schemars(rename = "type")]
    kind: Option<Word<Kind>>,
    /// Environment variables with accepted secrets; two while one is being replaced.
    secrets_env: Option<List<Variable>>,
    /// Where the alert type is found.
    alert_type: Option<Mapping>,
    /// Where the runbook is found.
    runbook: Option<Mapping>,
    /// Where the severity is found.
    severity: Option<Mapping>,
    /// Where the environment is found.
    environment: Option<Mapping>,
    /// Where the sender's id of the problem is found; for `generic`.
    id: Option<Mapping>,
    /// Where the status is found, mapped to `firing`, `resolved` or `ignore`.
    status: Option<Mapping>,
    /// Header of an HMAC-SHA256 over the body; for `grafana` and `generic`.
    signature_header: Option<Text>,
    /// Header of the time that is signed with the body, as `<time>:<body>`.
    timestamp_header: Option<Text>,
    /// Makes one session of a group of alerts, instead of one of each; for `alertmanager` and `grafana`. Default: false.
    group_alerts: Option<Flag>,
    /// ARNs of accepted SNS topics; required for `sns`.
    topics: Option<Texts>,
    /// Sender of changes and form of its payloads; required for `change`, and for it alone.
    format: Option<Word<ChangeForm>>,
    /// Branches whose pushes are changes; for `change`. Default: the default branch of each repository.
    branches: Option<Texts>,
    /// Where values of a change are found, instead of where `format` has them; for `change`.
    fields: Option<ChangeFields>,
}

/// Values of a change.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct ChangeFields {
    /// What changed, in a line.
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
    /// Its page; http or https.
    link: Option<Mapping>,
    /// The sender's id of it; the same id is one change.
    id: Option<Mapping>,
    /// When it happened: RFC 3339, or Unix seconds or milliseconds.
    time: Option<Mapping>,
}

/// Where a value is found in a payload.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Mapping {
    /// Labels to look at, in order.
    labels: Option<Texts>,
    /// Annotations to look at after the labels.
    annotations: Option<Texts>,
    /// Translations of found values.
    values: Option<BTreeMap<String, Text>>,
    /// Value when nothing acceptable is found.
    default: Option<Text>,
}

/// A notification target.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Notification {
    /// URL to post to; or `url_env`. For `slack-app`, `pagerduty`, `opsgenie` and `github-issue`: the API; default: their own. For `jira`: its address.
    url: Option<Text>,
    /// Environment variable with the URL.
    url_env: Option<Variable>,
    /// Format of the message. Default: standard.
    format: Option<Word<Format>>,
    /// Environment variable with the signing secret (`whsec_` and base64); required for `standard`.
    secret_env: Option<Variable>,
    /// What to report: starts and ends of sessions, and sessions that wait for somebody. Default: completed, failed, waiting; for issues: completed, failed; for `slack-app` without `outcomes`: started too.
    events: Option<List<Word<Event>>>,
    /// Severities to report. Default: all.
    severities: Option<Texts>,
    /// Alert types to report. Default: all.
    alert_types: Option<Texts>,
    /// Outcomes to report. Default: all.
    outcomes: Option<List<Word<Outcome>>>,
    /// Verdicts to report: what the check of the answer found. Default: all.
    verdicts: Option<List<Word<Verdict>>>,
    /// Labels to report, as agents gave them to sessions. Default: all, and sessions without a label.
    session_labels: Option<Texts>,
    /// Allow a host with a private address. Default: false.
    private: Option<Flag>,
    /// Allow http. Default: false.
    http: Option<Flag>,
    /// Environment variable with the bot token (`xoxb-...`); required for `slack-app`.
    bot_token_env: Option<Variable>,
    /// Id of the channel to post to; required for `slack-app`.
    channel: Option<Text>,
    /// Environment variable with the signing secret of a Slack app; without it there are no buttons.
    signing_secret_env: Option<Variable>,
    /// Id of the Slack app whose presses and events count. Default: any that are signed.
    app_id: Option<Text>,
    /// Id of the Slack workspace whose presses and events count. Default: any that are signed.
    team_id: Option<Text>,
    /// Slack users that may decide, by their member IDs.
    users: Option<Entries<SlackUser>>,
    /// Environment variable with the API key or token; required for `pagerduty`, `opsgenie`, `jira` and `github-issue`.
    token_env: Option<Variable>,
    /// Mail address of the user that notes are from; required for `pagerduty`.
    from: Option<Text>,
    /// Resolve the incident when its session completes without a failed stage; for `pagerduty` and `opsgenie`. Default: false.
    resolve: Option<Flag>,
    /// Sources beside the vendor's own webhook whose alerts may name their incident, e.g. `alertmanager` or `api`; for `pagerduty` and `opsgenie`. Default: none.
    incident_sources: Option<Texts>,
    /// Key of the project; required for `jira`.
    project: Option<Text>,
    /// Name of the issue type; for `jira`. Default: Task.
    issue_type: Option<Text>,
    /// Mail address of the API token's owner; for `jira` in the cloud.
    user: Option<Text>,
    /// Repository, `owner/name`; required for `github-issue`.
    repository: Option<Text>,
    /// Labels of issues; for `jira` and `github-issue`.
    labels: Option<Texts>,
}

/// A Slack user that may decide.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct SlackUser {
    /// Name in the audit log.
    name: Option<Text>,
    /// What the user may do.
    role: Option<Word<SlackRole>>,
}
