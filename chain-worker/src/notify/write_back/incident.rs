//! Writes notes into the alert's incident, and resolves it if that is configured.
//!
//! Each note ends with the delivery's id, by which it can be found again.

use reqwest::StatusCode;
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, FROM, HeaderMap, HeaderValue};
use serde_json::{Value, json};
use tarsy_config::{NotificationFormat, WriteBack};
use tarsy_egress::{Client, Response, secret_header};
use tarsy_model::{SessionOutcome, SessionVerdict};
use tarsy_store::deliveries::DueDelivery;
use url::Url;
use uuid::Uuid;

use super::{accepted, read, receipt};
use crate::notify::Target;
use crate::notify::attempt::{Receipt, Refusal};
use crate::notify::message::Message;

/// Maximum length of an incident id.
const LONGEST_ID: usize = 128;
/// Subject of the error for a 404.
const WHAT: &str = "the incident";

/// Writes one note, and resolves the incident if the target is configured to and the session completed without a
/// failed stage. If the alert names no incident, nothing is written, and the delivery is done without a status.
pub(super) async fn post(
    (target, client): (&Target, &Client),
    write_back: &WriteBack,
    delivery: Uuid,
    message: &Message<'_>,
    is_repeated: bool,
) -> Result<Receipt, Refusal> {
    let due = message.due;
    let is_named = write_back.incident_sources.contains(&due.source);
    let incident = incident_of(target.format, &due.source, is_named, &due.alert_data);
    let Some(incident) = incident else {
        return Ok(receipt(None));
    };
    let api = Api {
        base: &target.url,
        client,
        is_opsgenie: target.format == NotificationFormat::Opsgenie,
        incident,
        headers: headers(write_back, target.format == NotificationFormat::Opsgenie)
            .map_err(Refusal::unanswered)?,
    };
    let mark = format!("tarsy {delivery}");
    let mut last = match is_repeated {
        true => api.find_note(&mark).await?,
        false => None,
    };
    if last.is_none() {
        let note = format!("{}\n\n{mark}", message.note());
        last = Some(api.write_note(&note).await?);
    }
    if write_back.resolves && is_whole(due) {
        last = Some(api.resolve(is_repeated).await?);
    }
    Ok(receipt(last.as_ref()))
}

/// Returns whether the session completed without a failed stage, with an answer that counts as an investigation.
fn is_whole(due: &DueDelivery) -> bool {
    let verdict = due.verdict.as_deref().and_then(SessionVerdict::from_word);
    due.event == "session.completed"
        && due.outcome == Some(SessionOutcome::Completed)
        && !verdict.is_some_and(SessionVerdict::is_failure)
}

/// The API of an incident.
struct Api<'a> {
    base: &'a Url,
    client: &'a Client,
    is_opsgenie: bool,
    incident: &'a str,
    headers: HeaderMap,
}

impl Api<'_> {
    /// Returns the response that lists the note, if it exists.
    async fn find_note(&self, mark: &str) -> Result<Option<Response>, Refusal> {
        let mut page = self.url("notes");
        if self.is_opsgenie {
            page.query_pairs_mut()
                .extend_pairs([("order", "desc"), ("limit", "100")]);
        }
        let answer = read(self.client, page, &self.headers).await?;
        let notes: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
        Ok(contains_note(&notes, self.is_opsgenie, mark).then_some(answer))
    }

    async fn write_note(&self, note: &str) -> Result<Response, Refusal> {
        let body = match self.is_opsgenie {
            true => json!({"note": note, "source": "tarsy"}),
            false => json!({"note": {"content": note}}),
        };
        self.post("notes", &body).await
    }

    /// Resolves the incident. Opsgenie closes an alert only once. PagerDuty refuses to resolve a resolved incident, so
    /// a repeated attempt checks its status first.
    async fn resolve(&self, is_repeated: bool) -> Result<Response, Refusal> {
        if self.is_opsgenie {
            return self.post("close", &json!({"source": "tarsy"})).await;
        }
        if is_repeated && let Some(answer) = self.resolved().await? {
            return Ok(answer);
        }
        let body = json!({"incident": {"type": "incident_reference", "status": "resolved"}});
        let (url, headers) = (self.url(""), self.headers.clone());
        let sent = self.client.put(url, headers, body.to_string()).await;
        let answer = sent.map_err(|error| Refusal::unanswered(error.to_string()))?;
        if answer.status == StatusCode::BAD_REQUEST
            && let Some(answer) = self.resolved().await?
        {
            // Another client resolved it first.
            return Ok(answer);
        }
        accepted(answer, WHAT)
    }

    /// Returns the response if the incident is resolved.
    async fn resolved(&self) -> Result<Option<Response>, Refusal> {
        let answer = read(self.client, self.url(""), &self.headers).await?;
        let shown: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
        Ok((shown["incident"]["status"] == "resolved").then_some(answer))
    }

    async fn post(&self, what: &str, body: &Value) -> Result<Response, Refusal> {
        let (url, headers) = (self.url(what), self.headers.clone());
        let sent = self.client.post(url, headers, body.to_string()).await;
        accepted(
            sent.map_err(|error| Refusal::unanswered(error.to_string()))?,
            WHAT,
        )
    }

    /// Returns the URL of a resource of the incident, or of the incident itself if `what` is empty.
    fn url(&self, what: &str) -> Url {
        let mut url = self.base.clone();
        let path: &[&str] = match self.is_opsgenie {
            true => &["v2", "alerts", self.incident],
            false => &["incidents", self.incident],
        };
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().extend(path);
            if !what.is_empty() {
                segments.push(what);
            }
        }
        if self.is_opsgenie {
            url.query_pairs_mut().append_pair("identifierType", "id");
        }
        url
    }
}

/// Returns the incident that an alert is about. For the vendor's own webhook, it is the vendor's id. Alerts of other
/// sources may name one only if the target trusts them (`is_named`): in `pagerduty_incident_id` or
/// `opsgenie_alert_id`, at the top level or in labels, data or annotations. Otherwise any sender of alerts could
/// resolve any incident.
fn incident_of<'a>(
    format: NotificationFormat,
    source: &str,
    is_named: bool,
    alert: &'a Value,
) -> Option<&'a str> {
    let (vendor, own, named) = match format {
        NotificationFormat::Opsgenie => ("opsgenie", "alertId", "opsgenie_alert_id"),
        _ => ("pagerduty", "id", "pagerduty_incident_id"),
    };
    let places = [
        alert,
        &alert["labels"],
        &alert["data"],
        &alert["annotations"],
    ];
    let id = match source == vendor {
        true => alert[own].as_str(),
        false => places
            .into_iter()
            .filter(|_| is_named)
            .find_map(|place| place[named].as_str()),
    }?;
    let is_id = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    ((1..=LONGEST_ID).contains(&id.len()) && id.bytes().all(is_id)).then_some(id)
}

fn headers(write_back: &WriteBack, is_opsgenie: bool) -> Result<HeaderMap, String> {
    let token = write_back.token.as_ref().map_or("", |token| token.expose());
    let key = match is_opsgenie {
        true => format!("GenieKey {token}"),
        false => format!("Token token={token}"),
    };
    let key = secret_header(&key).map_err(|_| "the API key is not a key")?;
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

/// Returns whether one of the listed notes is that of the delivery.
fn contains_note(answer: &Value, is_opsgenie: bool, mark: &str) -> bool {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_incident_is_what_its_own_source_calls_it_or_what_the_alert_names() {
        let (duty, genie) = (NotificationFormat::Pagerduty, NotificationFormat::Opsgenie);
        let own = json!({"id": "PGR0VU2", "alertId": "a-1", "pagerduty_incident_id": "Q2"});
        assert_eq!(incident_of(duty, "pagerduty", false, &own), Some("PGR0VU2"));
        assert_eq!(incident_of(genie, "opsgenie", false, &own), Some("a-1"));
        // The `id` of another source is not that of an incident.
        assert_eq!(incident_of(duty, "datadog", false, &own), None);
        let named = json!({"id": "7", "labels": {"pagerduty_incident_id": "Q1"}});
        assert_eq!(incident_of(duty, "alertmanager", true, &named), Some("Q1"));
        for odd in ["", "..", "a/b", "a?b", "ä"] {
            let odd = json!({"labels": {"pagerduty_incident_id": odd}});
            assert_eq!(incident_of(duty, "api", true, &odd), None, "{odd}");
        }
    }

    #[test]
    fn who_posts_an_alert_names_no_incident_unless_the_target_takes_its_word() {
        for format in [NotificationFormat::Pagerduty, NotificationFormat::Opsgenie] {
            let names = json!({"pagerduty_incident_id": "Q1", "opsgenie_alert_id": "Q1"});
            for alert in [
                names.clone(),
                json!({"labels": names}),
                json!({"data": names}),
                json!({"annotations": names, "id": "7", "alertId": "7"}),
                json!({"source": "pagerduty", "labels": names}),
            ] {
                for source in ["api", "alertmanager", "generic", "PagerDuty", ""] {
                    assert_eq!(
                        incident_of(format, source, false, &alert),
                        None,
                        "{source} {alert}"
                    );
                }
            }
        }
    }
}
