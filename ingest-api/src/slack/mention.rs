//! Mentions of the app in Slack's Events API.

use serde_json::Value;

/// Request of Slack to the app's address for events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SlackEvent {
    /// Slack verifies the address; the response must contain this text.
    Challenge(String),
    /// A user mentioned the app.
    Mention(Mention),
    /// Another event, e.g. a mention by a bot, which is ignored.
    Other,
}

/// A mention of the app.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mention {
    /// Id of the event; a repetition has the same.
    pub(crate) event_id: String,
    /// Slack's ids of the app and of the workspace that it was written in.
    pub(crate) app: Option<String>,
    pub(crate) team: Option<String>,
    /// Slack's id of the author.
    pub(crate) user: String,
    pub(crate) channel: String,
    /// Thread that the message is in.
    pub(crate) thread: Option<String>,
    /// Text without the mention and Slack's markup.
    pub(crate) text: String,
}

impl SlackEvent {
    /// Parses the body of a request.
    ///
    /// # Errors
    ///
    /// The invalid field, and what is wrong with it.
    pub(crate) fn read(body: &[u8]) -> Result<Self, (&'static str, &'static str)> {
        let body: Value = serde_json::from_slice(body).map_err(|_| ("body", "not JSON"))?;
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let event = &body["event"];
        match (body["type"].as_str(), event["type"].as_str()) {
            (Some("url_verification"), _) => {
                let challenge = text(&body["challenge"]);
                challenge
                    .map(Self::Challenge)
                    .ok_or(("challenge", "missing"))
            }
            // Mentions by bots are ignored, because a bot that gets an answer may answer in turn.
            (Some("event_callback"), Some("app_mention")) if event["bot_id"].is_null() => {
                let id = |value: &Value| text(value).filter(|id| is_id(id));
                let own = body["authorizations"][0]["user_id"].as_str();
                Ok(Self::Mention(Mention {
                    event_id: id(&body["event_id"]).ok_or(("event_id", "not an id"))?,
                    app: text(&body["api_app_id"]),
                    team: text(&body["team_id"]),
                    user: id(&event["user"]).ok_or(("event.user", "not an id"))?,
                    channel: id(&event["channel"]).ok_or(("event.channel", "not an id"))?,
                    thread: text(&event["thread_ts"]).filter(|ts| is_time(ts)),
                    text: plain(event["text"].as_str().unwrap_or_default(), own),
                }))
            }
            _ => Ok(Self::Other),
        }
    }
}

fn is_id(text: &str) -> bool {
    (1..=64).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// Returns whether a text has the format of Slack's message ids (timestamps).
fn is_time(text: &str) -> bool {
    text.len() <= 32
        && text
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'.')
}

/// Removes the mention of the app and Slack's markup from a text. The app is the user `own`. If that is not known, it
/// is the first user that the text mentions.
fn plain(text: &str, own: Option<&str>) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut own = own.map(str::to_owned);
    let mut rest = text;
    while let Some((before, from)) = rest.split_once('<') {
        plain.push_str(before);
        let Some((inside, after)) = from.split_once('>') else {
            plain.push('<');
            rest = from;
            break;
        };
        let (target, label) = inside.split_once('|').unwrap_or((inside, ""));
        match target.split_at_checked(1) {
            Some(("@", user)) if own.as_deref().is_none_or(|own| own == user) => {
                own = Some(user.to_owned());
            }
            Some((sign @ ("@" | "#"), name)) => {
                plain.push_str(sign);
                plain.push_str(if label.is_empty() { name } else { label });
            }
            Some(("!", name)) => {
                plain.push('@');
                plain.push_str(name);
            }
            _ => plain.push_str(target),
        }
        rest = after;
    }
    plain.push_str(rest);
    let plain = plain.replace("&lt;", "<").replace("&gt;", ">");
    plain.replace("&amp;", "&").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(body: &Value) -> Result<SlackEvent, (&'static str, &'static str)> {
        SlackEvent::read(body.to_string().as_bytes())
    }

    fn mentioned() -> Value {
        json!({
            "type": "event_callback", "event_id": "Ev1", "authorizations": [{"user_id": "U0BOT"}],
            "event": {"type": "app_mention", "user": "U1", "channel": "C1", "ts": "2.1", "thread_ts": "1.1",
                      "text": "<@U0BOT> why &lt;5 &amp;amp; not &gt;6?"},
        })
    }

    #[test]
    fn a_mention_names_who_where_and_what() {
        let Ok(SlackEvent::Mention(mention)) = read(&mentioned()) else {
            panic!("no mention");
        };
        assert_eq!(
            (mention.event_id.as_str(), mention.user.as_str()),
            ("Ev1", "U1")
        );
        assert_eq!(mention.thread.as_deref(), Some("1.1"));
        assert_eq!(mention.text, "why <5 &amp; not >6?");
    }

    #[test]
    fn markup_becomes_text() {
        for (text, expected) in [
            (
                "hey <@U0BOT> ask <@U2|sam> in <#C2|ops>",
                "hey  ask @sam in @ops",
            ),
            (
                "<@U0BOT> <http://a/b?c=1&amp;d|there> <!here>",
                "http://a/b?c=1&d @here",
            ),
            ("<@U0BOT> <@U3>", "@U3"),
            ("<@U0BOT>", ""),
            ("a < b", "a < b"),
        ] {
            let expected = expected.replace("@ops", "#ops");
            assert_eq!(plain(text, Some("U0BOT")), expected, "{text}");
        }
        // The event does not name the app's user, so the first mentioned one counts.
        assert_eq!(plain("<@U9> is <@U2> there?", None), "is @U2 there?");
    }

    #[test]
    fn bots_and_other_events_are_left_alone() {
        let mut by_bot = mentioned();
        by_bot["event"]["bot_id"] = json!("B1");
        assert_eq!(read(&by_bot), Ok(SlackEvent::Other));
        let mut other = mentioned();
        other["event"]["type"] = json!("message");
        assert_eq!(read(&other), Ok(SlackEvent::Other));
        let challenge = json!({"type": "url_verification", "challenge": "c"});
        assert_eq!(read(&challenge), Ok(SlackEvent::Challenge("c".to_owned())));
        let mut strange = mentioned();
        strange["event"]["user"] = json!("U 1");
        assert!(read(&strange).is_err() && SlackEvent::read(b"x").is_err());
    }
}
