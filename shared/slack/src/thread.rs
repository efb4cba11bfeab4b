//! Finds messages again: our own by their metadata, that of Alertmanager by what it says of the alert.

use serde_json::{Value, json};

/// Kind of metadata that our messages carry.
const METADATA: &str = "tarsy_notification";
/// Shortest fingerprint that is looked for: a shorter one may be in a text by chance.
const SHORTEST: usize = 8;

/// Where the messages of a session go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thread {
    /// The message that it hangs under.
    pub ts: String,
}

/// Metadata of a message, which nobody sees, by which it is found again.
#[must_use]
pub fn metadata(session: &str, delivery: &str) -> Value {
    json!({"event_type": METADATA, "event_payload": {"session_id": session, "delivery_id": delivery}})
}

/// The message that a delivery has posted already, among these: one whose answer was lost.
#[must_use]
pub fn own_message<'m>(messages: &'m [Value], delivery: &str) -> Option<&'m Value> {
    messages
        .iter()
        .find(|message| payload(message)["delivery_id"] == delivery)
}

/// The thread of a session among messages of a channel: under an earlier message of the session, else under the first
/// message that holds one of `marks`.
#[must_use]
pub fn thread_of(messages: &[Value], session: &str, marks: &[String]) -> Option<Thread> {
    let earlier = messages
        .iter()
        .find(|message| payload(message)["session_id"] == session);
    let theirs = || {
        messages.iter().find(|message| {
            message["metadata"]["event_type"] != METADATA
                && marks.iter().any(|mark| holds(message, mark))
        })
    };
    let message = earlier.or_else(theirs)?;
    let root = message["thread_ts"].as_str().or(message["ts"].as_str())?;
    Some(Thread {
        ts: root.to_owned(),
    })
}

/// What tells Alertmanager's message of this alert: its fingerprint, its generator's address.
#[must_use]
pub fn marks(alert: &Value) -> Vec<String> {
    let places = [alert, &alert["data"]];
    let text = |key: &str| places.iter().find_map(|place| place[key].as_str());
    let fingerprint = text("fingerprint").filter(|text| text.len() >= SHORTEST);
    let generator = text("generatorURL").filter(|text| text.starts_with("http"));
    let marks = fingerprint.into_iter().chain(generator);
    marks.map(str::to_owned).collect()
}

fn payload(message: &Value) -> &Value {
    let metadata = &message["metadata"];
    match metadata["event_type"] == METADATA {
        true => &metadata["event_payload"],
        false => &Value::Null,
    }
}

/// Whether any text of a message holds `mark`; Slack escapes three characters.
fn holds(value: &Value, mark: &str) -> bool {
    match value {
        Value::String(text) => {
            text.contains(mark)
                || text.contains('&')
                    && text
                        .replace("&lt;", "<")
                        .replace("&gt;", ">")
                        .replace("&amp;", "&")
                        .contains(mark)
        }
        Value::Array(items) => items.iter().any(|item| holds(item, mark)),
        Value::Object(map) => map.values().any(|item| holds(item, mark)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(messages: &[Value], alert: &Value) -> Option<String> {
        thread_of(messages, "s", &marks(alert)).map(|thread| thread.ts)
    }

    #[test]
    fn the_thread_hangs_under_the_message_of_the_alert() {
        let alert =
            json!({"fingerprint": "a1b2c3d4e5f60718", "generatorURL": "http://prom/graph?a=1&b=2"});
        let other = json!({"ts": "1.1", "text": "lunch?"});
        let by_link =
            json!({"ts": "2.1", "attachments": [{"title_link": "http://prom/graph?a=1&amp;b=2"}]});
        let by_name = json!({"ts": "3.1", "text": "`a1b2c3d4e5f60718` fires"});
        assert_eq!(
            found(&[other.clone(), by_link], &alert).as_deref(),
            Some("2.1")
        );
        assert_eq!(
            found(&[other.clone(), by_name], &alert).as_deref(),
            Some("3.1")
        );
        assert_eq!(found(&[other], &alert), None);
        assert_eq!(
            found(
                &[json!({"ts": "4.1", "text": "a b"})],
                &json!({"fingerprint": "a"})
            ),
            None
        );
    }

    #[test]
    fn an_earlier_message_of_the_session_comes_first_and_names_its_thread() {
        let alert = json!({"fingerprint": "a1b2c3d4e5f60718"});
        let theirs = json!({"ts": "9.1", "text": "a1b2c3d4e5f60718"});
        let ours = json!({"ts": "5.2", "thread_ts": "5.1", "metadata": metadata("s", "d")});
        let of_another =
            json!({"ts": "6.1", "text": "a1b2c3d4e5f60718", "metadata": metadata("t", "e")});
        assert_eq!(
            found(&[theirs.clone(), ours.clone()], &alert).as_deref(),
            Some("5.1")
        );
        assert_eq!(found(std::slice::from_ref(&of_another), &alert), None);
        assert_eq!(
            own_message(&[theirs, of_another, ours.clone()], "d"),
            Some(&ours)
        );
    }
}
