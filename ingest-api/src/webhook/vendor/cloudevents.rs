//! CloudEvents 1.0 over HTTP: one event in the body (structured), several (batched), or its
//! data in the body and its attributes in `ce-` headers (binary).

use axum::http::HeaderMap;
use serde_json::{Map, Value};
use tarsy_config::WebhookConfig;

use super::{Notice, field, generic, header};
use crate::alert::Unreadable;
use crate::clock;
use crate::problem::Problem;

pub(super) fn notices(
    source: &WebhookConfig,
    headers: &HeaderMap,
    body: &str,
) -> Result<Vec<Notice>, Problem> {
    let content_type = header(headers, "content-type")
        .unwrap_or_default()
        .to_ascii_lowercase();
    let parse = || {
        serde_json::from_str::<Value>(body).map_err(|error| Problem::from(Unreadable::from(error)))
    };
    if content_type.starts_with("application/cloudevents-batch") {
        let Value::Array(events) = parse()? else {
            return Err(field("", "a batch must be a JSON array"));
        };
        return events
            .into_iter()
            .map(|event| notice(source, event))
            .collect();
    }
    let event = match header(headers, "ce-specversion") {
        Some(_) if !content_type.starts_with("application/cloudevents") => {
            let mut event = Map::new();
            for (name, value) in headers {
                if let (Some(attribute), Ok(value)) =
                    (name.as_str().strip_prefix("ce-"), value.to_str())
                {
                    event.insert(attribute.to_owned(), value.into());
                }
            }
            event.insert("data".to_owned(), parse()?);
            Value::Object(event)
        }
        _ => parse()?,
    };
    Ok(vec![notice(source, event)?])
}

fn notice(source: &WebhookConfig, event: Value) -> Result<Notice, Problem> {
    let text = |name: &str| {
        event[name]
            .as_str()
            .filter(|text| !text.is_empty())
            .map(str::to_owned)
    };
    for required in ["specversion", "id", "source", "type"] {
        if text(required).is_none() {
            return Err(field(required, "is missing; CloudEvents require it"));
        }
    }
    let delivery = format!(
        "{}#{}",
        text("source").unwrap_or_default(),
        text("id").unwrap_or_default()
    );
    let happened_us = text("time").as_deref().and_then(clock::micros_of);
    let mut notices = generic::notices(source, event, Some(delivery));
    let mut notice = notices.pop().ok_or_else(|| field("", "is not an event"))?;
    notice.happened_us = happened_us.or(notice.happened_us);
    Ok(notice)
}
