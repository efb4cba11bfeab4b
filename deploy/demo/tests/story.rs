//! Checks that the demonstration is consistent: each request of the scripted model is answered, and each step finds the
//! result that it requires.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;
use tarsy_masking::Masker;
use tarsy_mcp::{
    AgentAccess, AgentTools, CallError, CallOptions, McpPool, ServerGrant, ServerSettings,
    StdioSettings, TransportSettings,
};

const SCRIPT: &str = include_str!("../script.yaml");
/// Secrets of the recording, plain and encoded.
const SECRETS: [&str; 4] = [
    "password-4711",
    "archive-token-0123",
    "dGhpcy1pcy1h",
    "cG9zdGdyZXM6",
];

#[derive(Deserialize)]
struct Script {
    rules: Vec<Rule>,
}

#[derive(Deserialize)]
struct Rule {
    when: When,
    reply: Reply,
}

#[derive(Deserialize)]
struct When {
    #[serde(default)]
    stage: String,
    iteration: Option<u32>,
    last_contains: Option<String>,
}

#[derive(Deserialize)]
struct Reply {
    text: String,
}

fn agent(allow_destructive: bool) -> (McpPool, AgentTools) {
    let stdio = StdioSettings {
        command: env!("CARGO_BIN_EXE_tarsy-demo-mcp").to_owned(),
        ..StdioSettings::default()
    };
    let masker = Arc::new(Masker::group("all").expect("the group `all`"));
    let pool = McpPool::new(vec![ServerSettings::new(
        "demo-cluster",
        TransportSettings::Stdio(stdio),
        masker,
    )])
    .expect("a pool");
    let access = AgentAccess {
        servers: vec![ServerGrant::all("demo-cluster")],
        allow_destructive,
    };
    let tools = pool.agent(&access).expect("a view");
    (pool, tools)
}

fn field<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    text.lines()
        .find_map(|line| line.strip_prefix(name))
        .map(str::trim)
}

#[tokio::test]
async fn every_step_of_the_script_finds_what_it_rests_on() {
    let (pool, tools) = agent(true);
    let script: Script = serde_saphyr::from_str(SCRIPT).unwrap();
    let mut said = String::new();
    let mut calls = 0;
    for Rule { when, reply } in &script.rules {
        if when.iteration.is_none() {
            continue;
        }
        if let Some(needed) = &when.last_contains {
            assert!(
                said.contains(needed),
                "{} {:?}: `{needed}` is not in:\n{said}",
                when.stage,
                when.iteration
            );
        }
        let Some(action) = field(&reply.text, "Action:") else {
            continue;
        };
        let arguments: Value =
            serde_json::from_str(field(&reply.text, "Action Input:").unwrap()).unwrap();
        let tool = tools.resolve(action).await.unwrap();
        let outcome = tools
            .call(&tool.server, &tool.name, arguments, CallOptions::default())
            .await
            .unwrap();
        assert!(!outcome.is_error, "{action}: {}", outcome.text);
        for secret in SECRETS {
            assert!(
                !outcome.text.contains(secret),
                "{action} shows `{secret}`:\n{}",
                outcome.text
            );
        }
        said = outcome.text;
        calls += 1;
    }
    assert_eq!(calls, 10);
    pool.close().await;
}

#[tokio::test]
async fn secrets_are_visibly_masked_and_nothing_is_deleted_unless_allowed() {
    let (pool, tools) = agent(false);
    let arguments = serde_json::json!({
        "apiVersion": "v1", "kind": "Secret", "namespace": "team-payments-staging", "name": "payments-db",
    });
    let secret = tools
        .call(
            "demo-cluster",
            "resources_get",
            arguments.clone(),
            CallOptions::default(),
        )
        .await
        .unwrap();
    assert!(secret.text.contains("[MASKED_") && !secret.masked_kinds.is_empty());
    assert!(
        secret
            .text
            .contains("payments.example.com/hold-credentials")
    );
    assert!(
        tools
            .list()
            .await
            .tools
            .iter()
            .all(|tool| tool.name != "resources_delete")
    );
    let end = tools
        .call(
            "demo-cluster",
            "resources_delete",
            arguments,
            CallOptions::default(),
        )
        .await;
    assert!(
        matches!(end, Err(CallError::Refused(refusal)) if refusal.reason() == "destructive_not_allowed")
    );
    pool.close().await;
}
