//! Notification targets.

use std::time::Duration;

use serde_json::Value;
use tarsy_config::{Config, NotificationFormat, Secret, WriteBack};
use tarsy_egress::parse_url;
use tarsy_slack::Slack;
use url::Url;

/// Time limit of a request to a target.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);

/// A Slack app as a target.
#[derive(Clone, Debug)]
pub struct SlackTarget {
    /// Client of Slack's Web API.
    pub api: Slack,
    /// Whether people can decide from its messages.
    pub takes_decisions: bool,
}

/// A notification target.
#[derive(Clone, Debug)]
pub struct Target {
    /// Name in the configuration.
    pub name: String,
    /// URL that receives the POST.
    pub url: Url,
    /// Format of the body.
    pub format: NotificationFormat,
    /// Secret that signs the body.
    pub secret: Option<Secret>,
    /// Events that it is notified of: session statuses, `started` and `waiting`.
    pub events: Vec<String>,
    /// Filter of the sessions that it is notified of; see
    /// [`NewDelivery::filter`](tarsy_store::deliveries::NewDelivery::filter).
    pub filter: Value,
    /// Whether its address may be private.
    pub private: bool,
    /// Whether plain HTTP is allowed.
    pub http: bool,
    /// The Slack app, if the target is one.
    pub slack: Option<SlackTarget>,
    /// API that notes or issues are written to, if the target is one.
    pub write_back: Option<WriteBack>,
}

/// Returns the targets of a configuration. Targets whose URL or secret is not set are skipped with a warning.
#[must_use]
pub fn targets(config: &Config) -> Vec<Target> {
    let set = config.notifications.values().filter_map(|target| {
        let url = target
            .url
            .as_ref()
            .and_then(|url| parse_url(url.expose()).ok());
        let (Some(url), true) = (url, target.is_usable()) else {
            tracing::warn!(
                target = target.name,
                "skipping a notification target: its URL or secret is not set"
            );
            return None;
        };
        let slack = Slack::from_target(target, PATIENCE).unwrap_or_else(|error| {
            tracing::error!(
                ?error,
                target = target.name,
                "failed to set up the client of a Slack app"
            );
            None
        });
        let slack = slack.zip(target.slack_app.as_ref());
        Some(Target {
            name: target.name.clone(),
            url,
            format: target.format,
            secret: target.secret.clone(),
            events: target.events.clone(),
            filter: target.filter(),
            private: target.private,
            http: target.http,
            write_back: target.write_back.clone(),
            slack: slack.map(|(api, app)| SlackTarget {
                api,
                takes_decisions: app.takes_decisions(),
            }),
        })
    });
    set.collect()
}
