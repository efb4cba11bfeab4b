//! Button presses in Slack.

use serde_json::Value;
use tarsy_model::WaitId;
use tarsy_slack::{APPROVE, DECISION_BLOCK, DENY};

/// A press of a button that decides an approval.
#[derive(Clone, Debug)]
pub(crate) struct Press {
    /// Slack's id of the user who pressed it.
    pub(crate) user: String,
    /// Slack's ids of the app, and of the user's workspace.
    pub(crate) app: Option<String>,
    pub(crate) team: Option<String>,
    /// Channel in which it was pressed.
    pub(crate) channel: Option<String>,
    pub(crate) wait_id: WaitId,
    /// Whether it is the button that approves.
    pub(crate) is_approved: bool,
    /// Thread that the message is in.
    pub(crate) thread: Option<String>,
}

impl Press {
    /// Parses a form of Slack. `None` if it is about something else, e.g. a button that is a link.
    ///
    /// # Errors
    ///
    /// Text that names what can't be read.
    pub(crate) fn read(form: &[u8]) -> Result<Option<Self>, &'static str> {
        let mut fields = url::form_urlencoded::parse(form);
        let (_, payload) = fields
            .find(|(name, _)| name == "payload")
            .ok_or("the field `payload` is missing")?;
        let payload: Value = serde_json::from_str(&payload).map_err(|_| "`payload` is not JSON")?;
        let action = &payload["actions"][0];
        let is_approved = match action["action_id"].as_str() {
            Some(APPROVE) => true,
            Some(DENY) => false,
            _ => return Ok(None),
        };
        if payload["type"] != "block_actions" || action["block_id"] != DECISION_BLOCK {
            return Ok(None);
        }
        let wait_id = action["value"].as_str().and_then(|id| id.parse().ok());
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let thread =
            text(&payload["container"]["thread_ts"]).or(text(&payload["message"]["thread_ts"]));
        Ok(Some(Self {
            user: text(&payload["user"]["id"]).ok_or("`user.id` is missing")?,
            app: text(&payload["api_app_id"]),
            team: text(&payload["user"]["team_id"]).or(text(&payload["team"]["id"])),
            channel: text(&payload["channel"]["id"]).or(text(&payload["container"]["channel_id"])),
            wait_id: wait_id.ok_or("the button's value is not the id of a wait")?,
            is_approved,
            thread,
        }))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn form(payload: &Value) -> Vec<u8> {
        let mut form = url::form_urlencoded::Serializer::new(String::new());
        form.append_pair("payload", &payload.to_string());
        form.finish().into_bytes()
    }

    fn pressed(action: &str) -> Value {
        json!({
            "type": "block_actions", "user": {"id": "U1"},
            "container": {"type": "message", "message_ts": "2.1", "channel_id": "C1", "thread_ts": "1.1"},
            "message": {"text": "asks", "blocks": [
                {"type": "header", "block_id": "a"}, {"type": "actions", "block_id": DECISION_BLOCK}]},
            "actions": [{"action_id": action, "block_id": DECISION_BLOCK, "value": WaitId::generate()}],
        })
    }

    #[test]
    fn a_press_names_who_what_and_where() {
        let press = Press::read(&form(&pressed(DENY))).unwrap().unwrap();
        assert_eq!((press.user.as_str(), press.is_approved), ("U1", false));
        assert_eq!(press.thread.as_deref(), Some("1.1"));
    }

    #[test]
    fn other_actions_are_none_and_what_is_no_press_is_refused() {
        assert!(Press::read(&form(&pressed("open"))).unwrap().is_none());
        assert!(
            Press::read(&form(&json!({"type": "shortcut"})))
                .unwrap()
                .is_none()
        );
        let mut strange = pressed(APPROVE);
        strange["actions"][0]["value"] = json!("x");
        assert!(Press::read(&form(&strange)).is_err());
        assert!(Press::read(b"a=b").is_err() && Press::read(b"payload=%7B").is_err());
    }
}
