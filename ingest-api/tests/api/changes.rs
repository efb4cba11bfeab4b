//! Webhooks of type `change`, and lists of the recorded changes.

use reqwest::StatusCode;
use ring::hmac;
use serde_json::{Value, json};
use tarsy_config::Source;
use tarsy_testing::wait;

use crate::live::watcher::PATIENCE;
use crate::server::{Answer, IntoAnswer as _, Server, alert};

const SOURCES: &str = "
webhooks:
  github: {type: change, format: github, secrets_env: [CHANGE_SECRET]}
  gitlab: {type: change, format: gitlab, secrets_env: [CHANGE_SECRET]}
  flux: {type: change, format: flux, secrets_env: [CHANGE_SECRET]}
  argo: {type: change, format: argo-cd, secrets_env: [CHANGE_SECRET]}
  events: {type: change, format: cloudevents, secrets_env: [CHANGE_SECRET], signature_header: X-Sig}
  plain: {type: change, format: generic}
  unset: {type: change, format: github, secrets_env: [NOT_SET]}
";
const SECRET: &str = "s3cret";

async fn server() -> Server {
    let source = Source::Text {
        name: "test".to_owned(),
        text: SOURCES.to_owned(),
    };
    let variables = [("OPENAI_API_KEY", "x"), ("CHANGE_SECRET", SECRET)];
    Server::configured_with(source, &variables).await
}

fn hex_mac(secret: &str, text: &str) -> String {
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
    let mac = hmac::sign(&key, text.as_bytes());
    mac.as_ref()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

async fn send(server: &Server, source: &str, header: Option<(&str, String)>, body: &str) -> Answer {
    let mut request = server.post_raw(&format!("/webhooks/{source}"), body.to_owned());
    if let Some((name, value)) = header {
        request = request.header(name, value);
    }
    request.send().await.unwrap().into_answer().await
}

/// Returns the statuses of the changes in a response.
fn results(answer: &Answer) -> Vec<&str> {
    assert_eq!(answer.status, StatusCode::ACCEPTED, "{answer:?}");
    let results = answer.body["results"].as_array().unwrap();
    results
        .iter()
        .map(|result| result["status"].as_str().unwrap())
        .collect()
}

fn titles(answer: &Answer) -> Vec<&str> {
    assert_eq!(answer.status, StatusCode::OK, "{answer:?}");
    let changes = answer.body["changes"].as_array().unwrap();
    changes
        .iter()
        .map(|change| change["title"].as_str().unwrap())
        .collect()
}

/// Returns the webhook payload of a release, as GitHub sends it.
fn release(id: u64, tag: &str) -> String {
    json!({
        "action": "published", "repository": {"name": "cart", "full_name": "example/cart"},
        "release": {"id": id, "tag_name": tag, "name": tag, "published_at": "2026-11-01T09:00:00Z", "author": {"login": "ada"},
                    "html_url": "https://github.com/example/cart/releases/tag/v2"},
    })
    .to_string()
}

/// Records a change of the plain source.
async fn record(server: &Server, change: &Value) {
    let answer = send(server, "plain", None, &change.to_string()).await;
    assert_eq!(results(&answer), ["recorded"], "{change}");
}

#[tokio::test]
async fn a_change_needs_the_proof_of_its_format_and_makes_no_session() {
    let server = server().await;
    let github = release(1, "v1");
    let gitlab = json!({
        "object_kind": "deployment", "status": "success", "deployment_id": 15, "environment": "production", "ref": "main",
        "project": {"path_with_namespace": "shop/cart"},
    })
    .to_string();
    let flux = json!({"involvedObject": {"kind": "HelmRelease", "name": "cart", "namespace": "shop"}, "severity": "info",
                      "timestamp": "2026-11-01T10:00:00Z", "reason": "UpgradeSucceeded", "message": "upgraded"})
    .to_string();
    let argo = json!({"app": {"metadata": {"name": "cart"}, "status": {"operationState": {"phase": "Succeeded"}}}}).to_string();
    let events =
        json!({"specversion": "1.0", "id": "1", "source": "/ci", "type": "deployed"}).to_string();
    let mac = |secret: &str, body: &str| format!("sha256={}", hex_mac(secret, body));
    let bearer = |secret: &str, _: &str| format!("Bearer {secret}");
    let bare = |secret: &str, _: &str| secret.to_owned();
    type Proof<'p> = &'p dyn Fn(&str, &str) -> String;
    let sources: [(&str, &str, Proof<'_>, &str); 6] = [
        ("github", "x-hub-signature-256", &mac, &github),
        ("gitlab", "x-gitlab-token", &bare, &gitlab),
        ("flux", "x-signature", &mac, &flux),
        ("flux", "authorization", &bearer, &flux),
        ("argo", "authorization", &bearer, &argo),
        ("events", "x-sig", &mac, &events),
    ];
    for (source, header, proof, body) in sources {
        for wrong in [None, Some((header, proof("guess", body)))] {
            let refused = send(&server, source, wrong, body).await;
            assert_eq!(refused.status, StatusCode::UNAUTHORIZED, "{source}");
            assert_eq!(refused.body["code"], "signature_not_valid", "{source}");
        }
        let taken = send(&server, source, Some((header, proof(SECRET, body))), body).await;
        assert!(
            ["recorded", "duplicate"].contains(&results(&taken)[0]),
            "{source}"
        );
    }
    let signed = Some(("x-hub-signature-256", mac("", &github)));
    assert_eq!(
        send(&server, "unset", signed, &github).await.status,
        StatusCode::UNAUTHORIZED
    );
    assert_eq!(server.count("changes").await, 5);
    assert_eq!(server.count("alert_sessions").await, 0);
    assert_eq!(server.count("webhook_requests").await, 0);
}

#[tokio::test]
async fn a_delivery_that_is_sent_again_is_one_row() {
    let server = server().await;
    let post = async |body: &str| {
        let signature = format!("sha256={}", hex_mac(SECRET, body));
        let answer = send(
            &server,
            "github",
            Some(("x-hub-signature-256", signature)),
            body,
        )
        .await;
        results(&answer).join(",")
    };
    let body = release(1, "v1");
    let both = futures::future::join_all((0..8).map(|_| post(&body))).await;
    let recorded = both.iter().filter(|status| *status == "recorded").count();
    assert_eq!((recorded, both.len()), (1, 8), "{both:?}");
    assert_eq!(post(&body).await, "duplicate");
    assert_eq!(post(&release(2, "v2")).await, "recorded");
    assert_eq!(server.count("changes").await, 2);
    // A change without an id is identified by its payload.
    let plain = json!({"title": "Raised the limit", "service": "cart"});
    record(&server, &plain).await;
    let again = send(&server, "plain", None, &plain.to_string()).await;
    assert_eq!(results(&again), ["duplicate"]);
    // The same event twice in one payload is one change.
    let event = json!({"specversion": "1.0", "id": "7", "source": "/ci", "type": "deployed"});
    let batch = json!([event, event]).to_string();
    let signature = hex_mac(SECRET, &batch);
    let answer = send(&server, "events", Some(("x-sig", signature)), &batch).await;
    let mut statuses = results(&answer);
    statuses.sort_unstable();
    assert_eq!(statuses, ["duplicate", "recorded"]);
    assert_eq!(
        server.count("changes").await,
        server.count("change_keys").await
    );
}

#[tokio::test]
async fn what_cannot_be_used_is_answered_and_kept_and_secrets_are_not() {
    let server = server().await;
    for (body, status) in [
        ("{", StatusCode::BAD_REQUEST),
        ("[1]", StatusCode::UNPROCESSABLE_ENTITY),
        (r#"{"service": "cart"}"#, StatusCode::UNPROCESSABLE_ENTITY),
        (
            r#"{"title": "x", "link": "javascript:alert(1)"}"#,
            StatusCode::UNPROCESSABLE_ENTITY,
        ),
    ] {
        let refused = send(&server, "plain", None, body).await;
        assert_eq!(refused.status, status, "{body}");
        assert!(refused.body["code"].is_string(), "{refused:?}");
    }
    let kept = wait::until("the refusals", PATIENCE, async || {
        let list = server
            .get("/api/v1/admin/rejected-alerts?source=plain")
            .await;
        let list = list.body["rejections"].as_array().unwrap().clone();
        (list.len() == 4).then_some(list)
    });
    let kept = kept.await;
    assert!(kept.iter().all(|one| one["is_whole"] == true), "{kept:?}");
    assert_eq!(server.count("changes").await, 0);

    let token = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
    let change = json!({
        "title": format!("Rotated {token}\u{202e} today"), "author": format!("ada {token}"), "id": token,
        "link": format!("https://ci.example.com/?token={token}"), "service": "cart\u{200b}",
    });
    record(&server, &change).await;
    let row: String = sqlx::query_scalar("select c::text from changes c")
        .fetch_one(server.db())
        .await
        .unwrap();
    assert!(row.contains("[MASKED_") && !row.contains(token), "{row}");
    assert!(
        row.contains(r"\\u{202e} today") && row.contains(r"cart\\u{200b}"),
        "{row}"
    );
}

#[tokio::test]
async fn changes_are_listed_by_place_and_time_in_pages() {
    let server = server().await;
    for (number, service, namespace, cluster) in [
        (1, "cart", "shop", "eu-1"),
        (2, "cart", "shop", "us-1"),
        (3, "ledger", "shop", "eu-1"),
        (4, "ledger", "bank", "eu-1"),
    ] {
        let change = json!({"title": format!("c{number}"), "service": service, "namespace": namespace, "cluster": cluster,
                            "time": format!("2026-11-01T10:0{number}:00Z")});
        record(&server, &change).await;
    }
    let list = async |query: &str| server.get(&format!("/api/v1/changes{query}")).await;
    let minute = 60_000_000;
    let first = chrono::DateTime::parse_from_rfc3339("2026-11-01T10:01:00Z")
        .unwrap()
        .timestamp_micros();
    for (query, expected) in [
        (String::new(), vec!["c4", "c3", "c2", "c1"]),
        ("?service=cart".to_owned(), vec!["c2", "c1"]),
        ("?namespace=shop&cluster=eu-1".to_owned(), vec!["c3", "c1"]),
        (
            format!("?since_us={}", first + minute),
            vec!["c4", "c3", "c2"],
        ),
        (
            format!("?until_us={}&service=cart", first + minute),
            vec!["c1"],
        ),
        ("?service=nobody".to_owned(), vec![]),
    ] {
        assert_eq!(titles(&list(&query).await), expected, "{query}");
    }
    let page = list("?limit=3").await;
    assert_eq!(titles(&page), ["c4", "c3", "c2"]);
    let before = page.body["next"].as_str().unwrap();
    let rest = list(&format!("?limit=3&before={before}")).await;
    assert_eq!(
        (titles(&rest), &rest.body["next"]),
        (vec!["c1"], &Value::Null)
    );
    for wrong in [
        "?limit=0",
        "?since_us=-1",
        "?before=x",
        "?service=%00",
        "?unknown=1",
    ] {
        assert_eq!(list(wrong).await.status, StatusCode::BAD_REQUEST, "{wrong}");
    }
}

#[tokio::test]
async fn the_changes_near_a_session_are_those_of_its_service_first() {
    let server = server().await;
    let at = chrono::Utc::now() - chrono::TimeDelta::hours(2);
    let mut body =
        alert(json!({"labels": {"service": "cart", "namespace": "shop", "cluster": "eu-1"}}));
    body["timestamp"] = json!(at.timestamp_micros());
    let session = server.post("/alerts", &body).await;
    let session = session.body["session_id"].as_str().unwrap();
    let path = format!("/api/v1/history/sessions/{session}/changes");
    assert_eq!(titles(&server.get(&path).await), [""; 0]);

    let change = |title: &str, minutes: i64, place: Value| {
        let time = at + chrono::TimeDelta::minutes(minutes);
        let mut change = json!({"title": title, "time": time.to_rfc3339()});
        change
            .as_object_mut()
            .unwrap()
            .extend(place.as_object().unwrap().clone());
        change
    };
    // More changes than are listed, all of them nearer in time than that of the service.
    for number in 0..25 {
        record(
            &server,
            &change(
                &format!("other {number}"),
                -10 - number,
                json!({"service": "x"}),
            ),
        )
        .await;
    }
    record(
        &server,
        &change("same service", -600, json!({"service": "cart"})),
    )
    .await;
    record(
        &server,
        &change("same namespace", -500, json!({"namespace": "shop"})),
    )
    .await;
    record(
        &server,
        &change("rolled back", 30, json!({"service": "cart"})),
    )
    .await;
    record(
        &server,
        &change(
            "another cluster",
            -1,
            json!({"service": "cart", "cluster": "us-1"}),
        ),
    )
    .await;
    record(
        &server,
        &change("too old", -5_000, json!({"service": "cart"})),
    )
    .await;
    record(&server, &change("too late", 90, json!({"service": "cart"}))).await;
    let near = server.get(&path).await;
    assert_eq!(near.body["alert_timestamp_us"], at.timestamp_micros());
    let near = titles(&near);
    assert_eq!(near.len(), 20, "{near:?}");
    assert_eq!(near[..2], ["same service", "same namespace"]);
    assert_eq!(near[2..4], ["other 16", "other 15"]);
    assert_eq!(near.last(), Some(&"rolled back"));
    for unrelated in ["another cluster", "too old", "too late", "other 17"] {
        assert!(!near.contains(&unrelated), "{unrelated}: {near:?}");
    }
    let unknown = format!("/api/v1/history/sessions/{}/changes", uuid::Uuid::now_v7());
    assert_eq!(server.get(&unknown).await.status, StatusCode::NOT_FOUND);
}
