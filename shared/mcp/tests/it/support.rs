//! Helpers that the tests of this crate share.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tarsy_masking::Masker;
use tarsy_mcp::{
    AgentAccess, AgentTools, CallOptions, HttpSettings, McpPool, ServerGrant, ServerSettings,
    StdioSettings, ToolOutcome, TransportSettings,
};

pub(crate) fn masker() -> Arc<Masker> {
    Arc::new(Masker::group("all").expect("the group `all`"))
}

pub(crate) fn stdio(id: &str, command: &str, args: &[&str]) -> ServerSettings {
    let stdio = StdioSettings {
        command: command.to_owned(),
        args: args.iter().map(|arg| (*arg).to_owned()).collect(),
        ..StdioSettings::default()
    };
    ServerSettings::new(id, TransportSettings::Stdio(stdio), masker())
}

pub(crate) fn http(id: &str, url: &str) -> ServerSettings {
    rustls::crypto::ring::default_provider()
        .install_default()
        .ok();
    let http = HttpSettings {
        url: url.to_owned(),
        ..HttpSettings::default()
    };
    ServerSettings::new(id, TransportSettings::Http(http), masker())
}

pub(crate) fn nasty(mode: &str) -> ServerSettings {
    let script = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/nasty.py");
    stdio(
        "nasty",
        "python3",
        &[script.to_str().expect("a path in UTF-8"), mode],
    )
}

/// Creates a pool of one server, and the view of an agent that may use all of it.
pub(crate) fn one(settings: ServerSettings) -> (McpPool, AgentTools) {
    let access = AgentAccess {
        servers: vec![ServerGrant::all(&settings.id)],
        allow_destructive: true,
    };
    let pool = McpPool::new(vec![settings]).expect("a pool");
    let tools = pool.agent(&access).expect("a view");
    (pool, tools)
}

pub(crate) async fn call(tools: &AgentTools, tool: &str, arguments: Value) -> ToolOutcome {
    let server = tools.servers()[0].to_owned();
    tools
        .call(&server, tool, arguments, CallOptions::default())
        .await
        .expect("an answer")
}

pub(crate) async fn text(tools: &AgentTools, tool: &str) -> String {
    call(tools, tool, json!({})).await.text
}

pub(crate) fn within(timeout: Duration) -> CallOptions {
    CallOptions {
        timeout: Some(timeout),
        ..CallOptions::default()
    }
}

/// Waits until `holds` is true. Fails after 20 s.
pub(crate) async fn eventually(what: &str, holds: impl AsyncFn() -> bool) {
    let deadline = std::time::Instant::now() + Duration::from_secs(20);
    while !holds().await {
        assert!(std::time::Instant::now() < deadline, "never: {what}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Whether a process is running. A zombie does not count.
pub(crate) fn runs(pid: &str) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| {
        !stat
            .rsplit(')')
            .next()
            .is_some_and(|rest| rest.trim_start().starts_with('Z'))
    })
}
