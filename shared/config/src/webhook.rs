//! Webhook sources: how a vendor's payload becomes alerts or changes.

use serde::Serialize;
use tarsy_model::words;

use crate::Secret;
use crate::change_source::{ChangeFields, ChangeFormat, ChangeSource};
use crate::fields::{Fields, Flag, List, Text, Texts, Variable, Word, choice, section};
use crate::mapping::{Mapping, MappingFields};
use crate::references::NameKind;

/// The payload format of a source and its authentication.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum WebhookKind {
    /// Prometheus Alertmanager, payload version 4.
    Alertmanager,
    /// Grafana Alerting, webhook contact point.
    Grafana,
    /// PagerDuty, webhook subscription version 3.
    Pagerduty,
    /// Datadog, a webhook whose template is JSON.
    Datadog,
    /// Amazon SNS over HTTPS, as CloudWatch alarms use it.
    Sns,
    /// Sentry, integration platform.
    Sentry,
    /// Opsgenie, alert actions.
    Opsgenie,
    /// CloudEvents 1.0: structured, batched or binary.
    Cloudevents,
    /// Standard Webhooks, as incident.io and Svix send them.
    StandardWebhooks,
    /// Any JSON object. The mapping defines where each value is.
    Generic,
    /// Changes in a system, in the form that `format` names. They are recorded as changes and create no sessions.
    Change,
}

words!(WebhookKind {
    Alertmanager => "alertmanager",
    Grafana => "grafana",
    Pagerduty => "pagerduty",
    Datadog => "datadog",
    Sns => "sns",
    Sentry => "sentry",
    Opsgenie => "opsgenie",
    Cloudevents => "cloudevents",
    StandardWebhooks => "standard-webhooks",
    Generic => "generic",
    Change => "change",
});
choice!(WebhookKind);

section! {
    /// A webhook source.
    struct WebhookFields("Webhook", "webhook source") {
        /// Payload format. Default: the name of the entry.
        r#type: Word<WebhookKind>,
        /// Names of the environment variables with accepted secrets. Use two while you rotate a secret.
        secrets_env: List<Variable>,
        /// Where to find the alert type.
        alert_type: MappingFields,
        /// Where to find the runbook.
        runbook: MappingFields,
        /// Where to find the severity.
        severity: MappingFields,
        /// Where to find the environment.
        environment: MappingFields,
        /// Where to find the sender's ID of the problem; for `generic`.
        id: MappingFields,
        /// Where to find the status; map it to `firing`, `resolved` or `ignore`.
        status: MappingFields,
        /// Header with an HMAC-SHA256 of the body; for `grafana` and `generic`.
        signature_header: Text,
        /// Header with the time that is signed together with the body, as `<time>:<body>`.
        timestamp_header: Text,
        /// Create one session per group of alerts instead of one per alert; for `alertmanager` and `grafana`. Default:
        /// false.
        group_alerts: Flag,
        /// ARNs of accepted SNS topics; required for `sns`.
        topics: Texts,
        /// Sender of changes, which sets the payload format; required for `change`, not allowed for other types.
        format: Word<ChangeFormat>,
        /// Branches whose pushes are changes; for `change`. Default: the default branch of each repository.
        branches: Texts,
        /// Where to find the values of a change, instead of where `format` expects them; for `change`.
        fields: ChangeFields,
    }
}

/// The keys of sources.
const KEYS: WebhookFields = WebhookFields::FIELDS;
/// Keys about alerts, which a source of changes can't have.
const ALERT_KEYS: [&str; 8] = [
    KEYS.alert_type.name(),
    KEYS.runbook.name(),
    KEYS.severity.name(),
    KEYS.environment.name(),
    KEYS.id.name(),
    KEYS.status.name(),
    KEYS.group_alerts.name(),
    KEYS.topics.name(),
];
/// Keys that only a source of changes has.
const CHANGE_KEYS: [&str; 3] = [KEYS.format.name(), KEYS.branches.name(), KEYS.fields.name()];

/// One entry of `webhooks`; its key is the `{source}` of `POST /webhooks/{source}`.
#[derive(Clone, Debug, Serialize)]
pub struct WebhookConfig {
    /// Its key.
    pub source: String,
    /// The payload format; equals the key unless `type` is set.
    pub kind: WebhookKind,
    /// Environment variables that contain the accepted secrets; more than one during a rotation. Empty: the source
    /// authenticates like any other client.
    pub secrets_env: Vec<String>,
    /// Values of those variables that are set.
    pub secrets: Vec<Secret>,
    /// Where to find the alert type.
    pub alert_type: Mapping,
    /// Where to find the runbook.
    pub runbook: Mapping,
    /// Where to find the severity.
    pub severity: Mapping,
    /// Where to find the environment.
    pub environment: Mapping,
    /// Where to find the sender's id of the problem; for `generic` only.
    pub id: Mapping,
    /// Where to find the status, with its values mapped to `firing`, `resolved` or `ignore`; for `generic`,
    /// `cloudevents` and `standard-webhooks`.
    pub status: Mapping,
    /// Header with an HMAC-SHA256 of the body; for `grafana` and `generic`.
    pub signature_header: Option<String>,
    /// Header with the time that is signed together with the body, as `<time>:<body>`.
    pub timestamp_header: Option<String>,
    /// Whether a group of alerts becomes one session; for `alertmanager` and `grafana`.
    pub group_alerts: bool,
    /// SNS topics whose subscriptions and messages are accepted. A signature proves only that Amazon sent a message,
    /// not for whom.
    pub topics: Vec<String>,
    /// Settings that only a source of type `change` has.
    pub change: Option<ChangeSource>,
}

impl WebhookConfig {
    /// Returns the source `alertmanager` that applies without configuration. The alert type is the label `alert_type`
    /// or `alertname`, the runbook the annotation `runbook_url`, as in the rules of the kubernetes-mixin.
    pub(crate) fn alertmanager() -> Self {
        Self {
            source: "alertmanager".to_owned(),
            kind: WebhookKind::Alertmanager,
            secrets_env: Vec::new(),
            secrets: Vec::new(),
            alert_type: Mapping::new(&["alert_type", "alertname"], &["alert_type"]),
            runbook: Mapping::new(&[], &["runbook_url", "runbook"]),
            severity: Mapping::new(&["severity"], &[]),
            environment: Mapping::new(&["environment", "env"], &[]),
            id: Mapping::default(),
            status: Mapping::new(&["status"], &[]),
            signature_header: None,
            timestamp_header: None,
            group_alerts: false,
            topics: Vec::new(),
            change: None,
        }
    }

    /// Describes which alerts this source rejects: those whose type has no chain, unless the source has a default type.
    /// `known` are the types that have a chain.
    #[must_use]
    pub fn refusal_note<'k>(&self, known: impl Iterator<Item = &'k str>) -> Option<String> {
        if self.alert_type.default.is_some() || self.change.is_some() {
            return None;
        }
        let known: Vec<&str> = known.collect();
        let named = |kind: &'static str, names: &'_ [String]| -> Vec<String> {
            names
                .iter()
                .map(|name| format!("{kind} `{name}`"))
                .collect()
        };
        let from = [
            named("label", &self.alert_type.labels),
            named("annotation", &self.alert_type.annotations),
        ];
        let (source, from, known) = (&self.source, from.concat().join(", "), known.join(", "));
        Some(format!(
            "webhook source `{source}` accepts only these alert types: {known} (read from {from}); \
             `webhooks.{source}.alert_type.default` sets the type of all others"
        ))
    }

    pub(crate) fn read(source: &str, fields: &Fields<'_>) -> Option<Self> {
        let has_type = fields.has(KEYS.r#type);
        let kind = match has_type {
            true => fields.get(KEYS.r#type),
            false => WebhookKind::from_word(source),
        };
        if kind.is_none() && !has_type {
            let hint = format!("one of {}", WebhookKind::WORDS.join(", "));
            fields.problem_here("`type` is missing".to_owned(), &hint);
        }
        if kind == Some(WebhookKind::Change) {
            return Self::read_change(source, fields);
        }
        let usual = Self::alertmanager();
        refuse_keys(fields, &CHANGE_KEYS, "is only for sources of type `change`");
        let (secrets_env, secrets) = read_secrets(fields);
        let webhook = Self {
            source: source.to_owned(),
            kind: kind.unwrap_or(WebhookKind::Alertmanager),
            secrets,
            secrets_env,
            alert_type: Mapping::read(
                fields,
                KEYS.alert_type,
                usual.alert_type,
                Some(NameKind::AlertType),
            ),
            runbook: Mapping::read(fields, KEYS.runbook, usual.runbook, None),
            severity: Mapping::read(fields, KEYS.severity, usual.severity, None),
            environment: Mapping::read(fields, KEYS.environment, usual.environment, None),
            id: Mapping::read(fields, KEYS.id, usual.id, None),
            status: Mapping::read(fields, KEYS.status, usual.status, None),
            signature_header: fields.string(KEYS.signature_header),
            timestamp_header: fields.string(KEYS.timestamp_header),
            group_alerts: fields.get(KEYS.group_alerts).unwrap_or(false),
            topics: fields.strings(KEYS.topics).unwrap_or_default(),
            change: None,
        };
        if webhook.kind == WebhookKind::Sns && webhook.topics.is_empty() {
            fields.problem_here(
                "`topics` is missing".to_owned(),
                "list the ARNs of your topics: Amazon signs messages of every topic",
            );
        }
        let has_groups = matches!(
            webhook.kind,
            WebhookKind::Alertmanager | WebhookKind::Grafana
        );
        if webhook.group_alerts && !has_groups {
            fields.problem(
                KEYS.group_alerts,
                format!("`{}` sends no groups of alerts", webhook.kind.as_str()),
                "leave it out; `alertmanager` and `grafana` have groups",
            );
        }
        if webhook.kind == WebhookKind::Generic {
            webhook.check_headers(fields);
        }
        kind.map(|_| webhook)
    }

    /// Reads a source of changes. Keys about alerts are reported as problems.
    fn read_change(source: &str, fields: &Fields<'_>) -> Option<Self> {
        let (secrets_env, secrets) = read_secrets(fields);
        let change = ChangeSource::read(fields, KEYS.format, KEYS.branches, KEYS.fields);
        let why = "is not for sources of type `change`, which make no sessions";
        refuse_keys(fields, &ALERT_KEYS, why);
        let webhook = Self {
            source: source.to_owned(),
            kind: WebhookKind::Change,
            secrets_env,
            secrets,
            signature_header: fields.string(KEYS.signature_header),
            timestamp_header: fields.string(KEYS.timestamp_header),
            change,
            ..Self::alertmanager()
        };
        webhook.check_headers(fields);
        webhook.change.is_some().then_some(webhook)
    }

    fn check_headers(&self, fields: &Fields<'_>) {
        if self.timestamp_header.is_some() && self.signature_header.is_none() {
            fields.problem(
                KEYS.timestamp_header,
                "`timestamp_header` requires `signature_header`".to_owned(),
                "set both",
            );
        }
    }
}

/// Reports those of `keys` that are set.
fn refuse_keys(fields: &Fields<'_>, keys: &[&'static str], why: &str) {
    for key in keys {
        if fields.has(key) {
            fields.problem(key, format!("`{key}` {why}"), "leave it out");
        }
    }
}

/// Returns the variables of `secrets_env`, and the values of those that are set.
fn read_secrets(fields: &Fields<'_>) -> (Vec<String>, Vec<Secret>) {
    let names = fields.get(KEYS.secrets_env).unwrap_or_default();
    let env = fields.context().env;
    let values = names.iter().filter_map(|name| env.value(name));
    let secrets = values.map(Secret::new).collect();
    (names, secrets)
}
