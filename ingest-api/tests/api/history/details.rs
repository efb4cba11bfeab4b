//! One session of the history API: detail, summary, export.

mod export;
mod record;

use serde_json::json;

use super::{SESSIONS, execute};
use crate::server::{Server, alert};

/// Creates a session with a failed attempt and a later one that runs, with a model call, a tool
/// call and an unknown outcome.
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
