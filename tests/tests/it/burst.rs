//! Ten thousand alerts at once: each is either accepted durably or refused clearly.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::ops::RangeInclusive;
use std::time::Duration;

use futures::{StreamExt as _, stream};
use reqwest::header::RETRY_AFTER;
use serde_json::{Value, json};
use tarsy_tests::{Fleet, SOON, scene};

const ALERTS: usize = 10_000;
/// Number of concurrent requests.
const AT_ONCE: usize = 400;
/// Maximum number of waiting sessions.
const LIMIT: i64 = 4_000;

/// Response to an alert.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Answer {
    Accepted,
    Refused,
    /// The database did not respond in time. The alert may be committed, so its sender must retry.
    Unknown,
}

/// Posts an alert. Fails unless the response is one of [`Answer`].
async fn post(client: &reqwest::Client, url: &str, number: usize) -> Answer {
    let alert = json!({"alert_type": "CheckoutDown", "runbook": "local:checkout.md", "severity": "critical", "data": {"incident": number}});
    let sent = client.post(url).json(&alert).send().await;
    let answer = sent.unwrap_or_else(|error| panic!("alert {number} was not answered: {error:?}"));
    let status = answer.status().as_u16();
    let retry_after = answer.headers().get(RETRY_AFTER).cloned();
    let body: Value = answer.json().await.unwrap();
    if status == 202 {
        assert_eq!(body["status"], "queued", "{body}");
        return Answer::Accepted;
    }
    let code = body["code"].as_str().unwrap_or_default();
    assert_eq!(status, 503, "{body}");
    assert!(
        matches!(code, "overloaded" | "database_unavailable"),
        "{body}"
    );
    let seconds: u64 = retry_after.unwrap().to_str().unwrap().parse().unwrap();
    assert!(seconds > 0);
    match code {
        "overloaded" => Answer::Refused,
        _ => Answer::Unknown,
    }
}

/// Posts all alerts at once. Returns the minimum and maximum number of accepted alerts.
async fn burst(client: &reqwest::Client, url: &str) -> RangeInclusive<i64> {
    let posts = stream::iter(0..ALERTS).map(|number| post(client, url, number));
    let answers: Vec<Answer> = posts.buffer_unordered(AT_ONCE).collect().await;
    assert_eq!(answers.len(), ALERTS);
    let count = |wanted| answers.iter().filter(|answer| **answer == wanted).count();
    let count = |wanted| i64::try_from(count(wanted)).unwrap();
    let accepted = count(Answer::Accepted);
    accepted..=accepted + count(Answer::Unknown)
}

/// Asserts that each accepted alert is one session with one job. Returns the number of sessions.
async fn assert_kept(fleet: &Fleet, accepted: RangeInclusive<i64>) -> i64 {
    let sessions = "select count(*) from alert_sessions";
    let sessions = fleet.rows.count(sessions).await;
    assert!(accepted.contains(&sessions), "{sessions} of {accepted:?}");
    for counted in [
        "select count(*) from alert_sessions s join jobs j on j.subject = s.session_id and j.queue = 'chain'",
        "select count(distinct alert_data ->> 'incident') from alert_sessions",
    ] {
        assert_eq!(fleet.rows.count(counted).await, sessions, "{counted}");
    }
    sessions
}

fn client() -> reqwest::Client {
    reqwest::Client::builder().timeout(SOON).build().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn ten_thousand_alerts_are_each_accepted_or_refused_clearly() {
    let fleet = Fleet::new(scene::play)
        .await
        .with("TARSY_BACKLOG_LIMIT", LIMIT.to_string())
        .with("DATABASE_MAX_CONNECTIONS", "2");
    let ingest = fleet.ingest().await;
    let (url, client) = (format!("{}/alerts", ingest.url), client());
    let accepted = burst(&client, &url).await;
    assert!(*accepted.start() > 0, "{accepted:?} were accepted");
    let sessions = assert_kept(&fleet, accepted).await;
    assert!(sessions <= LIMIT, "{sessions} wait");

    // The API keeps responding, and accepts alerts again when there is room.
    let ready = format!("{}/readyz", ingest.url);
    let ready = client.get(ready).timeout(Duration::from_secs(10)).send();
    assert_eq!(ready.await.unwrap().status(), 200);
    sqlx::query("update alert_sessions set status = 'cancelled', completed_at_us = now_us()")
        .execute(fleet.rows.pool())
        .await
        .unwrap();
    tarsy_testing::wait::until("room for another alert", SOON, async || {
        post(&client, &url, ALERTS).await == Answer::Accepted
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_limit_none_of_ten_thousand_alerts_is_refused() {
    let fleet = Fleet::new(scene::play)
        .await
        .with("TARSY_BACKLOG_LIMIT", "0");
    let ingest = fleet.ingest().await;
    let accepted = burst(&client(), &format!("{}/alerts", ingest.url)).await;
    // If a commit takes longer than its sender may wait, the response says that the alert may be committed.
    assert_eq!(usize::try_from(*accepted.end()).unwrap(), ALERTS);
    assert!(*accepted.start() > 0, "{accepted:?} were accepted");
    assert_kept(&fleet, accepted).await;
}
