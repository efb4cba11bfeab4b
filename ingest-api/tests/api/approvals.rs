//! `/api/v1/approvals`: the information that people get before they decide.

use reqwest::StatusCode;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::server::Server;

/// A secret that must be masked wherever it is shown.
const TOKEN: &str = "ghp_0123456789abcdefghijABCDEFGHIJ012345";

/// Creates a live session of an alert about a pod.
async fn session(server: &Server, severity: &str, stages: &Value) -> Uuid {
    let id = Uuid::now_v7();
    let data = json!({
        "cluster": "prod-eu-1", "namespace": "shop", "labels": {"pod": "cart-0", "alertname": "DiskFull"},
        "annotations": {"summary": format!("The volume of cart\u{202e} is full, see {TOKEN}")},
    });
    sqlx::query(
        "insert into alert_sessions (session_id, alert_id, alert_type, alert_data, severity, alert_timestamp_us, source, author,
             fingerprint, status, chain_id, chain_definition)
         values ($1, $1, 'Disk', $2, $3, 0, 'api', 'ada@shop.example', $1::text, 'in_progress', 'disk', $4)",
    )
    .bind(id)
    .bind(data)
    .bind(severity)
    .bind(json!({"chain_id": "disk", "alert_types": ["Disk"], "stages": stages}))
    .execute(server.db())
    .await
    .unwrap();
    id
}

/// Creates a stage of the session that completed with a result, or waits if there is none.
async fn stage(
    server: &Server,
    session: Uuid,
    index: i32,
    (name, agent): (&str, &str),
    result: Option<&str>,
) -> Uuid {
    let id = Uuid::now_v7();
    let status = if result.is_some() {
        "completed"
    } else {
        "waiting"
    };
    sqlx::query(
        "insert into stage_executions (execution_id, session_id, stage_index, stage_name, agent, pool, timeout_ms, status, stage_output,
             completed_at_us)
         values ($1, $2, $3, $4, $5, 'default', 1, $6::stage_status, $7, case when $6 = 'completed' then now_us() end)",
    )
    .bind(id)
    .bind(session)
    .bind(index)
    .bind(name)
    .bind(agent)
    .bind(status)
    .bind(result.map(|text| json!({"result": text})))
    .execute(server.db())
    .await
    .unwrap();
    id
}

/// Creates an open approval of a stage that expires after this many minutes.
async fn wait(server: &Server, session: Uuid, execution: Uuid, sort: &str, minutes: i32) -> Uuid {
    let id = Uuid::now_v7();
    let call = json!({"server": "k8s", "tool": "delete", "arguments": {}, "effect": "destructive", "thought": "It is full.", "sequence": 1});
    sqlx::query(
        "insert into waits (wait_id, session_id, execution_id, sort, question, role, expires_at, call)
         values ($1, $2, $3, $4::wait_sort, 'May it?', 'operator', now() + make_interval(mins => $5), $6)",
    )
    .bind(id)
    .bind(session)
    .bind(execution)
    .bind(sort)
    .bind(minutes)
    .bind((sort == "tool_call").then_some(call))
    .execute(server.db())
    .await
    .unwrap();
    id
}

/// Returns a chain with a stage that runs only after the gate's approval, and one that runs in any case.
fn gated() -> Value {
    json!([
        {"name": "look", "agent": "Looker"},
        {"name": "gate", "agent": "wait:approval", "work": {"wait": {"approval": {"role": "operator", "expires_ms": 3_600_000}}}},
        {"name": "clean-up", "agent": "Cleaner", "when": "stages.gate.data.approved"},
        {"name": "report", "agent": "Reporter", "needs": ["look", "clean-up"]},
    ])
}

async fn gate(server: &Server) -> Uuid {
    let session = session(server, "critical", &gated()).await;
    let found = "# Analysis\n\nThe log of cart fills its volume.\n\nDelete /var/log/old.";
    stage(server, session, 0, ("look", "Looker"), Some(found)).await;
    let gate = stage(server, session, 1, ("gate", "wait:approval"), None).await;
    wait(server, session, gate, "approval", 60).await
}

async fn listed(server: &Server, query: &str) -> Vec<Value> {
    let answer = server.get(&format!("/api/v1/approvals?{query}")).await;
    assert_eq!(answer.status, StatusCode::OK, "{answer:?}");
    answer.body["approvals"].as_array().unwrap().clone()
}

#[tokio::test]
async fn a_gate_shows_its_subject_and_what_follows_each_answer() {
    let server = Server::start().await;
    let id = gate(&server).await;
    let in_list = listed(&server, "").await.remove(0);
    let alone = server.get(&format!("/api/v1/approvals/{id}")).await.body;
    let session = in_list["session_id"].as_str().unwrap();
    let path = format!("/api/v1/history/sessions/{session}");
    let in_session = server.get(&path).await.body["waits"][0].clone();
    for shown in [in_list, alone, in_session] {
        let members = [
            "author",
            "alert_name",
            "cluster",
            "namespace",
            "object",
            "headline",
            "agent",
        ];
        assert_eq!(
            members.map(|name| shown[name].clone()),
            [
                json!("ada@shop.example"),
                json!("DiskFull"),
                json!("prod-eu-1"),
                json!("shop"),
                json!("cart-0"),
                json!("The log of cart fills its volume."),
                Value::Null,
            ]
        );
        let evidence = &shown["evidence"][0];
        assert_eq!(
            (&evidence["stage_name"], &evidence["status"]),
            (&json!("look"), &json!("completed"))
        );
        let conclusion = evidence["conclusion"].as_str().unwrap();
        assert!(conclusion.ends_with("Delete /var/log/old."), "{conclusion}");
        assert_eq!(
            shown["on_approve"],
            json!({"runs": [{"name": "clean-up", "agent": "Cleaner"}], "skips": [], "ends": false})
        );
        assert_eq!(
            shown["on_deny"],
            json!({"runs": [{"name": "report", "agent": "Reporter"}], "skips": ["clean-up"], "ends": false})
        );
    }
}

#[tokio::test]
async fn before_anything_is_found_the_alert_is_shown_whole_except_for_secrets() {
    let server = Server::start().await;
    let held = json!([
        {"name": "hold", "agent": "wait:approval", "work": {"wait": {"approval": {"role": "operator", "expires_ms": 3_600_000}}}, "needs": []},
        {"name": "look", "agent": "Looker", "needs": ["hold"], "when": "stages.hold.data.approved"},
    ]);
    let session = session(&server, "low", &held).await;
    let hold = stage(&server, session, 0, ("hold", "wait:approval"), None).await;
    wait(&server, session, hold, "approval", 60).await;
    let shown = listed(&server, "").await.remove(0);
    let headline = shown["headline"].as_str().unwrap();
    assert!(
        headline.starts_with(r"The volume of cart\u{202e} is full, see [MASKED_"),
        "{headline}"
    );
    assert_eq!(shown["evidence"], json!([]));
    assert_eq!(shown["on_approve"]["runs"][0]["name"], json!("look"));
    assert_eq!(
        shown["on_deny"],
        json!({"runs": [], "skips": ["look"], "ends": true})
    );
}

#[tokio::test]
async fn a_tool_call_names_its_agent_and_a_decided_gate_has_no_consequences() {
    let server = Server::start().await;
    let stages = json!([{"name": "look", "agent": "Looker"}, {"name": "fix", "agent": "Fixer"}]);
    let session = session(&server, "critical", &stages).await;
    stage(
        &server,
        session,
        0,
        ("look", "Looker"),
        Some("The log is full."),
    )
    .await;
    let fix = stage(&server, session, 1, ("fix", "Fixer"), None).await;
    wait(&server, session, fix, "tool_call", 60).await;
    let call = listed(&server, "").await.remove(0);
    assert_eq!(
        (&call["agent"], &call["headline"]),
        (&json!("Fixer"), &json!("The log is full."))
    );
    assert_eq!(
        (&call["evidence"], &call["on_approve"]),
        (&json!([]), &Value::Null)
    );

    let id = gate(&server).await;
    let path = format!("/api/v1/approvals/{id}");
    let body = json!({"decision": "deny", "reason": "not now"});
    let decided = server.post(&path, &body).await;
    assert_eq!(decided.status, StatusCode::OK, "{decided:?}");
    assert_eq!(decided.body["object"], json!("cart-0"));
    let decided = &listed(&server, "status=decided").await[0];
    assert_eq!(decided["cluster"], json!("prod-eu-1"));
    assert_eq!(
        (&decided["on_deny"], &decided["evidence"]),
        (&Value::Null, &json!([]))
    );
}

#[tokio::test]
async fn urgent_ones_come_first_by_severity_then_by_their_end() {
    let server = Server::start().await;
    let mut ids = Vec::new();
    // Severities of one rank compare as equal, and unknown ones rank as warnings.
    for (severity, minutes) in [
        ("warning", 5),
        ("P1", 1_440),
        ("weird", 90),
        ("critical", 54),
        ("info", 1),
        ("warning", 60),
    ] {
        let session = session(&server, severity, &gated()).await;
        let gate = stage(&server, session, 1, ("gate", "wait:approval"), None).await;
        ids.push(json!(
            wait(&server, session, gate, "approval", minutes).await
        ));
    }
    let expected = [3, 1, 0, 5, 2, 4].map(|at| ids[at].clone());
    let ids_of = |waits: Vec<Value>| -> Vec<Value> {
        waits
            .into_iter()
            .map(|wait| wait["wait_id"].clone())
            .collect()
    };
    assert_eq!(ids_of(listed(&server, "order=urgent").await), expected);

    // The same, page by page.
    let mut found = Vec::new();
    let mut query = "order=urgent&limit=2".to_owned();
    loop {
        let page = server.get(&format!("/api/v1/approvals?{query}")).await.body;
        found.extend(ids_of(page["approvals"].as_array().unwrap().clone()));
        let Some(next) = page["next"].as_str() else {
            break;
        };
        query = format!("order=urgent&limit=2&before={next}");
    }
    assert_eq!(found, expected);

    let newest = ids_of(listed(&server, "").await);
    assert_eq!(newest.first(), ids.last(), "newest first by default");
    for refused in ["order=urgent&status=decided", "order=loud"] {
        let answer = server.get(&format!("/api/v1/approvals?{refused}")).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{refused}");
    }
}
