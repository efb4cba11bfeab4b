//! One session of the history API: detail, summary, export.

use reqwest::StatusCode;
use serde_json::json;

use super::{SESSIONS, execute};
use crate::server::{Server, alert};

/// One session: a failed attempt, then one that works, with a model call, a tool call and an unknown outcome.
async fn investigated(server: &Server) -> String {
    let session = server
        .post("/alerts", &alert(json!({"namespace": "team-a"})))
        .await
        .body["session_id"]
        .as_str()
        .unwrap()
        .to_owned();
    execute(
        server,
        &format!(
            r#"insert into stage_executions (execution_id, session_id, stage_index, stage_name, agent, pool, attempt, status, timeout_ms,
                    started_at_us, completed_at_us, stage_output, error_message)
               values ('00000000-0000-0000-0000-000000000001', '{session}', 0, 'collect', 'KubernetesAgent', 'default', 1, 'failed', 1, 1000, 3000, null, 'out of luck'),
                      ('00000000-0000-0000-0000-000000000002', '{session}', 0, 'collect', 'KubernetesAgent', 'default', 2, 'completed', 1, 4000, 9000, '{{"result": "found it"}}', null);
               insert into llm_interactions (interaction_id, session_id, stage_execution_id, sequence, iteration, purpose, timestamp_us, duration_ms,
                    provider, model_name, new_messages, response_text, input_tokens, output_tokens, success, step_description, claim_epoch)
               values ('00000000-0000-0000-0000-00000000000a', '{session}', '00000000-0000-0000-0000-000000000002', 1, 1, 'iteration', 5000, 7, 'openai', 'm',
                       '[{{"role": "system", "content": "Be brief."}}, {{"role": "user", "content": "=What is it?"}}]', 'Action: get', 10, 5, true, 'Iteration 1: ask model', 1),
                      ('00000000-0000-0000-0000-00000000000c', '{session}', '00000000-0000-0000-0000-000000000002', 3, 2, 'iteration', 7000, 9, 'openai', 'm',
                       '[{{"role": "assistant", "content": "Action: get"}}, {{"role": "user", "content": "Observation: ```x```"}}]', 'Final Answer: DNS', 20, 6, true, 'Iteration 2: ask model', 1);
               insert into mcp_interactions (interaction_id, session_id, stage_execution_id, sequence, iteration, timestamp_us, duration_ms,
                    server_name, communication_type, tool_name, tool_arguments, tool_result, effect, success, step_description, claim_epoch)
               values ('00000000-0000-0000-0000-00000000000b', '{session}', '00000000-0000-0000-0000-000000000002', 2, 1, 6000, 3,
                       'kubernetes-server', 'tool_call', 'get', '{{"kind": "pod"}}', '{{"text": "=1+1"}}', 'read_only', true, 'Call get', 1),
                      ('00000000-0000-0000-0000-00000000000d', '{session}', '00000000-0000-0000-0000-000000000002', 4, 2, 8000, null,
                       'kubernetes-server', 'tool_call', 'delete', '{{}}', null, 'destructive', null, 'Call delete', 1);
               update alert_sessions set status = 'completed', outcome = 'completed', final_analysis = '=DNS', completed_at_us = started_at_us + 5000"#
        ),
    )
    .await;
    session
}

#[tokio::test]
async fn a_session_shows_every_attempt_and_its_conversation_in_order() {
    let server = Server::start().await;
    let session = investigated(&server).await;
    let body = server.get(&format!("{SESSIONS}/{session}")).await.body;
    assert_eq!(body["session_id"], json!(session));
    assert_eq!(body["alert_data"]["namespace"], "team-a");
    assert_eq!(
        (
            &body["llm_interaction_count"],
            &body["mcp_communication_count"],
            &body["total_interactions"]
        ),
        (&json!(2), &json!(2), &json!(4))
    );
    let stages = body["stages"].as_array().unwrap();
    let attempts: Vec<_> = stages
        .iter()
        .map(|s| {
            (
                s["attempt"].clone(),
                s["is_current"].clone(),
                s["stage_id"].clone(),
            )
        })
        .collect();
    assert_eq!(
        attempts,
        [
            (json!(1), json!(false), json!("collect_0")),
            (json!(2), json!(true), json!("collect_0"))
        ]
    );
    assert_eq!(stages[1]["stage_interactions_duration_ms"], 19);
    assert_eq!(stages[1]["stage_execution_id"], stages[1]["execution_id"]);
    let timeline = stages[1]["chronological_interactions"].as_array().unwrap();
    let kinds: Vec<_> = timeline
        .iter()
        .map(|i| i["type"].as_str().unwrap())
        .collect();
    assert_eq!(kinds, ["llm", "mcp", "llm", "mcp"]);
    insta::assert_json_snapshot!(timeline[2], @r#"
    {
      "interaction_id": "00000000-0000-0000-0000-00000000000c",
      "id": "00000000-0000-0000-0000-00000000000c",
      "event_id": "00000000-0000-0000-0000-00000000000c",
      "timestamp_us": 7000,
      "step_description": "Iteration 2: ask model",
      "duration_ms": 9,
      "stage_execution_id": "00000000-0000-0000-0000-000000000002",
      "sequence": 3,
      "iteration": 2,
      "type": "llm",
      "success": true,
      "error_message": null,
      "details": {
        "provider": "openai",
        "model_name": "m",
        "answered_by": null,
        "temperature": null,
        "purpose": "iteration",
        "success": true,
        "error_class": null,
        "error_message": null,
        "input_tokens": 20,
        "output_tokens": 6,
        "total_tokens": 26,
        "cached_tokens": null,
        "cache_write_tokens": null,
        "reasoning_tokens": null,
        "finish_reason": null,
        "cost_usd": null,
        "response_text": "Final Answer: DNS",
        "thinking": null,
        "tool_calls": null,
        "messages": [
          {
            "role": "system",
            "content": "Be brief."
          },
          {
            "role": "user",
            "content": "=What is it?"
          },
          {
            "role": "assistant",
            "content": "Action: get"
          },
          {
            "role": "user",
            "content": "Observation: ```x```"
          },
          {
            "role": "assistant",
            "content": "Final Answer: DNS"
          }
        ]
      }
    }
    "#);
    insta::assert_json_snapshot!(timeline[3], @r#"
    {
      "interaction_id": "00000000-0000-0000-0000-00000000000d",
      "id": "00000000-0000-0000-0000-00000000000d",
      "event_id": "00000000-0000-0000-0000-00000000000d",
      "timestamp_us": 8000,
      "step_description": "Call delete",
      "duration_ms": null,
      "stage_execution_id": "00000000-0000-0000-0000-000000000002",
      "sequence": 4,
      "iteration": 2,
      "type": "mcp",
      "success": null,
      "error_message": null,
      "details": {
        "server_name": "kubernetes-server",
        "communication_type": "tool_call",
        "tool_name": "delete",
        "parameters": {},
        "result": null,
        "available_tools": null,
        "effect": "destructive",
        "success": null,
        "refused": false,
        "truncated": false,
        "masked_kinds": null,
        "error_message": null
      }
    }
    "#);

    let line = server.get(SESSIONS).await.body["sessions"][0].clone();
    assert_eq!(
        (
            &line["completed_stages"],
            &line["failed_stages"],
            &line["input_tokens"]
        ),
        (&json!(1), &json!(0), &json!(30))
    );
    let summary = server
        .get(&format!("{SESSIONS}/{session}/summary"))
        .await
        .body;
    insta::assert_json_snapshot!(summary, @r#"
    {
      "total_interactions": 4,
      "llm_interactions": 2,
      "mcp_communications": 2,
      "system_events": 0,
      "errors_count": 0,
      "total_duration_ms": 5,
      "input_tokens": 30,
      "output_tokens": 11,
      "total_tokens": 41,
      "cost_usd": 0.0,
      "chain_statistics": {
        "total_stages": 1,
        "completed_stages": 1,
        "failed_stages": 0,
        "stages_by_agent": {
          "KubernetesAgent": 1
        }
      }
    }
    "#);
}

#[tokio::test]
async fn a_session_can_be_exported_in_three_forms() {
    let server = Server::start().await;
    let session = investigated(&server).await;
    let export = async |format: &str| {
        server
            .get(&format!("{SESSIONS}/{session}/export{format}"))
            .await
    };
    assert_eq!(export("").await.body["session_id"], json!(session));
    let csv = export("?format=csv").await;
    assert_eq!(csv.content_type, "text/csv; charset=utf-8");
    let csv = csv.body.as_str().unwrap().to_owned();
    assert_eq!(csv.lines().count(), 6);
    assert!(
        csv.contains("\"'=DNS\"") && csv.contains("\"'=What is it?\""),
        "{csv}"
    );
    assert!(!csv.contains(",\"="), "no cell is a formula: {csv}");
    let md = export("?format=md").await;
    assert_eq!(md.content_type, "text/markdown; charset=utf-8");
    let md = md.body.as_str().unwrap().to_owned();
    assert!(
        md.contains("## Analysis\n\n=DNS\n") && md.contains("### Call get (3 ms)"),
        "{md}"
    );
    let wrong = export("?format=pdf").await;
    assert_eq!(
        (wrong.status, &wrong.body["errors"][0]["field"]),
        (StatusCode::BAD_REQUEST, &json!("format"))
    );
}

#[tokio::test]
async fn a_long_session_is_told_with_each_message_once() {
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
async fn a_long_record_is_read_by_parts_behind_a_session_without_it() {
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
async fn an_attempt_that_comes_later_stands_behind_in_the_record() {
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
    let told = server.get(&record).await.body;
    let ids: Vec<_> = told["interactions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|interaction| &interaction["id"].as_str().unwrap()[34..])
        .collect();
    assert_eq!(ids, ["0a", "0b", "0c", "0d", "1a", "0e"]);
}

#[tokio::test]
async fn parts_are_refused_that_nobody_can_mean() {
    let server = Server::start().await;
    let session = investigated(&server).await;
    let nobody = "00000000-0000-0000-0000-0000000000ff";
    for (path, status, code) in [
        (
            format!("{session}/interactions?after={nobody}"),
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
        (format!("{nobody}/interactions"), 404, "session_not_found"),
        (
            format!("{nobody}/interactions?after={nobody}"),
            404,
            "session_not_found",
        ),
        (
            format!("{nobody}?interactions=none"),
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

#[tokio::test]
async fn a_large_answer_is_compressed_for_who_takes_that() {
    let server = Server::start().await;
    let session = investigated(&server).await;
    let asked = |path: String, encoding: &'static str| {
        let request = server.client.get(server.url(&path));
        request.header("accept-encoding", encoding).send()
    };
    let encoding = |answer: &reqwest::Response| {
        let header = answer.headers().get("content-encoding");
        header.map(|value| value.to_str().unwrap().to_owned())
    };
    let whole = format!("{SESSIONS}/{session}");
    let packed = asked(whole.clone(), "gzip").await.unwrap();
    assert_eq!(encoding(&packed).as_deref(), Some("gzip"));
    assert!(packed.bytes().await.unwrap().starts_with(&[0x1f, 0x8b]));
    let plain = asked(whole, "identity").await.unwrap();
    assert_eq!(encoding(&plain), None);
    let small = asked("/alert-types".to_owned(), "gzip").await.unwrap();
    assert_eq!(encoding(&small), None);
}
