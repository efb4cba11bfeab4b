//! Slack apps whose users may decide approvals and ask questions: reads their button presses and
//! mentions, and answers them.

pub(crate) mod events;
pub(crate) mod interactions;
mod mention;
mod press;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use tarsy_config::{Config, Secret, SlackUser};
use tarsy_slack::{Listener, Slack};

pub(crate) use mention::{Mention, SlackEvent};
pub(crate) use press::Press;

/// Timeout of a call to Slack's API. Slack expects a response within three seconds, and two calls
/// run at once.
const PATIENCE: Duration = Duration::from_secs(2);

/// Slack apps whose users may decide, by notification target.
pub(crate) type SlackApps = BTreeMap<String, Arc<SlackDesk>>;

/// A Slack app whose users may decide.
#[derive(Debug)]
pub(crate) struct SlackDesk {
    /// Name of its notification target.
    pub(crate) target: String,
    /// Secret with which Slack signs its requests.
    pub(crate) signing_secret: Secret,
    pub(crate) api: Slack,
    users: BTreeMap<String, SlackUser>,
    app_id: Option<String>,
    team_id: Option<String>,
}

impl SlackDesk {
    /// Returns whether a request is from the configured app and workspace. Workspaces that
    /// installed the same app share its signing secret, and so may targets.
    pub(crate) fn is_from(&self, app: Option<&str>, team: Option<&str>) -> bool {
        let is =
            |wanted: &Option<String>, actual| wanted.as_deref().is_none_or(|id| actual == Some(id));
        is(&self.app_id, app) && is(&self.team_id, team)
    }

    /// Returns a user that may decide, by Slack's id.
    pub(crate) fn user(&self, id: &str) -> Option<&SlackUser> {
        self.users.get(id)
    }

    /// Sends a message that only this user sees. An error is only logged.
    pub(crate) async fn whisper(&self, to: Listener<'_>, text: &str) {
        if let Err(refusal) = self.api.whisper(to, text).await {
            tracing::warn!(
                error = refusal.error,
                target = self.target,
                "failed to answer a user in Slack"
            );
        }
    }
}

/// Returns the Slack apps of `config` whose users may decide.
pub(crate) fn slack_apps(config: &Config) -> SlackApps {
    let desks = config.notifications.values().filter_map(|target| {
        let app = target
            .slack_app
            .as_ref()
            .filter(|app| app.takes_decisions())?;
        let api = Slack::from_target(target, PATIENCE).unwrap_or_else(|error| {
            tracing::error!(?error, target = target.name, "failed to set up a Slack app");
            None
        });
        let desk = SlackDesk {
            target: target.name.clone(),
            signing_secret: app.signing_secret.clone()?,
            api: api?,
            users: app.users.clone(),
            app_id: app.app_id.clone(),
            team_id: app.team_id.clone(),
        };
        Some((target.name.clone(), Arc::new(desk)))
    });
    desks.collect()
}
