//! `AGENT_REGISTRY` and `MCP_SERVER_REGISTRY`: agents of alert types and MCP servers, from the environment. They add to
//! the built-in definitions or override them, like a second configuration file.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::context::{Context, Variables};
use crate::problem::{Position, Problem};
use crate::references::References;
use crate::sections::Definitions;
use crate::settings::Environment;

/// Names of each variable. The documents that the system is built from use both.
const AGENTS: [&str; 2] = ["AGENT_REGISTRY", "AGENT_REGISTRY_CONFIG"];
const SERVERS: [&str; 2] = ["MCP_SERVER_REGISTRY", "MCP_SERVER_REGISTRY_CONFIG"];

/// Reads both variables into `definitions`, and returns the problems. Messages never contain values.
pub(crate) fn read(
    env: &Environment,
    variables: Variables,
    references: &References,
    definitions: &mut Definitions,
) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (names, document) in [(SERVERS, servers as fn(&str) -> _), (AGENTS, agents)] {
        let set = names
            .iter()
            .filter_map(|name| Some((*name, env.value(name)?)));
        let (name, text) = match set.collect::<Vec<_>>().as_slice() {
            [] => continue,
            [only] => *only,
            [(one, _), (other, _), ..] => {
                problems.push(Problem {
                    file: "environment".to_owned(),
                    at: Position::default(),
                    message: format!("`{one}` and `{other}` are both set"),
                    hint: Some("they are names of the same variable: set one".to_owned()),
                    snippet: None,
                });
                continue;
            }
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

/// Removes the position and the snippet of a problem. A position in a variable is meaningless, and its text may contain
/// secrets.
fn without_place(problem: &Problem) -> Problem {
    Problem {
        at: Position::default(),
        snippet: None,
        ..problem.clone()
    }
}

/// Returns the servers as a section of a configuration file, in JSON, which is YAML too.
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

/// Returns a section of chains: a chain with one stage for each named agent.
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
