//! Notification targets that write back to a vendor: API key, author of PagerDuty notes, whether incidents are
//! resolved, and the tracker in which issues are created.

use serde::Serialize;

use crate::Secret;
use crate::fields::Fields;
use crate::issue::{IssueTracker, is_mail_address};
use crate::notification::fields::NotificationFields;
use crate::notification_format::NotificationFormat;
use crate::webhook::WebhookKind;

/// Addresses of the APIs, unless `url` is set.
const PAGERDUTY_API: &str = "https://api.pagerduty.com";
const OPSGENIE_API: &str = "https://api.opsgenie.com";
const GITHUB_API: &str = "https://api.github.com";
/// The keys of targets.
const KEYS: NotificationFields = NotificationFields::FIELDS;

/// Settings that only a target of format `pagerduty`, `opsgenie`, `jira` or `github-issue` has.
#[derive(Clone, Debug, Serialize)]
pub struct WriteBack {
    /// The API key, from the variable that `token_env` names.
    pub token: Option<Secret>,
    /// Mail address of the PagerDuty user who is the author of notes. Only PagerDuty needs it, and requires it.
    pub from: Option<String>,
    /// Whether the incident is resolved when its session completes. Default: no.
    pub resolves: bool,
    /// Sources other than the vendor's own webhook whose alerts may name their incident (`pagerduty_incident_id`,
    /// `opsgenie_alert_id`), e.g. `alertmanager` or `api`. Default: none.
    pub incident_sources: Vec<String>,
    /// The tracker in which issues are created, if the target creates issues.
    pub issues: Option<IssueTracker>,
}

impl WriteBack {
    /// Returns the default API URL of a format that writes back; `None`: the format has none.
    pub(crate) const fn api(format: NotificationFormat) -> Option<&'static str> {
        match format {
            NotificationFormat::Pagerduty => Some(PAGERDUTY_API),
            NotificationFormat::Opsgenie => Some(OPSGENIE_API),
            NotificationFormat::GithubIssue => Some(GITHUB_API),
            _ => None,
        }
    }

    const fn is_of(format: NotificationFormat) -> bool {
        Self::api(format).is_some() || matches!(format, NotificationFormat::Jira)
    }

    /// Reads the keys of a target, if its format writes back.
    pub(crate) fn read(fields: &Fields<'_>, format: NotificationFormat) -> Option<Self> {
        let issues = IssueTracker::read(fields, format);
        if !Self::is_of(format) {
            return None;
        }
        let token_env = fields.require(
            KEYS.token_env,
            "set it to the variable that holds the API key",
        );
        let env = fields.context().env;
        let token = token_env.as_deref().and_then(|name| env.value(name));
        Some(Self {
            token: token.map(Secret::new),
            from: read_from(fields, format),
            resolves: read_resolve(fields),
            incident_sources: read_incident_sources(fields),
            issues,
        })
    }
}

fn read_from(fields: &Fields<'_>, format: NotificationFormat) -> Option<String> {
    const HINT: &str = "PagerDuty wants the mail address of one of its users";
    if format != NotificationFormat::Pagerduty {
        return None;
    }
    let from = fields.require(KEYS.from, HINT)?.into_string();
    if !is_mail_address(&from) {
        fields.problem(KEYS.from, "`from`: not a mail address".to_owned(), HINT);
    }
    Some(from)
}

fn read_incident_sources(fields: &Fields<'_>) -> Vec<String> {
    let field = KEYS.incident_sources;
    let sources = fields.strings(field).unwrap_or_default();
    for source in &sources {
        if source != "api" && !WebhookKind::WORDS.contains(&source.as_str()) {
            fields.problem(
                field,
                format!("`{field}`: unknown source `{source}`"),
                "a type of webhooks, or `api` for alerts that are posted with a key",
            );
        }
    }
    sources
}

fn read_resolve(fields: &Fields<'_>) -> bool {
    let resolves = fields.get(KEYS.resolve).unwrap_or(false);
    let events = fields.get(KEYS.events);
    if resolves && events.is_some_and(|events| !events.contains(&"completed")) {
        fields.problem(
            KEYS.resolve,
            "`resolve` has no effect without the event `completed`".to_owned(),
            "add `completed` to `events`, or leave the key out",
        );
    }
    resolves
}
