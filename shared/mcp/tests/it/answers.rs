//! Results of calls, and which calls are made at all.

use std::collections::BTreeSet;

use serde_json::json;
use tarsy_mcp::{
    AgentAccess, CallError, CallOptions, Error, McpPool, Refusal, ServerGrant, recorded,
};
use tarsy_model::EffectClass;

use crate::support::{call, nasty, one, text};

fn refusal(end: Result<tarsy_mcp::ToolOutcome, CallError>) -> Refusal {
    match end {
        Err(CallError::Refused(refusal)) => refusal,
        other => panic!("not refused: {other:?}"),
    }
}

#[tokio::test]
async fn a_call_names_its_session_and_trace() {
    let (_pool, tools) = one(nasty("ok"));
    let session = tarsy_model::SessionId::generate();
    let trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    let options = CallOptions {
        session_id: Some(session),
        traceparent: Some(trace.to_owned()),
        ..CallOptions::default()
    };
    let outcome = tools.call("nasty", "meta", json!({}), options).await;
    let meta: serde_json::Value = serde_json::from_str(&outcome.unwrap().text).unwrap();
    assert_eq!(meta["tarsy/session-id"], json!(session));
    assert_eq!(meta["traceparent"], trace);
}

#[tokio::test]
async fn a_server_without_a_handshake_is_discovered() {
    let (pool, tools) = one(nasty("modern"));
    let listing = tools.list().await;
    assert_eq!(listing.unavailable, []);
    assert_eq!(
        listing.instructions,
        [("nasty".to_owned(), "Be modern.".to_owned())]
    );
    let meta: serde_json::Value = serde_json::from_str(&text(&tools, "meta").await).unwrap();
    assert_eq!(
        meta["io.modelcontextprotocol/protocolVersion"],
        "2026-07-28"
    );
    assert_eq!(pool.status()[0].starts, 1);
}

#[tokio::test]
async fn secrets_are_masked_in_answers_and_errors() {
    let (_pool, tools) = one(nasty("ok"));
    let outcome = call(&tools, "secret", json!({})).await;
    // In a line of YAML, the whole value is masked.
    assert_eq!(outcome.text, r#"password: "[MASKED_PASSWORD]""#);
    assert_eq!(outcome.masked_kinds.values().sum::<usize>(), 1);
    let failed = call(&tools, "fail", json!({})).await;
    assert!(failed.is_error && !failed.text.contains("4711"));
    let row = recorded(&Ok(failed));
    assert!(!row.success && !row.error_message.unwrap().contains("4711"));
    let end = tools
        .call("nasty", "protocol_error", json!({}), CallOptions::default())
        .await;
    assert!(
        matches!(&end, Err(CallError::Protocol { code: -32603, message, .. }) if !message.contains("4711"))
    );
}

#[tokio::test]
async fn secrets_are_masked_in_names_schemas_and_refusals() {
    let (pool, tools) = one(nasty("secrets"));
    let listed = tools.list().await.tools;
    let shown = format!("{listed:?}");
    assert!(!shown.contains("4711"), "{shown}");
    // The server knows the tool by no other name, so it is not offered.
    assert!(!listed.iter().any(|tool| tool.name.contains("ghp_")));
    let quoting = listed.iter().find(|tool| tool.name == "quoting").unwrap();
    assert!(
        quoting.input_schema["properties"]
            .as_object()
            .unwrap()
            .len()
            == 3
    );
    let end = tools
        .call(
            "nasty",
            "quoting",
            json!({"mode": "other"}),
            CallOptions::default(),
        )
        .await;
    let text = refusal(end).to_string();
    assert!(text.contains("mode") && !text.contains("4711"), "{text}");
    pool.close().await;
}

#[tokio::test]
async fn only_granted_tools_are_listed_and_called() {
    let pool = McpPool::new(vec![nasty("ok")]).unwrap();
    let tools = BTreeSet::from(["echo", "calls", "drop"].map(str::to_owned));
    let access = AgentAccess {
        servers: vec![ServerGrant {
            server: "nasty".to_owned(),
            tools: Some(tools),
            writes: BTreeSet::new(),
        }],
        allow_destructive: false,
    };
    let agent = pool.agent(&access).unwrap();
    let listed: Vec<String> = agent
        .list()
        .await
        .tools
        .into_iter()
        .map(|tool| tool.name)
        .collect();
    assert_eq!(listed, ["echo", "calls"]);

    let call = async |server, tool| {
        agent
            .call(server, tool, json!({}), CallOptions::default())
            .await
    };
    assert_eq!(
        refusal(call("other", "echo").await).reason(),
        "foreign_server"
    );
    assert_eq!(
        refusal(call("nasty", "env").await).reason(),
        "tool_not_granted"
    );
    assert_eq!(
        refusal(call("nasty", "drop").await).reason(),
        "destructive_not_allowed"
    );
    assert_eq!(
        refusal(call("nasty", "ech\u{43e}").await).reason(),
        "tool_not_granted"
    );
    assert!(
        matches!(agent.resolve("nasty.ecko").await, Err(Refusal::UnknownTool { nearest, .. }) if nearest == ["nasty.echo"])
    );
    // None of these calls reached the server.
    assert_eq!(text(&agent, "calls").await, r#"["calls"]"#);
    assert_eq!(
        agent.resolve("nasty__echo").await.unwrap().effect,
        EffectClass::ReadOnly
    );
}

#[tokio::test]
async fn a_tool_that_changes_something_needs_a_permission_even_if_it_may_be_repeated() {
    let mut settings = nasty("ok");
    for tool in ["echo", "calls"] {
        let effects = &mut settings.effects.tools;
        effects.insert(tool.to_owned(), EffectClass::Idempotent);
    }
    let pool = McpPool::new(vec![settings]).unwrap();
    let mut access = AgentAccess {
        servers: vec![ServerGrant::all("nasty")],
        allow_destructive: false,
    };
    access.servers[0].writes.insert("echo".to_owned());
    let agent = pool.agent(&access).unwrap();
    let call = async |tool| {
        agent
            .call("nasty", tool, json!({}), CallOptions::default())
            .await
    };
    assert_eq!(
        refusal(call("calls").await).reason(),
        "destructive_not_allowed"
    );
    assert!(call("echo").await.is_ok());
    let listed = agent.list().await.tools;
    assert!(listed.iter().any(|tool| tool.name == "echo"));
    assert!(!listed.iter().any(|tool| tool.name == "calls"));
    pool.close().await;
}

#[tokio::test]
async fn an_agent_of_an_unknown_server_is_refused_at_the_start() {
    let pool = McpPool::new(vec![nasty("ok")]).unwrap();
    let access = AgentAccess {
        servers: vec![ServerGrant::all("nobody")],
        allow_destructive: false,
    };
    assert!(matches!(
        pool.agent(&access),
        Err(Error::UnknownServer { .. })
    ));
    assert!(matches!(
        McpPool::new(vec![nasty("ok"), nasty("ok")]),
        Err(Error::DuplicateServer(_))
    ));
}

#[tokio::test]
async fn arguments_must_match_the_schema() {
    let (_pool, tools) = one(nasty("ok"));
    let typed = async |arguments| {
        tools
            .call("nasty", "typed", arguments, CallOptions::default())
            .await
    };
    assert!(typed(json!({"n": 1, "s": "aa"})).await.is_ok());
    for bad in [
        json!({}),
        json!({"n": 0}),
        json!({"n": "1"}),
        json!({"n": 1, "x": 2}),
        json!({"n": 1, "s": "b"}),
        json!([]),
    ] {
        assert_eq!(
            refusal(typed(bad.clone()).await).reason(),
            "invalid_arguments",
            "{bad}"
        );
    }
    let broken = tools
        .call("nasty", "broken_schema", json!({}), CallOptions::default())
        .await;
    // Parts that can't be compiled are left out: the server checks its arguments anyway.
    assert_eq!(broken.unwrap().text, "{}");
    assert_eq!(call(&tools, "echo", json!(null)).await.text, "{}");
}

#[tokio::test]
async fn a_tool_that_changes_in_the_session_is_noticed_and_not_called() {
    let (_pool, tools) = one(nasty("ok"));
    let before = tools.resolve("nasty.echo").await.unwrap();
    let pinned = CallOptions {
        pin: Some(before.pin.clone()),
        ..CallOptions::default()
    };
    assert!(
        tools
            .call("nasty", "echo", json!({}), pinned.clone())
            .await
            .is_ok()
    );
    text(&tools, "change_tools").await;
    let after = tools.resolve("nasty.echo").await.unwrap();
    assert_ne!(before.pin, after.pin);
    assert_eq!(
        refusal(tools.call("nasty", "echo", json!({}), pinned).await).reason(),
        "tool_changed"
    );
}

#[tokio::test]
async fn an_answer_above_the_limit_is_cut_with_a_marker() {
    let mut settings = nasty("ok");
    settings.max_output_bytes = 10_000;
    let (_pool, tools) = one(settings);
    let outcome = call(&tools, "big_line", json!({"bytes": 1_000_000})).await;
    assert!(outcome.truncated && outcome.text.len() <= 10_000 && outcome.total_bytes >= 900_000);
    assert!(outcome.text.contains("[output cut: the tool sent"));
    let pages = tarsy_mcp::page(&outcome.text, 1, 4096).unwrap().of;
    assert!(
        tarsy_mcp::page(&outcome.text, pages, 4096)
            .unwrap()
            .text
            .contains("[output cut")
    );
}
