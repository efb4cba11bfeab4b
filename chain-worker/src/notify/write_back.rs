//! Writes back to other systems: notes in the alert's incident, which can also be resolved (PagerDuty's REST API,
//! Opsgenie's Alert API), and issues (Jira, GitHub).
//!
//! None of them accepts an id from its client, so everything that is written contains the delivery's id. If a delivery
//! was begun before, it is searched for first.

mod incident;
mod issue;

use std::time::Duration;

use chrono::Utc;
use reqwest::StatusCode;
use reqwest::header::HeaderMap;
use tarsy_config::WriteBack;
use tarsy_egress::{Client, Response, only_to, retry_after};
use url::Url;
use uuid::Uuid;

use super::Target;
use super::attempt::{Receipt, Refusal};
use super::message::Message;

/// Writes once. If the delivery was begun before (`is_repeated`), searches for it first.
pub(super) async fn post(
    (target, client): (&Target, &Client),
    write_back: &WriteBack,
    delivery: Uuid,
    message: &Message<'_>,
    is_repeated: bool,
) -> Result<Receipt, Refusal> {
    match &write_back.issues {
        Some(tracker) => {
            let api = (&target.url, client);
            issue::post(api, write_back, tracker, delivery, message, is_repeated).await
        }
        None => incident::post((target, client), write_back, delivery, message, is_repeated).await,
    }
}

/// Reads from the API.
async fn read(client: &Client, url: Url, headers: &HeaderMap) -> Result<Response, Refusal> {
    // A redirect to another host must not receive the key.
    let answer = client.get(url.clone(), only_to(&url, headers)).await;
    accepted(
        answer.map_err(|error| Refusal::unanswered(error.to_string()))?,
        "what is looked for",
    )
}

/// Returns the response if it reports success, or else the reason. Failures that would repeat are final: a body that
/// is not understood, or an incident that does not exist.
fn accepted(answer: Response, what: &str) -> Result<Response, Refusal> {
    if answer.status.is_success() {
        return Ok(answer);
    }
    let status = answer.status;
    let wait = retry_after(&answer.headers).or_else(|| period(&answer.headers));
    let is_limited = match status {
        StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => true,
        // GitHub reports its limits with a 403 that states when to try again.
        StatusCode::FORBIDDEN => wait.is_some(),
        _ => false,
    };
    Err(Refusal {
        status: Some(i32::from(status.as_u16())),
        error: match status {
            StatusCode::NOT_FOUND => format!("answered 404: {what} is unknown"),
            _ => format!("answered {}", status.as_u16()),
        },
        retry_after: wait.filter(|_| is_limited),
        is_final: matches!(
            status,
            StatusCode::NOT_FOUND
                | StatusCode::BAD_REQUEST
                | StatusCode::GONE
                | StatusCode::UNPROCESSABLE_ENTITY
        ),
    })
}

/// Returns the delay from headers other than `Retry-After`: seconds (PagerDuty, Opsgenie), or a time once the quota is
/// used up (GitHub).
fn period(headers: &HeaderMap) -> Option<Duration> {
    let number = |name: &str| headers.get(name)?.to_str().ok()?.parse::<u64>().ok();
    let seconds = number("ratelimit-reset").or_else(|| number("x-ratelimit-period-in-sec"));
    if let Some(seconds) = seconds {
        return Some(Duration::from_secs(seconds));
    }
    let reset =
        number("x-ratelimit-reset").filter(|_| number("x-ratelimit-remaining") == Some(0))?;
    let now = u64::try_from(Utc::now().timestamp()).ok()?;
    Some(Duration::from_secs(reset.saturating_sub(now)))
}

fn receipt(answer: Option<&Response>) -> Receipt {
    Receipt::with(answer.map(|answer| i32::from(answer.status.as_u16())))
}
