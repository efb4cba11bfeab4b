//! The fleet's MCP client as the official conformance suite calls it: the server's URL is the
//! last argument, the scenario is in `MCP_CONFORMANCE_SCENARIO`.
//!
//! Nothing of the protocol is here. This connects as a worker does and calls what the scenario
//! is about; the suite judges what it sees on the wire.

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::{Context as _, Result, bail, ensure};
use serde::Deserialize;
use serde_json::{Value, json};
use tarsy_masking::{Masker, MaskingConfig};
use tarsy_mcp::{
    AgentAccess, AgentTools, CallOptions, ClientProof, EffectSettings, Elicitation, HttpSettings,
    McpPool, OAuthSettings, Secret, ServerGrant, ServerSettings, TransportSettings,
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
    let pool = McpPool::new(vec![settings(url, &scenario)?])?;
    let access = AgentAccess {
        servers: vec![ServerGrant::all(SERVER)],
        allow_destructive: false,
    };
    let played = play(&scenario, &pool.agent(&access)?).await;
    pool.close().await;
    played
}

fn settings(url: String, scenario: &str) -> Result<ServerSettings> {
    let Ok(masker) = Masker::new(&MaskingConfig::default()) else {
        bail!("the default masking can't be set up");
    };
    let http = HttpSettings {
        url,
        oauth: oauth(scenario)?,
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

/// The client that the suite has registered for the scenario; for one about the way in that
/// registers none, a made-up one, so that it is played as far as the grant goes.
fn oauth(scenario: &str) -> Result<Option<OAuthSettings>> {
    #[derive(Deserialize)]
    struct Registered {
        client_id: Option<String>,
        client_secret: Option<String>,
        private_key_pem: Option<String>,
    }
    if !scenario.starts_with("auth/") {
        return Ok(None);
    }
    let context = std::env::var("MCP_CONFORMANCE_CONTEXT").unwrap_or_else(|_| {
        json!({"client_id": "made-up", "client_secret": "made-up"}).to_string()
    });
    let registered: Registered =
        serde_json::from_str(&context).context("the suite's context is not as expected")?;
    let secret = registered
        .client_secret
        .map(|s| ClientProof::Secret(Secret::new(s)));
    let key = registered.private_key_pem.map(|pem| ClientProof::Key {
        pem: Secret::new(pem),
        id: None,
    });
    let proved = registered.client_id.zip(secret.or(key));
    Ok(proved.map(|(client_id, proof)| OAuthSettings {
        client_id,
        proof,
        scopes: Vec::new(),
        token_url: None,
        resource: None,
    }))
}

/// What the scenario wants done.
async fn play(scenario: &str, tools: &AgentTools) -> Result<()> {
    let listed = tools.list_server(SERVER).await?;
    let call = match scenario {
        "initialize" => return Ok(()),
        // The way in is what it is about.
        auth if auth.starts_with("auth/") => return Ok(()),
        "tools_call" => ("add_numbers", json!({"a": 5, "b": 3})),
        "elicitation-sep1034-client-defaults" => ("test_client_elicitation_defaults", json!({})),
        "sse-retry" => ("test_reconnection", json!({})),
        other => bail!("the scenario `{other}` is not played"),
    };
    ensure!(
        listed.tools.iter().any(|tool| tool.name == call.0),
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
