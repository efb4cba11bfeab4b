//! The fleet's MCP client as the official conformance suite calls it: the server's URL is the
//! last argument, the scenario is in `MCP_CONFORMANCE_SCENARIO`.
//!
//! Nothing of the protocol is here. This connects as a worker does and calls what the scenario
//! is about; the suite judges what it sees on the wire.

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::{Value, json};
use tarsy_masking::{Masker, MaskingConfig};
use tarsy_mcp::{
    AgentAccess, AgentTools, CallOptions, EffectSettings, Elicitation, HttpSettings, McpPool,
    ServerGrant, ServerSettings, TransportSettings,
};
use tarsy_model::EffectClass;

/// Name of the suite's server here.
const SERVER: &str = "conformance";

#[tokio::main]
async fn main() -> Result<()> {
    tarsy_telemetry::install_crypto();
    let url = std::env::args()
        .next_back()
        .context("the server's URL is the last argument")?;
    let scenario = std::env::var("MCP_CONFORMANCE_SCENARIO").unwrap_or_default();
    let pool = McpPool::new(vec![settings(url)?])?;
    let access = AgentAccess {
        servers: vec![ServerGrant::all(SERVER)],
        allow_destructive: false,
    };
    let played = play(&scenario, &pool.agent(&access)?).await;
    pool.close().await;
    played
}

fn settings(url: String) -> Result<ServerSettings> {
    let Ok(masker) = Masker::new(&MaskingConfig::default()) else {
        bail!("the default masking can't be set up");
    };
    let http = HttpSettings {
        url,
        ..HttpSettings::default()
    };
    let mut settings = ServerSettings::new(SERVER, TransportSettings::Http(http), Arc::new(masker));
    settings.effects = EffectSettings {
        default: Some(EffectClass::ReadOnly),
        tools: BTreeMap::new(),
    };
    settings.elicitation = Elicitation::AcceptDefaults;
    Ok(settings)
}

/// What the scenario wants done.
async fn play(scenario: &str, tools: &AgentTools) -> Result<()> {
    let listed = tools.list_server(SERVER).await?;
    let call = match scenario {
        "initialize" => return Ok(()),
        // Without a token, as an operator who configured none; see `not-played.yaml`.
        auth if auth.starts_with("auth/") => return Ok(()),
        "tools_call" => ("add_numbers", json!({"a": 5, "b": 3})),
        "elicitation-sep1034-client-defaults" => ("test_client_elicitation_defaults", json!({})),
        "sse-retry" => ("test_reconnection", json!({})),
        other => bail!("the scenario `{other}` is not played"),
    };
    ensure!(
        listed.iter().any(|tool| tool.name == call.0),
        "the server does not list `{}`",
        call.0
    );
    let outcome = tools
        .call(SERVER, call.0, call.1, CallOptions::default())
        .await?;
    ensure!(
        !outcome.is_error,
        "the tool failed: {}",
        Value::String(outcome.text)
    );
    Ok(())
}
