//! CloudEvents 1.0 over HTTP: one event in the body (structured), several events (batched), or the
//! data in the body and the attributes in `ce-` headers (binary).

use http::HeaderMap;
use serde_json::{Map, Value};
use tarsy_config::WebhookConfig;

use crate::Error;
use crate::webhooks::micros_of;
use crate::webhooks::vendor::{Notice, generic, header, signed_name};

/// One event of a request.
pub(crate) struct CloudEvent {
    /// The event's attributes and its `data`.
    pub(crate) content: Value,
    /// Id of the delivery: the event's source and id. For a signed binary event it is a digest of
    /// the signed content. `ce-id` is not signed, so a copy could be replayed under another id.
    pub(crate) delivery: String,
}

/// Returns the events of a request.
///
/// # Errors
///
/// If the body can't be read, or if an event lacks an attribute that `CloudEvents` require.
pub(crate) fn events(
    source: &WebhookConfig,
    headers: &HeaderMap,
    body: &str,
) -> Result<Vec<CloudEvent>, Error> {
    let parsed: Value = serde_json::from_str(body).map_err(|error| Error::unreadable(&error))?;
    let signed = signed_name(source, headers, body);
    match Mode::detect(headers, &parsed, signed.is_some()) {
        Mode::Batched => {
            let Value::Array(events) = parsed else {
                return Err(Error::field("", "a batch must be a JSON array"));
            };
            events.into_iter().map(CloudEvent::checked).collect()
        }
        Mode::Structured => Ok(vec![CloudEvent::checked(parsed)?]),
        Mode::Binary => {
            let event = CloudEvent::checked(with_attributes(headers, parsed))?;
            Ok(vec![match signed {
                Some(signed) => CloudEvent {
                    delivery: signed,
                    ..event
                },
                None => event,
            }])
        }
    }
}

impl CloudEvent {
    fn checked(content: Value) -> Result<Self, Error> {
        for required in ["specversion", "id", "source", "type"] {
            if text(&content, required).is_none() {
                return Err(Error::field(required, "is missing; CloudEvents require it"));
            }
        }
        Ok(Self {
            delivery: format!(
                "{}#{}",
                text(&content, "source").unwrap_or_default(),
                text(&content, "id").unwrap_or_default()
            ),
            content,
        })
    }
}

fn text<'e>(event: &'e Value, name: &str) -> Option<&'e str> {
    event[name].as_str().filter(|text| !text.is_empty())
}

pub(super) fn notices(
    source: &WebhookConfig,
    headers: &HeaderMap,
    body: &str,
) -> Result<Vec<Notice>, Error> {
    let events = events(source, headers, body)?;
    events
        .into_iter()
        .map(|event| notice(source, event))
        .collect()
}

/// Content mode of a request.
enum Mode {
    Structured,
    Batched,
    Binary,
}

impl Mode {
    /// Returns the mode that the headers name. Headers are not signed. If the source signs, a body
    /// that is an event or a batch counts as one, regardless of the headers.
    fn detect(headers: &HeaderMap, body: &Value, is_signed: bool) -> Self {
        let is_event = |value: &Value| value["specversion"].is_string();
        if is_signed && is_event(body) {
            return Self::Structured;
        }
        let events = body.as_array().filter(|events| !events.is_empty());
        if is_signed && events.is_some_and(|events| events.iter().all(is_event)) {
            return Self::Batched;
        }
        let content_type = header(headers, "content-type").unwrap_or_default();
        let content_type = content_type.to_ascii_lowercase();
        if content_type.starts_with("application/cloudevents-batch") {
            Self::Batched
        } else if headers.contains_key("ce-specversion")
            && !content_type.starts_with("application/cloudevents")
        {
            Self::Binary
        } else {
            Self::Structured
        }
    }
}

/// Builds the event of a binary message, whose headers are the attributes and whose body is `data`.
fn with_attributes(headers: &HeaderMap, data: Value) -> Value {
    let mut event = Map::new();
    for (name, value) in headers {
        if let (Some(attribute), Ok(value)) = (name.as_str().strip_prefix("ce-"), value.to_str()) {
            event.insert(attribute.to_owned(), value.into());
        }
    }
    event.insert("data".to_owned(), data);
    Value::Object(event)
}

fn notice(source: &WebhookConfig, event: CloudEvent) -> Result<Notice, Error> {
    let happened_us = text(&event.content, "time").and_then(micros_of);
    let mut notices = generic::notices(source, event.content, Some(event.delivery));
    let mut notice = notices
        .pop()
        .ok_or_else(|| Error::field("", "is not an event"))?;
    notice.happened_us = happened_us.or(notice.happened_us);
    Ok(notice)
}
