//! `AGENT_REGISTRY` and `MCP_SERVER_REGISTRY`: agents of alert types and MCP servers from the environment
//! (REQ-3.2.1; seed 002, deployment). They are read over the built-in definitions, like a file beside the file.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::context::{Context, Variables};
use crate::problem::{Position, Problem};
use crate::references::References;
use crate::sections::Definitions;
use crate::settings::Environment;

const AGENTS: &str = "AGENT_REGISTRY";
const SERVERS: &str = "MCP_SERVER_REGISTRY";

/// Reads both variables into `definitions`; what is wrong with them. Values are never repeated.
pub(crate) fn read(
    env: &Environment,
    variables: Variables,
    references: &References,
    definitions: &mut Definitions,
) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (name, document) in [(SERVERS, servers as fn(&str) -> _), (AGENTS, agents)] {
        let Some(text) = env.value(name) else {
            continue;
        };
        match document(text) {
            Ok(document) => {
                let context = Context::new(name, &document, env, variables, references);
                let _ = definitions.read_source(&context);
                problems.extend(context.problems().iter().map(without_place));
            }
            Err(hint) => problems.push(Problem {
                file: "environment".to_owned(),
                at: Position::default(),
                message: format!("`{name}`: invalid JSON"),
                hint: Some(hint),
                snippet: None,
            }),
        }
    }
    problems
}

/// A place in a variable says nothing, and its text may hold secrets.
fn without_place(problem: &Problem) -> Problem {
    Problem {
        at: Position::default(),
        snippet: None,
        ..problem.clone()
    }
}

/// The servers as a section of a configuration file. JSON is YAML.
fn servers(text: &str) -> Result<String, String> {
    let servers: BTreeMap<String, Value> = serde_json::from_str(text).map_err(|error| {
        format!(
            "expected `{{\"<server>\": {{..}}}}`: line {}, column {}",
            error.line(),
            error.column()
        )
    })?;
    Ok(json!({ "mcp_servers": servers }).to_string())
}

/// One chain of one stage for each agent that is named.
fn agents(text: &str) -> Result<String, String> {
    let agents: BTreeMap<String, String> = serde_json::from_str(text).map_err(|error| {
        format!(
            "expected `{{\"<alert type>\": \"<agent>\"}}`: line {}, column {}",
            error.line(),
            error.column()
        )
    })?;
    let mut types: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (alert_type, agent) in &agents {
        types.entry(agent).or_default().push(alert_type);
    }
    let chains: BTreeMap<String, Value> = types
        .into_iter()
        .map(|(agent, alert_types)| {
            let stage = json!({"name": "analysis", "agent": agent});
            let chain = json!({"alert_types": alert_types, "stages": [stage]});
            (format!("{agent}-registry"), chain)
        })
        .collect();
    Ok(json!({ "agent_chains": chains }).to_string())
}
