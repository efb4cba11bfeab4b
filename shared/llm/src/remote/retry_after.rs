//! Reads how long a provider asks to wait.

use std::time::Duration;

use chrono::{DateTime, Utc};
use reqwest::header::HeaderMap;
use serde_json::Value;

const MAX: Duration = Duration::from_secs(24 * 3600);

/// Returns the wait in headers or body. An explicit wait takes precedence over an exhausted budget.
///
/// Compares dates with the response's own `Date` header, not with the local clock.
pub(super) fn retry_after(headers: &HeaderMap, body: &Value) -> Option<Duration> {
    let text = |name: &str| {
        headers
            .get(name)
            .and_then(|value| value.to_str().ok())
            .map(str::trim)
    };
    let now = tarsy_egress::server_time(headers).unwrap_or_else(Utc::now);
    text("retry-after-ms")
        .and_then(|value| seconds(value.parse::<f64>().ok()? / 1000.0))
        .or_else(|| tarsy_egress::retry_after(headers))
        .or_else(|| retry_delay(body))
        .or_else(|| exhausted_budget(&text, now))
        .or_else(|| wait_in_message(body))
        .map(|wait| wait.min(MAX))
}

/// Reads Gemini's wait, `{"@type": "..RetryInfo", "retryDelay": "34.07s"}` among the error's details.
pub(super) fn retry_delay(body: &Value) -> Option<Duration> {
    let body = body.get(0).unwrap_or(body);
    body.pointer("/error/details")?
        .as_array()?
        .iter()
        .find_map(|detail| span(detail.get("retryDelay")?.as_str()?))
        .map(|wait| wait.min(MAX))
}

/// Reads the wait in the message, e.g. `Please try again in 6.2s.` or `Please retry after 17 seconds.` OpenAI and Azure
/// repeat it there, and gateways that drop headers keep it.
fn wait_in_message(body: &Value) -> Option<Duration> {
    let body = body.get(0).unwrap_or(body);
    let message = body
        .pointer("/error/message")
        .or(body.get("message"))?
        .as_str()?;
    let (_, rest) = ["try again in ", "retry after ", "retry in "]
        .into_iter()
        .find_map(|words| message.split_once(words))?;
    let mut words = rest.split_whitespace();
    let number = words.next()?.trim_end_matches(['.', ',', ';']);
    match (number.parse::<f64>(), words.next()) {
        (Ok(count), Some(unit)) if unit.starts_with("second") => seconds(count),
        (Ok(count), Some(unit)) if unit.starts_with("minute") => seconds(count * 60.0),
        (Ok(count), Some(unit)) if unit.starts_with("millisecond") => seconds(count / 1000.0),
        (Ok(_), _) => None,
        (Err(_), _) => span(number),
    }
}

/// Returns the longest time until an exhausted budget is reset. OpenAI and xAI: `x-ratelimit-remaining-tokens: 0`,
/// `x-ratelimit-reset-tokens: 6m0s`. Anthropic: `anthropic-ratelimit-tokens-remaining: 0`,
/// `-reset: 2026-01-01T00:00:00Z`.
fn exhausted_budget<'h>(
    text: &impl Fn(&str) -> Option<&'h str>,
    now: DateTime<Utc>,
) -> Option<Duration> {
    let exhausted = |name: &str| text(name).is_some_and(|left| left == "0");
    let mut longest = None;
    for budget in ["requests", "tokens"] {
        if exhausted(&format!("x-ratelimit-remaining-{budget}")) {
            longest = longest.max(text(&format!("x-ratelimit-reset-{budget}")).and_then(span));
        }
    }
    for budget in ["requests", "tokens", "input-tokens", "output-tokens"] {
        if exhausted(&format!("anthropic-ratelimit-{budget}-remaining")) {
            let reset = text(&format!("anthropic-ratelimit-{budget}-reset"))
                .and_then(|value| DateTime::parse_from_rfc3339(value).ok())
                .and_then(|at| until(at.to_utc(), now));
            longest = longest.max(reset);
        }
    }
    longest
}

fn until(then: DateTime<Utc>, now: DateTime<Utc>) -> Option<Duration> {
    // A time in the past means no wait.
    Some((then - now).to_std().unwrap_or_default())
}

fn seconds(number: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(number).ok()
}

/// Parses `34.07s`, `120ms`, `6m0s`, `1h2m3s`, `1d`, or plain seconds.
fn span(text: &str) -> Option<Duration> {
    let mut rest = text.trim();
    if let Ok(number) = rest.parse::<f64>() {
        return seconds(number);
    }
    let mut total = Duration::ZERO;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let number: f64 = rest[..digits].parse().ok()?;
        rest = &rest[digits..];
        let unit_len = rest
            .find(|c: char| c.is_ascii_digit())
            .unwrap_or(rest.len());
        let unit = match &rest[..unit_len] {
            "ms" => 0.001,
            "s" => 1.0,
            "m" => 60.0,
            "h" => 3600.0,
            "d" => 86_400.0,
            _ => return None,
        };
        rest = &rest[unit_len..];
        total = total.checked_add(seconds(number * unit)?)?;
    }
    Some(total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_as_providers_write_them() {
        let cases = [
            ("34.07s", 34_070),
            ("120ms", 120),
            ("6m0s", 360_000),
            ("1h2m3s", 3_723_000),
            ("7", 7000),
        ];
        for (text, ms) in cases {
            assert_eq!(span(text), Some(Duration::from_millis(ms)), "{text}");
        }
        for text in ["soon", "-1s", "1x", "s", "1e999", "."] {
            assert_eq!(span(text), None, "{text}");
        }
    }
}
