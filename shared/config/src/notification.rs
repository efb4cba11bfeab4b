//! Notification targets for ended sessions.

pub(crate) mod fields;

use serde::Serialize;
use serde_json::Value;
use tarsy_model::SessionVerdict;

use self::fields::NotificationFields;
use crate::Secret;
use crate::chain::is_label;
use crate::fields::Fields;
use crate::notification_format::NotificationFormat;
use crate::slack_app::{SLACK_API, SlackApp};
use crate::write_back::WriteBack;

/// The keys of targets.
const KEYS: NotificationFields = NotificationFields::FIELDS;

/// Keys that only targets of some formats have.
const FORMATS_OF_KEYS: [(&str, &[&str]); 15] = [
    (KEYS.bot_token_env.name(), SLACK_APP),
    (KEYS.channel.name(), SLACK_APP),
    (KEYS.signing_secret_env.name(), SLACK_APP),
    (KEYS.users.name(), SLACK_APP),
    (KEYS.app_id.name(), SLACK_APP),
    (KEYS.team_id.name(), SLACK_APP),
    (
        KEYS.token_env.name(),
        &["pagerduty", "opsgenie", "jira", "github-issue"],
    ),
    (KEYS.from.name(), &["pagerduty"]),
    (KEYS.resolve.name(), &["pagerduty", "opsgenie"]),
    (KEYS.incident_sources.name(), &["pagerduty", "opsgenie"]),
    (KEYS.project.name(), &["jira"]),
    (KEYS.issue_type.name(), &["jira"]),
    (KEYS.user.name(), &["jira"]),
    (KEYS.repository.name(), &["github-issue"]),
    (KEYS.labels.name(), &["jira", "github-issue"]),
];
const SLACK_APP: &[&str] = &["slack-app"];

/// Events that are reported if `events` is not set.
const DEFAULT_EVENTS: [&str; 3] = ["completed", "failed", "waiting"];

/// One entry of `notifications`.
#[derive(Clone, Debug, Serialize)]
pub struct NotificationConfig {
    /// Its key.
    pub name: String,
    /// URL to post to, from `url` or from the variable that `url_env` names; `None` while that is not set. A Slack URL
    /// is itself a secret. For a Slack app, PagerDuty, Opsgenie and GitHub it is the URL of the API, with the vendor's
    /// API as the default. Jira has no default.
    pub url: Option<Secret>,
    /// Format of its notifications.
    pub format: NotificationFormat,
    /// `whsec_...`, from the variable that `secret_env` names. Format `standard` signs with it.
    pub secret: Option<Secret>,
    /// Settings that only a Slack app has.
    pub slack_app: Option<SlackApp>,
    /// Settings that only a target that writes back has.
    pub write_back: Option<WriteBack>,
    /// Events to report: starts of sessions (`started`), ends (`completed`, `failed`, `cancelled`), and sessions that
    /// wait for a person (`waiting`). Default: `completed`, `failed`, `waiting`. Targets that create issues don't
    /// report `waiting` by default. A Slack app without `outcomes` also reports `started`.
    pub events: Vec<String>,
    /// Severities to report, in lower case; empty: all.
    pub severities: Vec<String>,
    /// Alert types to report; empty: all.
    pub alert_types: Vec<String>,
    /// Outcomes to report: `completed`, `partial`, `failed`; empty: all.
    pub outcomes: Vec<String>,
    /// Verdicts to report, words of `SessionVerdict`; empty: all.
    pub verdicts: Vec<String>,
    /// Labels of sessions to report, as agents gave them; empty: all sessions, also those without a label. The key
    /// `labels` of a target that creates issues is different: it sets the labels of its issues.
    pub session_labels: Vec<String>,
    /// Whether the host may have a private address. Default: no.
    pub private: bool,
    /// Whether http is allowed. Default: no.
    pub http: bool,
}

fn session_labels(fields: &Fields<'_>) -> Vec<String> {
    let labels = fields.strings(KEYS.session_labels).unwrap_or_default();
    for label in labels.iter().filter(|label| !is_label(label)) {
        fields.problem(
            KEYS.session_labels,
            format!("`session_labels`: invalid label `{label}`"),
            "name labels of chains, e.g. `action`",
        );
    }
    labels
}

fn owned(words: Vec<&str>) -> Vec<String> {
    words.into_iter().map(str::to_owned).collect()
}

/// Returns the default of `events`. Issues are created only for ends, because approvals are requested where people
/// talk. A Slack app keeps threads, so it also reports starts, unless it is limited to some outcomes.
fn default_events(format: NotificationFormat, has_outcomes: bool) -> Vec<String> {
    let is_issue = matches!(
        format,
        NotificationFormat::Jira | NotificationFormat::GithubIssue
    );
    let starts = format == NotificationFormat::SlackApp && !has_outcomes;
    let events = DEFAULT_EVENTS.iter();
    let events = events.filter(|event| !is_issue || **event != "waiting");
    let events = starts.then_some(&"started").into_iter().chain(events);
    events.map(|event| (*event).to_owned()).collect()
}

impl NotificationConfig {
    /// Whether the URL and the secrets that the format needs are set. If not, nothing is sent.
    #[must_use]
    pub const fn is_usable(&self) -> bool {
        let has_secrets = match self.format {
            NotificationFormat::Standard => self.secret.is_some(),
            NotificationFormat::SlackApp => match &self.slack_app {
                Some(app) => app.bot_token.is_some(),
                None => false,
            },
            NotificationFormat::Pagerduty
            | NotificationFormat::Opsgenie
            | NotificationFormat::Jira
            | NotificationFormat::GithubIssue => match &self.write_back {
                Some(write_back) => write_back.token.is_some(),
                None => false,
            },
            _ => true,
        };
        self.url.is_some() && has_secrets
    }

    /// Returns the filter for sessions to report: an object with the accepted values of `severity`, `alert_type`,
    /// `outcome`, `verdict` and `label`. A missing field accepts all values.
    #[must_use]
    pub fn filter(&self) -> Value {
        let fields = [
            ("severity", &self.severities),
            ("alert_type", &self.alert_types),
            ("outcome", &self.outcomes),
            ("verdict", &self.verdicts),
            ("label", &self.session_labels),
        ];
        let set = fields.into_iter().filter(|(_, values)| !values.is_empty());
        let set = set.map(|(field, values)| (field.to_owned(), values.clone().into()));
        Value::Object(set.collect())
    }

    pub(crate) fn read(name: &str, fields: &Fields<'_>) -> Option<Self> {
        let env = fields.context().env;
        let url_env = fields.get(KEYS.url_env);
        let url = fields
            .url(KEYS.url, &["https", "http"])
            .map(|text| Secret::new(text.value()));
        let format = fields.get(KEYS.format);
        let format = format.unwrap_or(NotificationFormat::Standard);
        let word = format.as_str();
        fields.refuse_keys_of_others("a target", KEYS.format, word, &FORMATS_OF_KEYS);
        let is_app = format == NotificationFormat::SlackApp;
        let own_api = WriteBack::api(format).or(is_app.then_some(SLACK_API));
        let has_url = url.is_some() || url_env.is_some();
        if !has_url && own_api.is_none() {
            fields.problem_here(
                "`url` is missing".to_owned(),
                "set `url`, or `url_env` to the variable that holds it",
            );
        }
        let slack_app = is_app.then(|| SlackApp::read(fields));
        let write_back = WriteBack::read(fields, format);
        let secret_env = fields.get(KEYS.secret_env);
        let events = fields.get(KEYS.events).map(owned);
        let events = events.unwrap_or_else(|| default_events(format, fields.has(KEYS.outcomes)));
        let outcomes = fields.get(KEYS.outcomes).unwrap_or_default();
        let verdicts = fields.get(KEYS.verdicts).unwrap_or_default();
        let verdicts = verdicts.into_iter().map(SessionVerdict::as_str).collect();
        let severities = fields.strings(KEYS.severities).unwrap_or_default();
        let notification = Self {
            name: name.to_owned(),
            url: url.or_else(|| {
                url_env
                    .as_deref()
                    .and_then(|name| env.value(name))
                    .or(own_api.filter(|_| !has_url))
                    .map(Secret::new)
            }),
            format,
            slack_app,
            write_back,
            secret: secret_env
                .as_deref()
                .and_then(|name| env.value(name))
                .map(Secret::new),
            events,
            severities: severities.iter().map(|word| word.to_lowercase()).collect(),
            alert_types: fields.strings(KEYS.alert_types).unwrap_or_default(),
            outcomes: owned(outcomes),
            verdicts: owned(verdicts),
            session_labels: session_labels(fields),
            private: fields.get(KEYS.private).unwrap_or(false),
            http: fields.get(KEYS.http).unwrap_or(false),
        };
        if format == NotificationFormat::Standard && secret_env.is_none() {
            fields.problem_here(
                "`secret_env` is missing".to_owned(),
                "set it to the variable that holds the signing secret, `whsec_` and base64",
            );
        }
        Some(notification)
    }
}
