//! Notification targets, and the session ends that each subscribes to.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tarsy_chain::SessionEnd;
use tarsy_config::{Config, NotificationFormat, Secret};
use tarsy_egress::parse_url;
use tarsy_slack::Slack;
use tarsy_store::{NewDelivery, WaitRecord};
use url::Url;
use uuid::Uuid;

/// Longest wait for a target.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);

/// A Slack app that is posted as.
#[derive(Clone, Debug)]
pub struct SlackTarget {
    /// Its API.
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
    /// The sessions that it is notified of; see [`NewDelivery::filter`].
    pub filter: Value,
    /// Whether its address may be private.
    pub private: bool,
    /// Whether plain HTTP is allowed.
    pub http: bool,
    /// The Slack app, if it is one.
    pub slack: Option<SlackTarget>,
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
        let slack = Slack::of(target, PATIENCE).unwrap_or_else(|error| {
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
            slack: slack.map(|(api, app)| SlackTarget {
                api,
                takes_decisions: app.takes_decisions(),
            }),
        })
    });
    set.collect()
}

/// What a target subscribes to.
#[derive(Clone, Debug)]
struct Subscription {
    target: String,
    events: Vec<String>,
    filter: Value,
}

/// What targets subscribe to. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(crate) struct Subscriptions(Arc<[Subscription]>);

impl Subscriptions {
    /// The subscriptions of `targets`.
    pub(crate) fn of(targets: &[Target]) -> Self {
        Self(
            targets
                .iter()
                .map(|target| Subscription {
                    target: target.name.clone(),
                    events: target.events.clone(),
                    filter: target.filter.clone(),
                })
                .collect(),
        )
    }

    /// Targets that are notified when this session waits for somebody.
    pub(crate) fn of_wait(&self, wait: &WaitRecord) -> Vec<&str> {
        let severity = wait.severity.to_lowercase();
        let subscribed = self.0.iter().filter(|subscription| {
            subscription.events.iter().any(|event| event == "waiting")
                && accepts(&subscription.filter, "severity", &severity)
                && accepts(&subscription.filter, "alert_type", &wait.alert_type)
        });
        subscribed
            .map(|subscription| subscription.target.as_str())
            .collect()
    }

    /// The deliveries that are due when these sessions end, each session once.
    pub(crate) fn deliveries<'a>(
        &self,
        ends: impl Iterator<Item = &'a SessionEnd>,
    ) -> Vec<NewDelivery> {
        let mut seen = HashSet::new();
        let mut deliveries = Vec::new();
        for SessionEnd {
            session_id, status, ..
        } in ends
        {
            let word = status.as_str();
            if !seen.insert((session_id, word)) {
                continue;
            }
            let subscribed = self
                .0
                .iter()
                .filter(|subscription| subscription.events.iter().any(|event| event == word));
            deliveries.extend(subscribed.map(|subscription| NewDelivery {
                delivery_id: Uuid::now_v7(),
                session_id: *session_id,
                target: subscription.target.clone(),
                event: format!("session.{word}"),
                filter: subscription.filter.clone(),
            }));
        }
        deliveries
    }
}

/// Whether a filter accepts this value of a field; see [`NewDelivery::filter`].
fn accepts(filter: &Value, field: &str, value: &str) -> bool {
    let accepted = filter.get(field).and_then(Value::as_array);
    accepted.is_none_or(|values| values.iter().any(|accepted| accepted == value))
}
