//! Writes notes into the alert's incident: PagerDuty's REST API, Opsgenie's Alert API.
//!
//! Neither takes an id from who writes, so each note ends with the delivery's id, and a delivery that was begun before is
//! looked for among the notes first.

use std::time::Duration;

use reqwest::StatusCode;
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, FROM, HeaderMap, HeaderValue};
use serde_json::{Value, json};
use tarsy_config::{NotificationFormat, WriteBack};
use tarsy_egress::{Client, Response, retry_after};
use url::Url;
use uuid::Uuid;

use super::Target;
use super::attempt::{Refusal, Taken};
use super::message::Message;

/// Longest id of an incident.
const LONGEST_ID: usize = 128;

/// Writes one note; a delivery that was begun before (`is_repeated`) is looked for first. An alert that names no incident is
/// left alone: the delivery is done without a status.
pub(super) async fn post(
    (target, client): (&Target, &Client),
    write_back: &WriteBack,
    delivery: Uuid,
    message: &Message<'_>,
    is_repeated: bool,
) -> Result<Taken, Refusal> {
    let due = message.due;
    let Some(incident) = incident_of(target.format, &due.source, &due.alert_data) else {
        return Ok(taken(None));
    };
    let is_opsgenie = target.format == NotificationFormat::Opsgenie;
    let url = notes_url(&target.url, is_opsgenie, incident);
    let headers = headers(write_back, is_opsgenie).map_err(Refusal::unanswered)?;
    let mark = format!("tarsy {delivery}");

    if is_repeated {
        let mut page = url.clone();
        if is_opsgenie {
            page.query_pairs_mut()
                .extend_pairs([("order", "desc"), ("limit", "100")]);
        }
        // A redirect to another host does not get the key.
        let own = url.origin();
        let headers_for = |to: &Url| match to.origin() == own {
            true => headers.clone(),
            false => HeaderMap::new(),
        };
        let answer = client.get(page, headers_for).await;
        let answer = accepted(answer.map_err(|error| Refusal::unanswered(error.to_string()))?)?;
        let notes: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
        if holds(&notes, is_opsgenie, &mark) {
            return Ok(taken(Some(&answer)));
        }
    }

    let note = format!("{}\n\n{mark}", message.note());
    let body = match is_opsgenie {
        true => json!({"note": note, "source": "tarsy"}),
        false => json!({"note": {"content": note}}),
    };
    let answer = client.post(url, headers, body.to_string()).await;
    let answer = accepted(answer.map_err(|error| Refusal::unanswered(error.to_string()))?)?;
    Ok(taken(Some(&answer)))
}

/// The incident that an alert is about: what the vendor's own webhook calls it, else what an alert of another source
/// names as `pagerduty_incident_id` or `opsgenie_alert_id`, itself or in its labels, data or annotations.
fn incident_of<'a>(format: NotificationFormat, source: &str, alert: &'a Value) -> Option<&'a str> {
    let (vendor, own, named) = match format {
        NotificationFormat::Opsgenie => ("opsgenie", "alertId", "opsgenie_alert_id"),
        _ => ("pagerduty", "id", "pagerduty_incident_id"),
    };
    let by_vendor = (source == vendor).then(|| &alert[own]);
    let places = [
        alert,
        &alert["labels"],
        &alert["data"],
        &alert["annotations"],
    ];
    let by_name = places.into_iter().map(|place| &place[named]);
    let id = by_vendor
        .into_iter()
        .chain(by_name)
        .find_map(Value::as_str)?;
    let is_id = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    ((1..=LONGEST_ID).contains(&id.len()) && id.bytes().all(is_id)).then_some(id)
}

fn notes_url(base: &Url, is_opsgenie: bool, incident: &str) -> Url {
    let mut url = base.clone();
    let path: &[&str] = match is_opsgenie {
        true => &["v2", "alerts", incident, "notes"],
        false => &["incidents", incident, "notes"],
    };
    if let Ok(mut segments) = url.path_segments_mut() {
        segments.pop_if_empty().extend(path);
    }
    if is_opsgenie {
        url.query_pairs_mut().append_pair("identifierType", "id");
    }
    url
}

fn headers(write_back: &WriteBack, is_opsgenie: bool) -> Result<HeaderMap, String> {
    let token = write_back.token.as_ref().map_or("", |token| token.expose());
    let key = match is_opsgenie {
        true => format!("GenieKey {token}"),
        false => format!("Token token={token}"),
    };
    let mut key = HeaderValue::try_from(key).map_err(|_| "the API key is not a key")?;
    key.set_sensitive(true);
    let accept = match is_opsgenie {
        true => "application/json",
        false => "application/vnd.pagerduty+json;version=2",
    };
    let mut headers = HeaderMap::from_iter([
        (AUTHORIZATION, key),
        (ACCEPT, HeaderValue::from_static(accept)),
        (CONTENT_TYPE, HeaderValue::from_static("application/json")),
    ]);
    if let Some(from) = &write_back.from {
        let from = HeaderValue::try_from(from).map_err(|_| "`from` is not a mail address")?;
        headers.insert(FROM, from);
    }
    Ok(headers)
}

/// Whether one of the listed notes is that of the delivery.
fn holds(answer: &Value, is_opsgenie: bool, mark: &str) -> bool {
    let (list, text) = match is_opsgenie {
        true => ("data", "note"),
        false => ("notes", "content"),
    };
    let notes = answer[list].as_array();
    notes.is_some_and(|notes| {
        let mut texts = notes.iter().filter_map(|note| note[text].as_str());
        texts.any(|text| text.contains(mark))
    })
}

/// An answer that is a yes, else why not. What will not be otherwise the next time is final: a body that is not
/// understood, an incident that does not exist.
fn accepted(answer: Response) -> Result<Response, Refusal> {
    if answer.status.is_success() {
        return Ok(answer);
    }
    let status = answer.status;
    let is_limited = matches!(
        status,
        StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE
    );
    let wait = retry_after(&answer.headers).or_else(|| period(&answer.headers));
    Err(Refusal {
        status: Some(i32::from(status.as_u16())),
        error: match status {
            StatusCode::NOT_FOUND => "answered 404: the incident is unknown".to_owned(),
            _ => format!("answered {}", status.as_u16()),
        },
        retry_after: wait.filter(|_| is_limited),
        is_final: matches!(status, StatusCode::NOT_FOUND | StatusCode::BAD_REQUEST),
    })
}

/// What PagerDuty and Opsgenie say in place of `Retry-After`: seconds.
fn period(headers: &HeaderMap) -> Option<Duration> {
    let names = ["ratelimit-reset", "x-ratelimit-period-in-sec"];
    let text = names.iter().find_map(|name| headers.get(*name))?;
    text.to_str().ok()?.parse().ok().map(Duration::from_secs)
}

fn taken(answer: Option<&Response>) -> Taken {
    Taken::with(answer.map(|answer| i32::from(answer.status.as_u16())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_incident_is_what_its_own_source_calls_it_or_what_the_alert_names() {
        let (duty, genie) = (NotificationFormat::Pagerduty, NotificationFormat::Opsgenie);
        let own = json!({"id": "PGR0VU2", "alertId": "a-1"});
        assert_eq!(incident_of(duty, "pagerduty", &own), Some("PGR0VU2"));
        assert_eq!(incident_of(genie, "opsgenie", &own), Some("a-1"));
        // Another source's `id` is something else.
        assert_eq!(incident_of(duty, "datadog", &own), None);
        let named = json!({"id": "7", "labels": {"pagerduty_incident_id": "Q1"}});
        assert_eq!(incident_of(duty, "alertmanager", &named), Some("Q1"));
        for odd in ["", "..", "a/b", "a?b", "ä"] {
            let odd = json!({"labels": {"pagerduty_incident_id": odd}});
            assert_eq!(incident_of(duty, "api", &odd), None, "{odd}");
        }
    }
}
