//! A session's record, page by page.

use reqwest::StatusCode;
use serde_json::json;

use super::investigated;
use crate::history::{SESSIONS, execute};
use crate::server::Server;

#[tokio::test]
async fn a_long_session_is_returned_with_each_message_once() {
    let server = Server::start().await;
    let session = investigated(&server).await;
    let path = format!("{SESSIONS}/{session}?messages");
    let body = server.get(&format!("{path}=new")).await.body;
    let stage = &body["stages"][1];
    assert_eq!(stage["llm_interactions"], json!([]));
    assert_eq!(stage["mcp_communications"], json!([]));
    assert_eq!(
        (
            &stage["total_interactions"],
            &stage["stage_interactions_duration_ms"]
        ),
        (&json!(4), &json!(19))
    );
    let calls = stage["chronological_interactions"].as_array().unwrap();
    assert_eq!(
        calls[2]["details"]["new_messages"],
        json!([
            { "role": "assistant", "content": "Action: get" },
            { "role": "user", "content": "Observation: ```x```" },
        ])
    );
    assert_eq!(calls[2]["details"]["messages"], json!(null));
    assert_eq!(calls[3]["details"]["tool_name"], "delete");

    let body = server.get(&format!("{path}=none")).await.body;
    let details = &body["stages"][1]["chronological_interactions"][2]["details"];
    assert_eq!(details["response_text"], "Final Answer: DNS");
    assert_eq!(details["new_messages"], json!(null));

    let refused = server.get(&format!("{path}=few")).await;
    assert_eq!(refused.status, StatusCode::BAD_REQUEST);
    assert_eq!(refused.body["code"], "invalid_parameter");
}

#[tokio::test]
async fn a_long_record_is_read_in_parts_after_a_session_without_it() {
    let server = Server::start().await;
    let session = investigated(&server).await;
    let path = format!("{SESSIONS}/{session}");
    let bare = server.get(&format!("{path}?interactions=none")).await.body;
    let whole = server.get(&format!("{path}?messages=new")).await.body;
    let mut emptied = whole.clone();
    for stage in emptied["stages"].as_array_mut().unwrap() {
        stage["chronological_interactions"] = json!([]);
    }
    assert_eq!(bare, emptied, "counts and sums are the same");

    let record = format!("{path}/interactions");
    let first = server.get(&format!("{record}?limit=3")).await.body;
    let last = first["interactions"][2]["id"].as_str().unwrap();
    let rest = server.get(&format!("{record}?after={last}")).await.body;
    let all = [&first, &rest].map(|part| part["interactions"].as_array().unwrap().clone());
    assert_eq!(
        json!(all.concat()),
        whole["stages"][1]["chronological_interactions"]
    );
    assert_eq!(
        (&first["more"], &rest["more"]),
        (&json!(true), &json!(false))
    );
    let end = rest["interactions"][0]["id"].as_str().unwrap();
    let nothing = server.get(&format!("{record}?after={end}")).await.body;
    assert_eq!(nothing, json!({"interactions": [], "more": false}));
}

#[tokio::test]
async fn an_attempt_that_comes_later_is_later_in_the_record() {
    let server = Server::start().await;
    let session = investigated(&server).await;
    execute(
        &server,
        &format!(
            r#"insert into stage_executions (execution_id, session_id, stage_index, stage_name, agent, pool, attempt, status, timeout_ms, created_at_us, completed_at_us)
               values ('00000000-0000-0000-0000-000000000003', '{session}', 1, 'report', 'KubernetesAgent', 'default', 1, 'failed', 1, now_us() + 1, now_us() + 2),
                      ('00000000-0000-0000-0000-000000000004', '{session}', 0, 'collect', 'KubernetesAgent', 'default', 3, 'active', 1, now_us() + 3, null);
               insert into mcp_interactions (interaction_id, session_id, stage_execution_id, sequence, iteration, server_name, communication_type, effect, step_description, claim_epoch)
               select ('00000000-0000-0000-0000-0000000000' || id)::uuid, '{session}', ('00000000-0000-0000-0000-00000000000' || stage)::uuid, 0, 1, 'a', 'tool_list', 'read_only', '', 1
               from (values ('1a', 3), ('0e', 4)) as later (id, stage)"#
        ),
    )
    .await;
    let record = format!("{SESSIONS}/{session}/interactions");
    let body = server.get(&record).await.body;
    let ids: Vec<_> = body["interactions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|interaction| &interaction["id"].as_str().unwrap()[34..])
        .collect();
    assert_eq!(ids, ["0a", "0b", "0c", "0d", "1a", "0e"]);
}

#[tokio::test]
async fn invalid_parts_are_refused() {
    let server = Server::start().await;
    let session = investigated(&server).await;
    let unknown = "00000000-0000-0000-0000-0000000000ff";
    for (path, status, code) in [
        (
            format!("{session}/interactions?after={unknown}"),
            400,
            "invalid_parameter",
        ),
        (
            format!("{session}/interactions?after=x"),
            400,
            "invalid_parameter",
        ),
        (
            format!("{session}/interactions?limit=0"),
            400,
            "invalid_parameter",
        ),
        (
            format!("{session}?interactions=some"),
            400,
            "invalid_parameter",
        ),
        (format!("{unknown}/interactions"), 404, "session_not_found"),
        (
            format!("{unknown}/interactions?after={unknown}"),
            404,
            "session_not_found",
        ),
        (
            format!("{unknown}?interactions=none"),
            404,
            "session_not_found",
        ),
    ] {
        let answer = server.get(&format!("{SESSIONS}/{path}")).await;
        assert_eq!(
            (answer.status.as_u16(), &answer.body["code"]),
            (status, &json!(code)),
            "{path}"
        );
    }
}
