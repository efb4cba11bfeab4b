//! Finds earlier messages: tarsy's own by their metadata, Alertmanager's by what they contain about the alert.

use serde_json::{Value, json};
use url::Url;

/// Type of the metadata in tarsy's messages.
const METADATA: &str = "tarsy_notification";
/// Shortest fingerprint that is searched for, in hexadecimal digits, as in Alertmanager and Grafana.
const SHORTEST: usize = 16;
/// Characters, besides letters and digits, next to which a URL or a fingerprint is only part of something longer:
/// before it and after it.
const PARTS_BEFORE: &str = "-._~/%";
const PARTS_AFTER: &str = "-_~/?#@$&+=%";
/// Characters that may end a sentence or a bracket. Between two letters they belong to something longer too.
const PUNCTUATION: &[char] = &['.', ',', ';', ':', '!', ')', ']', '*', '\'', '"'];

/// The thread to which the messages of a session are posted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thread {
    /// `ts` of the message at the top of the thread.
    pub ts: String,
}

/// Builds the metadata by which a message is found again. Users don't see it.
#[must_use]
pub fn metadata(session: &str, delivery: &str) -> Value {
    json!({"event_type": METADATA, "event_payload": {"session_id": session, "delivery_id": delivery}})
}

/// Returns the message that a delivery already posted, in case its response was lost.
#[must_use]
pub fn own_message<'m>(messages: &'m [Value], delivery: &str) -> Option<&'m Value> {
    messages
        .iter()
        .find(|message| payload(message)["delivery_id"] == delivery)
}

/// Finds the thread of a session among messages of a channel. It is the thread of an earlier message of the session, if
/// there is one. Otherwise it is that of the first message by a program (an incoming webhook, an app) that contains one
/// of `marks`.
#[must_use]
pub fn thread_of(messages: &[Value], session: &str, marks: &[String]) -> Option<Thread> {
    let earlier = messages
        .iter()
        .find(|message| payload(message)["session_id"] == session);
    let theirs = || {
        messages.iter().find(|message| {
            message["metadata"]["event_type"] != METADATA
                && is_by_program(message)
                && marks.iter().any(|mark| contains_mark(message, mark))
        })
    };
    let message = earlier.or_else(theirs)?;
    let root = message["thread_ts"].as_str().or(message["ts"].as_str())?;
    Some(Thread {
        ts: root.to_owned(),
    })
}

/// Returns the marks by which Alertmanager's message about this alert is recognised: its fingerprint, and the URL of
/// its generator.
#[must_use]
pub fn marks(alert: &Value) -> Vec<String> {
    let places = [alert, &alert["data"]];
    let text = |key: &str| places.iter().find_map(|place| place[key].as_str());
    let fingerprint = text("fingerprint").filter(|text| is_fingerprint(text));
    let generator = text("generatorURL").filter(|text| is_own_address(text));
    let marks = fingerprint.into_iter().chain(generator);
    marks.map(str::to_owned).collect()
}

/// Whether `text` can only be a hash or a UUID. An ordinary word is neither.
fn is_fingerprint(text: &str) -> bool {
    let digits = text.bytes().filter(u8::is_ascii_hexdigit).count();
    let dashes = text.bytes().filter(|byte| *byte == b'-').count();
    digits >= SHORTEST && digits + dashes == text.len()
}

/// Whether the URL identifies a single page. The URL of a bare host does not.
fn is_own_address(text: &str) -> bool {
    Url::parse(text).is_ok_and(|url| {
        matches!(url.scheme(), "http" | "https")
            && url.has_host()
            && (url.path().len() > 1 || url.query().is_some_and(|query| !query.is_empty()))
    })
}

/// Whether a program wrote the message. A person's message is not an alert, whatever it contains.
fn is_by_program(message: &Value) -> bool {
    message["bot_id"].is_string() || message["subtype"] == "bot_message"
}

fn payload(message: &Value) -> &Value {
    let metadata = &message["metadata"];
    match metadata["event_type"] == METADATA {
        true => &metadata["event_payload"],
        false => &Value::Null,
    }
}

/// Whether any text in a message contains `mark`, and not as part of something longer. Slack escapes three characters.
fn contains_mark(value: &Value, mark: &str) -> bool {
    match value {
        Value::String(text) => {
            has_whole(text, mark)
                || text.contains('&')
                    && has_whole(
                        &text
                            .replace("&lt;", "<")
                            .replace("&gt;", ">")
                            .replace("&amp;", "&"),
                        mark,
                    )
        }
        Value::Array(items) => items.iter().any(|item| contains_mark(item, mark)),
        Value::Object(map) => map.values().any(|item| contains_mark(item, mark)),
        _ => false,
    }
}

fn has_whole(text: &str, mark: &str) -> bool {
    let begins_before = |c: char| c.is_alphanumeric() || PARTS_BEFORE.contains(c);
    let goes_on = |c: char| c.is_alphanumeric() || PARTS_AFTER.contains(c);
    text.match_indices(mark).any(|(at, _)| {
        let (head, rest) = (&text[..at], &text[at + mark.len()..]);
        !head.ends_with(begins_before) && !rest.trim_start_matches(PUNCTUATION).starts_with(goes_on)
    })
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
        let by_link = json!({"ts": "2.1", "bot_id": "B1", "attachments": [{"title_link": "http://prom/graph?a=1&amp;b=2"}]});
        let by_name =
            json!({"ts": "3.1", "subtype": "bot_message", "text": "`a1b2c3d4e5f60718` fires"});
        assert_eq!(
            found(&[other.clone(), by_link], &alert).as_deref(),
            Some("2.1")
        );
        assert_eq!(
            found(&[other.clone(), by_name], &alert).as_deref(),
            Some("3.1")
        );
        for text in [
            "checkout answers 503 (a1b2c3d4e5f60718)",
            "fingerprint=a1b2c3d4e5f60718, since 10:00",
            "It is http://prom/graph?a=1&amp;b=2.",
        ] {
            let message = json!({"ts": "7.1", "bot_id": "B1", "text": text});
            assert_eq!(found(&[message], &alert).as_deref(), Some("7.1"), "{text}");
        }
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
        let theirs = json!({"ts": "9.1", "bot_id": "B1", "text": "a1b2c3d4e5f60718"});
        let ours = json!({"ts": "5.2", "thread_ts": "5.1", "metadata": metadata("s", "d")});
        let of_another = json!({"ts": "6.1", "bot_id": "B1", "text": "a1b2c3d4e5f60718", "metadata": metadata("t", "e")});
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

    /// The marks of an alert may be any text that a caller of the API chose.
    #[test]
    fn no_thread_hangs_under_a_message_of_something_else() {
        let texts = [
            "deploy of http://prom/graph?a=1&amp;b=2 by incident-2026 https://grafana.example.com/ done",
            "see <http://prom/graph?a=1&amp;b=2|the graph> and a1b2c3d4e5f60718",
        ];
        let messages: Vec<Value> = texts
            .iter()
            .map(|text| json!({"ts": "1.1", "bot_id": "B1", "text": text}))
            .collect();
        for generator in [
            "http",
            "https",
            "http:",
            "http://",
            "https://grafana.example.com",
            "https://grafana.example.com/",
            "http://prom/graph",
            "http://prom/graph?a=1",
            "ttp://prom/graph?a=1&b=2",
            "prom/graph?a=1&b=2",
            "",
        ] {
            let alert = json!({"generatorURL": generator});
            assert_eq!(found(&messages, &alert), None, "{generator}");
        }
        for fingerprint in [
            "",
            "deploy of",
            "incident-2026",
            "a1b2c3d4",
            "a1b2c3d4e5f6071",
            "1b2c3d4e5f60718",
            "done",
        ] {
            let alert = json!({"fingerprint": fingerprint, "data": {"fingerprint": "deploy"}});
            assert_eq!(found(&messages, &alert), None, "{fingerprint}");
        }
        let alert = json!({"generatorURL": "http://prom/graph?a=1&b=2"});
        assert_eq!(found(&messages, &alert).as_deref(), Some("1.1"));
        let by_person = json!({"ts": "2.1", "user": "U1", "text": "a1b2c3d4e5f60718?"});
        assert_eq!(
            found(&[by_person], &json!({"fingerprint": "a1b2c3d4e5f60718"})),
            None
        );
    }
}
