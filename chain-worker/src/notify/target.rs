//! Notification targets, and the session ends that each subscribes to.

use std::collections::HashSet;
use std::sync::Arc;

use tarsy_chain::SessionEnd;
use tarsy_config::{Config, NotificationFormat, Secret};
use tarsy_egress::parse_url;
use tarsy_store::NewDelivery;
use url::Url;
use uuid::Uuid;

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
    /// Whether its address may be private.
    pub private: bool,
    /// Whether plain HTTP is allowed.
    pub http: bool,
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
        Some(Target {
            name: target.name.clone(),
            url,
            format: target.format,
            secret: target.secret.clone(),
            events: target.events.clone(),
            private: target.private,
            http: target.http,
        })
    });
    set.collect()
}

/// Names of targets, with the session statuses that each subscribes to. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(crate) struct Subscriptions(Arc<[(String, Vec<String>)]>);

impl Subscriptions {
    /// The subscriptions of `targets`.
    pub(crate) fn of(targets: &[Target]) -> Self {
        Self(
            targets
                .iter()
                .map(|target| (target.name.clone(), target.events.clone()))
                .collect(),
        )
    }

    /// Targets that are notified when a session waits for somebody.
    pub(crate) fn of_waits(&self) -> impl Iterator<Item = &str> {
        let subscribed = self
            .0
            .iter()
            .filter(|(_, events)| events.iter().any(|event| event == "waiting"));
        subscribed.map(|(target, _)| target.as_str())
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
                .filter(|(_, events)| events.iter().any(|event| event == word));
            deliveries.extend(subscribed.map(|(target, _)| NewDelivery {
                delivery_id: Uuid::now_v7(),
                session_id: *session_id,
                target: target.clone(),
                event: format!("session.{word}"),
            }));
        }
        deliveries
    }
}
