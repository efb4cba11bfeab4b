//! Notification targets.

use serde_json::Value;
use tarsy_config::{Config, NotificationFormat, Secret};
use tarsy_egress::parse_url;
use url::Url;

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
            filter: target.filter(),
            private: target.private,
            http: target.http,
        })
    });
    set.collect()
}
