//! Configuration of an evaluation's fleet: the caller's providers, and for each case a tool server, an agent and a
//! chain.

use anyhow::{Context as _, Result};
use serde_json::{Map, Value, json};
use tarsy_eval::{Case, DIAGNOSIS_SERVER};

/// A case to run.
pub(super) struct Entry<'a> {
    pub(super) case: &'a Case,
    /// URL of its tool server.
    pub(super) url: String,
    /// URL of its diagnosis server, if the session starts with a diagnosis.
    pub(super) diagnosis_url: Option<String>,
}

/// Returns the alert type of a case. Models see it, and the names of agent and server.
pub(super) fn alert_type(case: &Case) -> String {
    format!("eval/{}", case.alias())
}

/// Writes the configuration as JSON: the cases, and the providers, prices and limits of `own`, the text of the caller's
/// file. Everything else in `own` is ignored, so an evaluation sends no notification and calls no real tool.
pub(super) fn write(
    own: Option<&str>,
    provider: &str,
    strategy: &str,
    entries: &[Entry<'_>],
) -> Result<String> {
    let own: Map<String, Value> = match own {
        Some(text) => serde_saphyr::from_str(text).context("the configuration is no mapping")?,
        None => Map::new(),
    };
    let kept = [
        "llm_providers",
        "default_llm_provider",
        "summary_provider",
        "fallback_lists",
        "prices",
        "limits",
    ];
    let mut config: Map<String, Value> = own
        .into_iter()
        .filter(|(key, _)| kept.contains(&key.as_str()))
        .collect();
    config.insert("default_llm_provider".to_owned(), json!(provider));
    let (mut servers, mut agents, mut chains) = (Map::new(), Map::new(), Map::new());
    for entry in entries {
        let alias = entry.case.alias();
        let (server, agent) = (format!("tools-{alias}"), format!("Investigator-{alias}"));
        servers.insert(server.clone(), tool_server(&entry.url));
        agents.insert(
            agent.clone(),
            json!({"mcp_servers": [server], "iteration_strategy": strategy}),
        );
        let mut stages = vec![json!({"name": "investigate", "agent": agent})];
        if let Some(url) = &entry.diagnosis_url {
            let server = format!("{DIAGNOSIS_SERVER}{alias}");
            let call = format!("{server}.diagnose");
            stages.insert(0, json!({"name": "diagnose", "kind": "tool", "call": call}));
            servers.insert(server, tool_server(url));
        }
        chains.insert(
            format!("eval-{alias}"),
            json!({"alert_types": [alert_type(entry.case)], "stages": stages}),
        );
    }
    config.insert("mcp_servers".to_owned(), servers.into());
    config.insert("agents".to_owned(), agents.into());
    config.insert("agent_chains".to_owned(), chains.into());
    Ok(Value::Object(config).to_string())
}

fn tool_server(url: &str) -> Value {
    json!({"default_effect": "read_only", "connection_params": {"url": url}})
}
