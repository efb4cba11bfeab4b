//! Webhooks beyond the ordinary limit of bodies, and alerts with unusual members.
//!
//! The tests run on several threads, like the service. Reading a large body takes seconds in a
//! debug build. On one thread the load shedder would mistake that for an outage of the database.

use reqwest::StatusCode;
use serde_json::{Value, json};
use tarsy_config::Source;
use tarsy_testing::wait;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;

use crate::alertmanager::SOON;
use crate::server::{Answer, IntoAnswer as _, Server};

const PATH: &str = "/webhooks/alertmanager";
const ALL: &str = "webhooks: {alertmanager: {alert_type: {default: kubernetes}}}";
const GROUPED: &str =
    "webhooks: {alertmanager: {group_alerts: true, alert_type: {default: kubernetes}}}";

fn alert(number: usize, padding: usize) -> Value {
    json!({
        "status": "firing", "fingerprint": format!("f{number}"), "startsAt": "2026-11-20T08:00:00Z", "endsAt": null,
        "labels": {"alertname": "PodDown", "pod": format!("pod-{number}")},
        "annotations": {"description": "x".repeat(padding)},
    })
}

fn payload(alerts: usize, padding: usize) -> Value {
    let alerts: Vec<_> = (0..alerts).map(|number| alert(number, padding)).collect();
    json!({"version": "4", "groupKey": "g", "alerts": alerts})
}

/// Sends a body as Alertmanager does: repeats it while the response is 503, as on a busy machine.
async fn delivered(server: &Server, payload: &Value) -> Answer {
    wait::until("an answer but 503", SOON, async || {
        let answer = server.post(PATH, payload).await;
        (answer.status != StatusCode::SERVICE_UNAVAILABLE).then_some(answer)
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_group_of_nine_thousand_alerts_is_a_session_that_keeps_some_and_the_count() {
    let server = Server::configured(GROUPED).await;
    let sent = payload(9_000, 100);
    assert!(sent.to_string().len() > 1_500_000);
    let answer = delivered(&server, &sent).await;
    assert_eq!(answer.status, StatusCode::ACCEPTED, "{answer:?}");
    let kept: (Value, i32) = sqlx::query_as(
        "select alert_data -> 'alert_count', jsonb_array_length(alert_data -> 'alerts') from alert_sessions",
    )
    .fetch_one(server.db())
    .await
    .unwrap();
    assert_eq!(kept, (json!(9_000), 50));

    // As many large alerts are stored as fit, and the first one in any case.
    let mut large = payload(30, 100_000);
    large["groupKey"] = json!("h");
    let answer = delivered(&server, &large).await;
    assert_eq!(answer.status, StatusCode::ACCEPTED, "{answer:?}");
    let kept: i32 = sqlx::query_scalar(
        "select jsonb_array_length(alert_data -> 'alerts') from alert_sessions where (alert_data ->> 'alert_count')::int = 30",
    )
    .fetch_one(server.db())
    .await
    .unwrap();
    assert_eq!(kept, 5);
}

#[tokio::test(flavor = "multi_thread")]
async fn each_alert_of_a_large_payload_is_a_session() {
    let server = Server::configured(ALL).await;
    let sent = payload(2_000, 600);
    let answer = delivered(&server, &sent).await;
    assert_eq!(
        answer.status,
        StatusCode::ACCEPTED,
        "{:?}",
        answer.body["code"]
    );
    assert_eq!(server.count("alert_sessions").await, 2_000);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_beyond_the_limit_of_webhooks_gets_413_with_and_without_a_length() {
    let source = Source::Text {
        name: "test".to_owned(),
        text: GROUPED.to_owned(),
    };
    let variables = [
        ("OPENAI_API_KEY", "x"),
        ("TARSY_WEBHOOK_BODY_LIMIT_BYTES", "2097152"),
    ];
    let server = Server::configured_with(source, &variables).await;
    let fits = delivered(&server, &payload(1, 1_500_000)).await;
    assert_eq!(fits.status, StatusCode::ACCEPTED, "{fits:?}");
    let text = payload(1, 2_100_000).to_string();
    let stream = futures::stream::iter([Ok::<_, std::io::Error>(text.clone())]);
    for body in [
        reqwest::Body::from(text),
        reqwest::Body::wrap_stream(stream),
    ] {
        let answer = server.post_raw(PATH, body).send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::PAYLOAD_TOO_LARGE);
    }
}

/// Opens a connection that sends two of eight megabytes, and no more.
#[expect(clippy::unwrap_used, reason = "a helper of tests")]
async fn stalled(server: &Server) -> TcpStream {
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    let head = format!(
        "POST {PATH} HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\ncontent-length: 8000000\r\n\r\n",
        server.address
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    stream.write_all(&vec![b' '; 2_000_000]).await.unwrap();
    stream
}

#[tokio::test(flavor = "multi_thread")]
async fn large_bodies_are_read_four_at_a_time_and_small_ones_pass_them() {
    let server = Server::configured(GROUPED).await;
    let large = payload(9_000, 100).to_string();
    let mut holders = Vec::new();
    for _ in 0..4 {
        holders.push(stalled(&server).await);
    }
    let sent = async || {
        let request = server.post_raw(PATH, large.clone());
        request.send().await.unwrap().into_answer().await
    };
    wait::until("all turns to be taken", SOON, async || {
        let answer = sent().await;
        if answer.status == StatusCode::SERVICE_UNAVAILABLE {
            assert_eq!(answer.body["code"], "too_many_large_bodies");
            assert!(answer.retry_after.is_some());
            return true;
        }
        false
    })
    .await;
    let mut small = payload(1, 10);
    small["groupKey"] = json!("small");
    assert_eq!(
        delivered(&server, &small).await.status,
        StatusCode::ACCEPTED
    );
    drop(holders);
    wait::until("a turn to be free", SOON, async || {
        sent().await.status == StatusCode::ACCEPTED
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn odd_labels_and_annotations_cost_nothing() {
    for (config, sessions) in [(ALL, 2), (GROUPED, 1)] {
        let server = Server::configured(config).await;
        let mut odd = alert(1, 1);
        odd["annotations"] = Value::Null;
        odd["labels"] =
            json!({"alertname": "PodDown", "port": 8080, "critical": true, "team": null});
        let mut empty = alert(2, 1);
        empty["labels"] = json!([]);
        let payload = json!({"groupKey": "g", "commonLabels": {"port": 8080}, "commonAnnotations": null, "alerts": [odd, empty]});
        let answer = server.post(PATH, &payload).await;
        assert_eq!(answer.status, StatusCode::ACCEPTED, "{answer:?}");
        assert_eq!(server.count("alert_sessions").await, sessions, "{answer:?}");
        let none = server
            .post(PATH, &json!({"groupKey": "none", "alerts": null}))
            .await;
        assert!(none.status != StatusCode::BAD_REQUEST, "{none:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_member_that_can_not_be_stored_does_not_cost_its_group() {
    let server = Server::configured(GROUPED).await;
    let mut broken = alert(1, 1);
    broken["annotations"] = json!({"text": "a\u{0}b"});
    let answer = server
        .post(
            PATH,
            &json!({"groupKey": "g", "alerts": [broken, alert(2, 1)]}),
        )
        .await;
    assert_eq!(answer.status, StatusCode::ACCEPTED, "{answer:?}");
    let became: Vec<_> = answer.body["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|result| &result["status"])
        .collect();
    assert_eq!(became, ["rejected", "queued"]);
}
