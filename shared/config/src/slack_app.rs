//! Notification targets that are Slack apps: token, channel, signing secret and users.

use std::collections::BTreeMap;

use serde::Serialize;
use tarsy_model::Role;

use crate::Secret;
use crate::fields::{Field, Fields, Text};
use crate::notification::fields::{NotificationFields, SlackUserFields};

/// Slack's Web API, unless `url` names another address.
pub(crate) const SLACK_API: &str = "https://slack.com/api";
/// The keys of targets.
const KEYS: NotificationFields = NotificationFields::FIELDS;

/// Settings that only a target of format `slack-app` has.
#[derive(Clone, Debug, Serialize)]
pub struct SlackApp {
    /// `xoxb-...`, from the variable that `bot_token_env` names.
    pub bot_token: Option<Secret>,
    /// Id of the channel to post to.
    pub channel: String,
    /// Secret with which Slack signs its requests, from the variable that `signing_secret_env` names. Without it,
    /// messages have no buttons.
    pub signing_secret: Option<Secret>,
    /// Id of the app whose button presses and events are accepted. Default: any app with a valid signature.
    pub app_id: Option<String>,
    /// Id of the workspace whose button presses and events are accepted. Default: any workspace with a valid signature.
    pub team_id: Option<String>,
    /// Slack users who may decide, by their Slack ids.
    pub users: BTreeMap<String, SlackUser>,
}

/// A user of Slack.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SlackUser {
    /// Name in the audit log.
    pub name: String,
    /// What they may do: `operator` or `admin`.
    pub role: Role,
}

impl SlackApp {
    /// Whether people can decide in Slack: its requests can be verified, and at least one user may decide.
    #[must_use]
    pub fn takes_decisions(&self) -> bool {
        self.signing_secret.is_some() && !self.users.is_empty()
    }

    pub(crate) fn read(fields: &Fields<'_>) -> Self {
        let env = fields.context().env;
        let secret = |name: Option<String>| name.and_then(|name| env.value(&name)).map(Secret::new);
        let token_env = fields.require(
            KEYS.bot_token_env,
            "set it to the variable that holds the bot token, `xoxb-...`",
        );
        let channel = fields.require(KEYS.channel, "the id of the channel, e.g. `C024BE91L`");
        let channel = channel.map(Text::into_string);
        if let Some(channel) = &channel
            && !is_id(channel, &['C', 'G'])
        {
            fields.problem(
                KEYS.channel,
                "`channel`: not the id of a channel".to_owned(),
                "Slack shows the id at the end of the channel's details, e.g. `C024BE91L`",
            );
        }
        let signing_env = fields.get(KEYS.signing_secret_env);
        let users = read_users(fields);
        if !users.is_empty() && !fields.has(KEYS.signing_secret_env) {
            fields.problem(
                KEYS.users,
                "`users` requires `signing_secret_env`".to_owned(),
                "set it to the variable that holds the app's signing secret",
            );
        }
        Self {
            bot_token: secret(token_env),
            channel: channel.unwrap_or_default(),
            signing_secret: secret(signing_env),
            app_id: read_id(fields, KEYS.app_id, &['A'], "of an app, e.g. `A012ABCDEF`"),
            team_id: read_id(
                fields,
                KEYS.team_id,
                &['T', 'E'],
                "of a workspace, e.g. `T012ABCDEF`",
            ),
            users,
        }
    }
}

fn read_id(fields: &Fields<'_>, key: Field<Text>, letters: &[char], what: &str) -> Option<String> {
    let id = fields.string(key)?;
    if !is_id(&id, letters) {
        fields.problem(
            key,
            format!("`{key}`: not an id"),
            &format!("the id {what}"),
        );
    }
    Some(id)
}

fn read_users(fields: &Fields<'_>) -> BTreeMap<String, SlackUser> {
    let mut users = BTreeMap::new();
    for (key, section) in fields.get(KEYS.users).into_iter().flatten() {
        if !is_id(&key.text, &['U', 'W']) {
            fields.problem(
                KEYS.users,
                format!("`users`: `{}` is not the id of a Slack user", key.text),
                "Slack shows the id in the user's profile as the member ID, e.g. `U012ABCDEF`",
            );
        }
        let Some(section) = section else { continue };
        let keys = SlackUserFields::FIELDS;
        let name = section.require(keys.name, "what the audit log calls the user");
        let role = section.require(keys.role, "one of operator, admin");
        if let (Some(name), Some(role)) = (name.map(Text::into_string), role) {
            users.insert(key.text.clone(), SlackUser { name, role });
        }
    }
    users
}

/// Whether `text` is a Slack id that begins with one of `letters`.
fn is_id(text: &str, letters: &[char]) -> bool {
    let is_upper = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit();
    text.starts_with(letters) && (2..=32).contains(&text.len()) && text.chars().all(is_upper)
}
