//! `tarsy tools`: lists the tools of an agent's MCP servers, and which ones it may call.

use std::process::ExitCode;

use anyhow::{Result, bail};
use serde::Serialize;
use serde_json::Value;
use tarsy_config::{AgentConfig, Config, Variables};
use tarsy_mcp::{Admission, EffectSuggestion, ServerSurvey, SurveyedTool, suggested_effects};
use tarsy_model::EffectClass;

use crate::configuration::Configuration;
use crate::output::{bold, dim, harmless, json, shortened, status, styled};

/// Agent.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Agent name, or `ConfigurableAgent:<name>`
    agent: String,
    #[command(flatten)]
    configuration: Configuration,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Print `tool_effects` for unclassified tools whose names suggest that they only read; review them before use
    #[arg(long, conflicts_with = "json")]
    suggest: bool,
}

#[derive(Debug, Serialize)]
struct Server {
    server: String,
    /// Reason why the tools could not be listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    tools: Vec<Tool>,
    /// Tools that are configured, but that the server does not list.
    missing: Vec<String>,
}

#[derive(Debug, Serialize)]
struct Tool {
    name: String,
    effect: EffectClass,
    allowed: bool,
    /// Reason why the agent may not call it.
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
    description: String,
}

pub(crate) async fn run(options: &Options) -> Result<ExitCode> {
    let config = options.configuration.load(Variables::Required)?;
    let Some(agent) = config.agent(&options.agent) else {
        let known: Vec<&str> = config.agents.keys().map(String::as_str).collect();
        bail!(
            "unknown agent `{}`; known: {}",
            options.agent,
            known.join(", ")
        );
    };
    tarsy_telemetry::install_crypto();
    let pool = tarsy_stage_worker::servers(&config)?;
    let view = pool.agent(&tarsy_stage_worker::access(&config, agent))?;
    let surveys = view.survey().await;
    pool.close().await;

    if options.suggest {
        let reached = surveys.iter().all(|survey| survey.tools.is_ok());
        println!("{}", suggestion(&surveys).trim_end());
        return Ok(exit(reached));
    }
    let servers: Vec<Server> = surveys
        .into_iter()
        .map(|survey| Server::new(&config, agent, survey))
        .collect();
    if options.json {
        println!("{}", json(&servers)?);
    } else {
        print_tools(&config, agent, &servers);
    }
    let reached = servers.iter().all(|server| server.error.is_none());
    Ok(exit(reached))
}

const fn exit(reached: bool) -> ExitCode {
    match reached {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}

/// Returns YAML for the configuration's `mcp_servers`. Tools that it can't decide on are listed in comments.
fn suggestion(surveys: &[ServerSurvey]) -> String {
    let mut text = String::from(
        "# Tools that read, by their names alone. Read the descriptions before you use this.\nmcp_servers:\n",
    );
    for survey in surveys {
        let key = Value::from(survey.server.as_str());
        let tools = match &survey.tools {
            Ok(tools) => tools,
            Err(error) => {
                let error = harmless(&error.to_string()).replace('\n', " ");
                text.push_str(&format!("  # {key}: {error}\n"));
                continue;
            }
        };
        let EffectSuggestion {
            read_only,
            undecided,
        } = suggested_effects(tools);
        if read_only.is_empty() {
            text.push_str(&format!("  # {key}: nothing to suggest\n"));
        } else {
            text.push_str(&format!("  {key}:\n    tool_effects:\n"));
        }
        for name in read_only {
            text.push_str(&format!("      {}: read_only\n", Value::from(name)));
        }
        for name in undecided {
            text.push_str(&format!("      # undecided: {}\n", Value::from(name)));
        }
    }
    text
}

/// Returns the tools of a survey. If they could not be listed, it returns the reason with the server's last output.
pub(crate) fn listed(
    tools: Result<Vec<SurveyedTool>, impl std::fmt::Display>,
    stderr: Option<String>,
) -> (Vec<SurveyedTool>, Option<String>) {
    match tools {
        Ok(tools) => (tools, None),
        Err(error) => {
            let output = stderr.map(|output| format!("; stderr ends with:\n{output}"));
            let error = format!("{error}{}", output.unwrap_or_default());
            (Vec::new(), Some(error))
        }
    }
}

impl Server {
    fn new(config: &Config, agent: &AgentConfig, survey: ServerSurvey) -> Self {
        let (tools, error) = listed(survey.tools, survey.stderr);
        let tool = |surveyed: SurveyedTool| Tool {
            effect: surveyed.tool.effect,
            allowed: surveyed.admission == Admission::Allowed,
            why: why(config, agent, &surveyed),
            description: surveyed.tool.description,
            name: surveyed.tool.name,
        };
        Self {
            error,
            tools: tools.into_iter().map(tool).collect(),
            missing: survey.missing,
            server: survey.server,
        }
    }
}

/// Returns why the configuration does not allow a tool.
fn why(config: &Config, agent: &AgentConfig, surveyed: &SurveyedTool) -> Option<String> {
    let (server, name) = (&surveyed.tool.server, &surveyed.tool.name);
    match surveyed.admission {
        Admission::Allowed => None,
        Admission::OutsideSubset if !agent.offers(server, name) => {
            Some(format!("not among the agent's `tools` of {server}"))
        }
        Admission::OutsideSubset => {
            let of_server = config.server(server).and_then(|server| server.allowed_tools.as_ref());
            Some(format!("not among the {} `allowed_tools` of {server}", of_server.map_or(0, Vec::len)))
        }
        Admission::Destructive => {
            Some("it may have side effects: add it to the agent's `allow_writes`, set `allow_destructive`, or set its effect in `tool_effects`".to_owned())
        }
    }
}

fn print_tools(config: &Config, agent: &AgentConfig, servers: &[Server]) {
    for id in agent
        .mcp_servers
        .iter()
        .filter(|id| config.server(id).is_none())
    {
        println!("{}  {}\n", bold(id), status("disabled"));
    }
    if agent.mcp_servers.is_empty() {
        println!("{} has no MCP servers", agent.name);
    }
    for server in servers {
        if let Some(error) = &server.error {
            println!(
                "{}  {}\n  {}\n",
                bold(&server.server),
                status("failed"),
                harmless(error)
            );
            continue;
        }
        let allowed = server.tools.iter().filter(|tool| tool.allowed).count();
        println!(
            "{}  {}",
            bold(&server.server),
            dim(&format!(
                "{allowed} of {} tools allowed",
                server.tools.len()
            ))
        );
        for tool in &server.tools {
            let mark = if tool.allowed {
                styled("32", "+")
            } else {
                styled("31", "-")
            };
            let name = harmless(&shortened(&tool.name, 40));
            let text = match &tool.why {
                Some(why) => styled("33", why),
                None => dim(&harmless(&shortened(&tool.description, 80))),
            };
            println!("  {mark} {name:<40} {:<12} {text}", tool.effect.as_str());
        }
        for name in &server.missing {
            println!(
                "  {} {}: configured, but missing on the server",
                styled("33", "?"),
                harmless(name)
            );
        }
        println!();
    }
}
