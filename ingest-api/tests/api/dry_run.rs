//! `POST /alerts/dry-run` and `/alerts/runbook-check`.

use reqwest::StatusCode;
use serde_json::{Value, json};
use tarsy_config::Source;

use crate::server::{IntoAnswer as _, Server, alert};

const DRY_RUN: &str = "/alerts/dry-run";
const CHECK: &str = "/alerts/runbook-check";

#[tokio::test]
async fn a_dry_run_of_a_duplicate_names_the_session_and_for_how_long() {
    let server = Server::start().await;
    let body = alert(json!({ "namespace": "team-a" }));
    let before = server.post(DRY_RUN, &body).await;
    assert_eq!(before.status, StatusCode::OK, "{before:?}");
    assert_eq!(before.body["duplicate_of"], Value::Null);
    assert_eq!(
        before.body["chain_definition"]["chain_id"],
        before.body["chain_id"]
    );
    assert_eq!(server.count("alert_sessions").await, 0, "nothing is stored");

    let session = server.post("/alerts", &body).await.body["session_id"].clone();
    let same = server.post(DRY_RUN, &body).await.body;
    assert_eq!(same["duplicate_of"]["session_id"], session);
    assert_eq!(same["duplicate_of"]["status"], "pending");
    assert_eq!(same["duplicate_of"]["lasts"], "until_the_session_ends");
    assert_eq!(same["fingerprint"], before.body["fingerprint"]);
    let other = server
        .post(DRY_RUN, &alert(json!({ "namespace": "team-b" })))
        .await;
    assert_eq!(other.body["duplicate_of"], Value::Null);
    let counted: i32 = sqlx::query_scalar("select duplicate_count from alert_sessions")
        .fetch_one(server.db())
        .await
        .unwrap();
    assert_eq!(counted, 0, "a dry run is not counted");

    sqlx::query("update alert_sessions set status = 'completed', completed_at_us = now_us()")
        .execute(server.db())
        .await
        .unwrap();
    assert_eq!(
        server.post(DRY_RUN, &body).await.body["duplicate_of"],
        Value::Null,
        "the session has ended"
    );
}

#[tokio::test]
async fn what_is_foreseen_of_an_idempotency_key_is_what_becomes_of_it() {
    let server = Server::start().await;
    let with_key = async |path: &str, data: Value| {
        let request = server
            .post_raw(path, alert(data).to_string())
            .header("idempotency-key", "k");
        request.send().await.unwrap().into_answer().await
    };
    let session = with_key("/alerts", json!({ "a": 1 })).await.body["session_id"].clone();
    sqlx::query("update alert_sessions set status = 'completed', completed_at_us = now_us()")
        .execute(server.db())
        .await
        .unwrap();
    let again = with_key(DRY_RUN, json!({ "a": 1 })).await.body;
    assert_eq!(again["duplicate_of"]["session_id"], session);
    assert_eq!(again["duplicate_of"]["lasts"], "while_the_session_is_kept");
    assert_eq!(
        with_key("/alerts", json!({ "a": 1 })).await.body["status"],
        "duplicate"
    );
    for path in [DRY_RUN, "/alerts"] {
        let other = with_key(path, json!({ "a": 2 })).await;
        assert_eq!(other.body["code"], "idempotency_key_reused", "{path}");
    }
}

#[tokio::test]
async fn what_would_be_refused_is_refused() {
    let server = Server::start().await;
    for body in [
        json!({ "alert_type": "unheard of", "runbook": "local:a" }),
        json!({ "alert_type": 1 }),
        json!([]),
    ] {
        let (dry, wet) = (
            server.post(DRY_RUN, &body).await,
            server.post("/alerts", &body).await,
        );
        assert_eq!(
            (dry.status, &dry.body["code"], &dry.body["errors"]),
            (wet.status, &wet.body["code"], &wet.body["errors"]),
            "{body}"
        );
        assert!(dry.status.is_client_error(), "{dry:?}");
    }
}

#[tokio::test]
async fn a_runbook_is_fetched_as_a_chain_worker_would_and_its_text_is_not_shown() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("disk.md"), "Grow the disk.").unwrap();
    let yaml = format!(
        "runbooks:\n  local_dir: {}\n  allowed_hosts: [localhost]\n",
        folder.path().display()
    );
    let source = Source::Text {
        name: "test".to_owned(),
        text: yaml,
    };
    let server = Server::configured_with(source, &[("OPENAI_API_KEY", "not-used")]).await;
    let ask = async |runbook: &str| server.post(CHECK, &json!({ "runbook": runbook })).await;

    let there = ask("local:disk").await;
    assert_eq!(
        there.body,
        json!({ "is_reachable": true, "size": 14, "error": null })
    );
    let absent = ask("local:cpu").await;
    assert_eq!(absent.body["is_reachable"], false);
    assert!(
        absent.body["error"]
            .as_str()
            .unwrap()
            .starts_with("local runbook not found"),
        "{absent:?}"
    );
    for (runbook, why) in [
        ("https://169.254.169.254/latest/meta-data", "is not allowed"),
        ("https://localhost/a.md", "not public"),
        ("http://localhost/a.md", "`http` is not allowed"),
        ("local:../../etc/passwd", "invalid `local:` name"),
        ("https://elsewhere.example/a.md", "is not allowed"),
    ] {
        let answer = ask(runbook).await;
        assert_eq!(answer.body["is_reachable"], false, "{runbook}");
        let error = answer.body["error"].as_str().unwrap();
        assert!(error.contains(why), "{runbook}: {error}");
    }
    for runbook in [
        "file:///etc/passwd",
        "",
        &format!("https://a.example/{}", "a".repeat(2048)),
    ] {
        assert_eq!(
            ask(runbook).await.body["code"],
            "invalid_request",
            "{runbook}"
        );
    }
}
