//! Notification targets.

use std::time::Duration;

use serde_json::Value;
use tarsy_config::{Config, NotificationFormat, Secret, WriteBack};
use tarsy_egress::parse_url;
use tarsy_slack::Slack;
use url::Url;

/// Longest wait for a target.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);

/// A Slack app that is posted as.
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
    /// Receives the POST.
    pub url: Url,
    /// Format of the body.
    pub format: NotificationFormat,
    /// Signs the body.
    pub secret: Option<Secret>,
    /// Session statuses that it is notified of.
    pub events: Vec<String>,
    /// The sessions that it is notified of; see [`NewDelivery::filter`](tarsy_store::deliveries::NewDelivery::filter).
    pub filter: Value,
    /// Whether its address may be private.
    pub private: bool,
    /// Whether plain HTTP is allowed.
    pub http: bool,
    /// The Slack app, if it is one.
    pub slack: Option<SlackTarget>,
    /// The key of an API that notes are written to, if it is one.
    pub write_back: Option<WriteBack>,
}

/// The targets of a configuration; those whose URL or secret is not set are left out, with a
/// warning.
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
