//! `POST sessions/{id}/care`.

use reqwest::StatusCode;
use serde_json::{Value, json};
use uuid::Uuid;

use super::scenes::{accepted, logged};
use crate::server::{Answer, IntoAnswer as _, Server};

pub(super) async fn update_triage(
    server: &Server,
    session: Uuid,
    user: &str,
    body: Value,
) -> Answer {
    let path = format!("/api/v1/admin/sessions/{session}/care");
    let request = server
        .post_raw(&path, body.to_string())
        .header("x-forwarded-user", user);
    request.send().await.unwrap().into_answer().await
}

#[tokio::test]
async fn triage_of_a_session_is_shown_in_it_and_in_lists() {
    let server = Server::start().await;
    let session = accepted(&server, json!({})).await;
    let detail = format!("/api/v1/history/sessions/{session}");
    assert_eq!(
        server.get(&detail).await.body["care"]["acknowledged_at_us"],
        Value::Null
    );

    let seen = update_triage(
        &server,
        session,
        "ada",
        json!({ "acknowledged": true, "assignee": " grace " }),
    )
    .await;
    assert_eq!(seen.status, StatusCode::OK, "{seen:?}");
    assert_eq!(
        (&seen.body["acknowledged_by"], &seen.body["assignee"]),
        (&json!("ada"), &json!("grace"))
    );
    let again = update_triage(&server, session, "grace", json!({ "acknowledged": true })).await;
    assert_eq!(
        again.body, seen.body,
        "who was first stays, and what is not said stays"
    );
    let rated = update_triage(
        &server,
        session,
        "grace",
        json!({ "rating": "partly_right", "reason": "the node, not the pod" }),
    )
    .await;
    assert_eq!(
        (&rated.body["rating"], &rated.body["rated_by"]),
        (&json!("partly_right"), &json!("grace"))
    );

    assert_eq!(server.get(&detail).await.body["care"], rated.body);
    let line = server.get("/api/v1/history/sessions").await.body["sessions"][0].clone();
    for member in [
        "acknowledged_at_us",
        "acknowledged_by",
        "assignee",
        "rating",
    ] {
        assert_eq!(line[member], rated.body[member], "{member}");
    }
    let other = accepted(&server, json!({ "host": "db-2" })).await;
    for (acknowledged, found) in [("true", session), ("false", other)] {
        let narrowed = format!("acknowledged={acknowledged}");
        let list = server
            .get(&format!("/api/v1/history/sessions?{narrowed}"))
            .await
            .body;
        let sessions = list["sessions"].as_array().unwrap();
        assert_eq!(sessions.len(), 1, "{list}");
        assert_eq!(sessions[0]["session_id"], json!(found));
        assert_eq!(list["filters_applied"]["acknowledged"], acknowledged);
        let facets = server
            .get(&format!("/api/v1/history/facets?{narrowed}"))
            .await
            .body;
        assert_eq!(facets["status"]["values"], json!({ "pending": 1 }));
    }
    let maybe = server
        .get("/api/v1/history/sessions?acknowledged=maybe")
        .await;
    assert_eq!(maybe.status, StatusCode::BAD_REQUEST, "{maybe:?}");

    let taken_back = update_triage(
        &server,
        session,
        "ada",
        json!({ "acknowledged": false, "assignee": null, "rating": null }),
    )
    .await;
    let left = taken_back.body.as_object().unwrap().values();
    let is_nothing = |value: &Value| value.is_null() || *value == json!([]);
    assert!(left.clone().all(is_nothing), "{taken_back:?}");

    let log: Vec<(String, String, String, Value)> =
        sqlx::query_as("select action, actor, reason, details from audit_log order by entry_id")
            .fetch_all(server.db())
            .await
            .unwrap();
    let entry = |action: &str, actor: &str, reason: &str, details: Value| {
        (
            format!("session.{action}"),
            actor.to_owned(),
            reason.to_owned(),
            details,
        )
    };
    assert_eq!(
        log,
        [
            entry(
                "acknowledge",
                "ada",
                "not stated",
                json!({ "acknowledged": true })
            ),
            entry(
                "assign",
                "ada",
                "not stated",
                json!({ "assignee": " grace ".trim() })
            ),
            entry(
                "acknowledge",
                "grace",
                "not stated",
                json!({ "acknowledged": true })
            ),
            entry(
                "rate",
                "grace",
                "the node, not the pod",
                json!({ "rating": "partly_right" })
            ),
            entry(
                "acknowledge",
                "ada",
                "not stated",
                json!({ "acknowledged": false })
            ),
            entry("assign", "ada", "not stated", json!({ "assignee": null })),
            entry("rate", "ada", "not stated", json!({ "rating": null })),
        ]
    );
    let events: Vec<Value> =
        sqlx::query_scalar("select payload from events where kind = 'session_care'")
            .fetch_all(server.db())
            .await
            .unwrap();
    assert_eq!(events.len(), 4, "subscribers are notified");
    sqlx::query("delete from alert_sessions")
        .execute(server.db())
        .await
        .unwrap();
    assert_eq!(
        server.count("session_care").await,
        0,
        "it goes with its session"
    );
}

#[tokio::test]
async fn invalid_triage_is_refused_and_not_logged() {
    let server = Server::start().await;
    let session = accepted(&server, json!({})).await;
    for body in [
        json!({}),
        json!({ "reason": "nothing else" }),
        json!({ "rating": "great" }),
        json!({ "assignee": "  " }),
        json!({ "assignee": "a".repeat(256) }),
        json!({ "assignee": "a\0b" }),
        json!({ "acknowledged": null, "reason": "" }),
        json!({ "seen": true }),
    ] {
        let answer = update_triage(&server, session, "ada", body.clone()).await;
        assert_eq!(
            (answer.status, &answer.body["code"]),
            (StatusCode::UNPROCESSABLE_ENTITY, &json!("invalid_request")),
            "{body}"
        );
    }
    let unknown = update_triage(
        &server,
        Uuid::now_v7(),
        "ada",
        json!({ "acknowledged": true }),
    )
    .await;
    assert_eq!(
        (unknown.status, &unknown.body["code"]),
        (StatusCode::NOT_FOUND, &json!("session_not_found"))
    );
    assert_eq!(logged(&server).await, []);
}

#[tokio::test]
async fn a_rating_names_what_was_wrong_and_a_review_is_found() {
    let server = Server::start().await;
    let session = accepted(&server, json!({})).await;
    let other = accepted(&server, json!({ "host": "db-2" })).await;
    let rated = update_triage(
        &server,
        session,
        "ada",
        json!({ "rating": "wrong", "faults": ["unclear", "wrong_cause", "unclear"], "reviewed": true }),
    )
    .await;
    assert_eq!(rated.body["faults"], json!(["wrong_cause", "unclear"]));
    assert_eq!(rated.body["reviewed_by"], "ada");
    let again = update_triage(&server, session, "grace", json!({ "reviewed": true })).await;
    assert_eq!(again.body, rated.body, "who was first stays");
    let fewer = update_triage(&server, session, "ada", json!({ "faults": ["invented"] })).await;
    assert_eq!(fewer.body["faults"], json!(["invented"]));
    let none = update_triage(&server, other, "ada", json!({ "faults": ["invented"] })).await;
    assert_eq!(
        none.body["faults"],
        json!([]),
        "an answer that nobody rated"
    );
    let right = update_triage(&server, session, "ada", json!({ "rating": "right" })).await;
    assert_eq!(right.body["faults"], json!([]));
    for (reviewed, found) in [("true", session), ("false", other)] {
        let path = format!("/api/v1/history/sessions?reviewed={reviewed}");
        let list = server.get(&path).await.body;
        let sessions = list["sessions"].as_array().unwrap();
        assert_eq!(sessions.len(), 1, "{list}");
        assert_eq!(sessions[0]["session_id"], json!(found));
    }
    let unknown = update_triage(&server, session, "ada", json!({ "faults": ["ugly"] })).await;
    assert_eq!(unknown.status, StatusCode::UNPROCESSABLE_ENTITY);
}

#[tokio::test]
async fn the_activity_lists_notes_and_actions_with_what_else_was_done() {
    let server = Server::start().await;
    let session = accepted(&server, json!({})).await;
    update_triage(&server, session, "ada", json!({ "acknowledged": true })).await;
    let write = async |user: &str, body: Value| {
        let path = format!("/api/v1/admin/sessions/{session}/notes");
        let request = server.post_raw(&path, body.to_string());
        let request = request.header("x-forwarded-user", user);
        request.send().await.unwrap().into_answer().await
    };
    let noted = write("grace", json!({ "text": " it is the node " })).await;
    assert_eq!(noted.status, StatusCode::CREATED, "{noted:?}");
    let action = json!({ "kind": "action", "text": "drained the node, password=hunter2secret" });
    assert_eq!(write("ada", action).await.status, StatusCode::CREATED);
    let path = format!("/api/v1/history/sessions/{session}/activity");
    let activity = server.get(&path).await.body;
    let entries = activity["entries"].as_array().unwrap().iter();
    let logged: Vec<_> = entries
        .map(|entry| [&entry["actor"], &entry["kind"]].map(|v| v.as_str().unwrap().to_owned()))
        .collect();
    assert_eq!(
        logged,
        [
            ["ada", "action"],
            ["grace", "note"],
            ["ada", "session.acknowledge"]
        ]
    );
    assert_eq!(activity["entries"][1]["text"], "it is the node");
    assert!(
        !activity.to_string().contains("hunter2secret"),
        "{activity}"
    );
    for wrong in [
        json!({ "text": "  " }),
        json!({ "text": "a".repeat(4_001) }),
        json!({ "kind": "poem", "text": "a" }),
    ] {
        let answer = write("ada", wrong).await;
        assert_eq!(
            answer.status,
            StatusCode::UNPROCESSABLE_ENTITY,
            "{answer:?}"
        );
    }
    assert_eq!(server.count("audit_log").await, 3);
    sqlx::query("delete from alert_sessions")
        .execute(server.db())
        .await
        .unwrap();
    assert_eq!(server.count("session_notes").await, 0);
}

#[tokio::test]
async fn a_wrong_answer_takes_the_right_cause_which_is_exported_and_leaves_with_the_rating() {
    let server = Server::start().await;
    let session = accepted(&server, json!({})).await;
    let cause = "config-sync wrote cart-config v413";
    let rated = json!({"rating": "wrong", "right_cause": format!("  {cause} ")});
    let rated = update_triage(&server, session, "ada", rated).await;
    assert_eq!(rated.body["right_cause"], cause, "{rated:?}");
    // Omitted members stay unchanged, also if the rating changes to another one that is not `right`.
    for body in [
        json!({"faults": ["wrong_cause"]}),
        json!({"rating": "partly_right"}),
    ] {
        let kept = update_triage(&server, session, "ada", body).await;
        assert_eq!(kept.body["right_cause"], cause, "{kept:?}");
    }
    let path = format!("/api/v1/history/sessions/{session}/export?format=md");
    let report = server.client.get(server.url(&path)).send().await.unwrap();
    let report = report.text().await.unwrap();
    assert!(
        report.contains(&format!("- **Right cause:** {cause}")),
        "{report}"
    );
    for refused in [json!(" "), json!("x".repeat(2_001))] {
        let refused = update_triage(&server, session, "ada", json!({"right_cause": refused})).await;
        assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    }
    let right = update_triage(&server, session, "ada", json!({"rating": "right"})).await;
    assert_eq!(right.body["right_cause"], Value::Null, "{right:?}");
    let stated = update_triage(&server, session, "ada", json!({"right_cause": cause})).await;
    assert_eq!(
        stated.body["right_cause"],
        Value::Null,
        "a right answer has none"
    );
}
