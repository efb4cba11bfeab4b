//! Slack apps whose users may decide: what they say by a button, and how they are answered.

mod press;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use tarsy_config::{Config, Secret, SlackUser};
use tarsy_slack::Slack;

pub(crate) use press::Press;

/// Longest wait for Slack's API: Slack itself gives us three seconds, and we ask twice at once.
const PATIENCE: Duration = Duration::from_secs(2);

/// The Slack apps of a configuration whose users may decide, by target.
pub(crate) type SlackApps = BTreeMap<String, Arc<SlackDesk>>;

/// A Slack app whose users may decide.
#[derive(Debug)]
pub(crate) struct SlackDesk {
    /// Name of its notification target.
    pub(crate) target: String,
    /// Slack signs its requests with it.
    pub(crate) signing_secret: Secret,
    /// Answers them.
    pub(crate) api: Slack,
    users: BTreeMap<String, SlackUser>,
}

impl SlackDesk {
    /// A user that may decide, by their id.
    pub(crate) fn user(&self, id: &str) -> Option<&SlackUser> {
        self.users.get(id)
    }
}

/// The Slack apps of `config` whose users may decide.
pub(crate) fn slack_apps(config: &Config) -> SlackApps {
    let desks = config.notifications.values().filter_map(|target| {
        let app = target
            .slack_app
            .as_ref()
            .filter(|app| app.takes_decisions())?;
        let api = Slack::of(target, PATIENCE).unwrap_or_else(|error| {
            tracing::error!(?error, target = target.name, "failed to set up a Slack app");
            None
        });
        let desk = SlackDesk {
            target: target.name.clone(),
            signing_secret: app.signing_secret.clone()?,
            api: api?,
            users: app.users.clone(),
        };
        Some((target.name.clone(), Arc::new(desk)))
    });
    desks.collect()
}
