//! LLM providers and MCP servers.

use serde_json::{Value, json};
use uuid::Uuid;

use super::scenes::{ADMIN, failed};
use crate::server::Server;

const CONFIG: &str = r#"
llm_providers:
  openai: {fallbacks: [local]}
  local: {type: ollama, model: small}
  keyless: {type: anthropic, model: c, api_key_env: NOT_SET}
mcp_servers:
  wiki:
    server_type: docs
    connection_params: {url: https://wiki.example/mcp}
  off:
    enabled: false
    server_type: docs
    connection_params: {command: x}
agents:
  Reader: {mcp_servers: [wiki]}
agent_chains:
  three: {alert_types: [Three], stages: [{name: collect, agent: Reader}]}
"#;

/// Inserts calls of the last hour and older ones, by seconds before now.
async fn called(server: &Server) {
    let session = failed(server, json!({})).await;
    let execution: Uuid =
        sqlx::query_scalar("select execution_id from stage_executions where stage_index = 0")
            .fetch_one(server.db())
            .await
            .unwrap();
    for (sequence, provider, seconds, ms, success, error) in [
        (0, "openai", 10, Some(900), Some(true), None),
        (1, "openai", 20, Some(100), Some(true), None),
        (
            2,
            "openai",
            30,
            Some(500),
            Some(false),
            Some("no tokens left"),
        ),
        (3, "openai", 5, None, None, None),
        (4, "gone", 7_200, Some(70), Some(true), None),
    ] {
        sqlx::query(
            "insert into llm_interactions (interaction_id, session_id, stage_execution_id, sequence, iteration, purpose, timestamp_us,
                    duration_ms, provider, model_name, new_messages, success, error_message, step_description, claim_epoch)
             values ($1, $2, $3, $4, 1, 'iteration', now_us() - $5 * 1000000::bigint, $6, $7, 'm', '[]', $8, $9, '', 1)",
        )
        .bind(Uuid::now_v7()).bind(session).bind(execution).bind(sequence).bind(seconds).bind(ms).bind(provider).bind(success).bind(error)
        .execute(server.db())
        .await
        .unwrap();
    }
    for (sequence, tool, refused, success) in [
        (5, Some("read"), false, true),
        (6, Some("delete"), true, false),
        (7, None, false, true),
    ] {
        sqlx::query(
            "insert into mcp_interactions (interaction_id, session_id, stage_execution_id, sequence, iteration, duration_ms, server_name,
                    communication_type, tool_name, effect, success, refused, step_description, claim_epoch)
             values ($1, $2, $3, $4, 1, 40, 'wiki', 'tool_call', $5, 'read_only', $6, $7, '', 1)",
        )
        .bind(Uuid::now_v7()).bind(session).bind(execution).bind(sequence).bind(tool).bind(success).bind(refused)
        .execute(server.db())
        .await
        .unwrap();
    }
}

#[tokio::test]
async fn every_configured_provider_and_server_shows_how_it_did() {
    let server = Server::configured(CONFIG).await;
    called(&server).await;
    let shown = server.get(&format!("{ADMIN}/upstreams")).await.body;
    let named = |part: &str, name: &str| -> Value {
        let all = shown[part].as_array().unwrap();
        all.iter().find(|one| one["name"] == name).unwrap().clone()
    };
    let openai = named("providers", "openai");
    assert_eq!(
        openai["configured"],
        json!({
            "type": "openai", "model": openai["configured"]["model"], "available": true,
            "api_key_env": "OPENAI_API_KEY", "is_default": true, "fallbacks": ["local"],
        })
    );
    let calls = &openai["calls"];
    assert_eq!(
        [
            &calls["calls"],
            &calls["failed"],
            &calls["p50_ms"],
            &calls["p95_ms"],
            &calls["last_error"],
            &calls["used"]
        ],
        [
            &json!(4),
            &json!(1),
            &json!(500),
            &json!(900),
            &json!("no tokens left"),
            &json!(["m"])
        ],
        "{calls:#}"
    );
    let order = ["last_call_us", "last_success_us", "last_failure_us"];
    assert!(
        order
            .map(|name| calls[name].as_i64().unwrap())
            .is_sorted_by(|a, b| a > b)
    );

    let keyless = named("providers", "keyless");
    assert_eq!(
        (&keyless["configured"]["available"], &keyless["calls"]),
        (&json!(false), &json!(null))
    );
    let removed = named("providers", "gone");
    assert_eq!(removed["configured"], json!(null));
    assert_eq!(
        (&removed["calls"]["calls"], &removed["calls"]["p50_ms"]),
        (&json!(0), &json!(null)),
        "its last call is older than an hour"
    );
    assert!(removed["calls"]["last_call_us"].is_i64());

    let wiki = named("mcp_servers", "wiki");
    assert_eq!(
        wiki["configured"],
        json!({"server_type": "docs", "transport": "http", "enabled": true, "agents": ["Reader"]})
    );
    assert_eq!(
        (
            &wiki["calls"]["calls"],
            &wiki["calls"]["failed"],
            &wiki["calls"]["used"]
        ),
        (&json!(2), &json!(0), &json!(["read"])),
        "a refused call never reached the server"
    );
    assert_eq!(
        named("mcp_servers", "off")["configured"]["enabled"],
        json!(false)
    );

    let pools = shown["pools"].as_array().unwrap();
    let default = pools.iter().find(|one| one["pool"] == "default").unwrap();
    let source = &default["sources"][0];
    assert_eq!(
        (&source["server"], &source["calls"], &source["failed"]),
        (&json!("wiki"), &json!(2), &json!(0)),
        "{default:#}"
    );
    assert!(source["last_success_us"].is_i64());
}
