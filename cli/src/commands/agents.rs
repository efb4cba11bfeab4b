//! `tarsy agents`: agents with their model, servers and limits.

use std::collections::BTreeMap;
use std::process::ExitCode;

use anyhow::Result;
use serde::Serialize;
use tarsy_config::{AgentConfig, AgentLimits, Config, Variables};
use tarsy_model::IterationStrategy;

use crate::configuration::Configuration;
use crate::output::{bold, dim, json, span};
use crate::resolved_stage::{ResolvedProvider, models};

/// Options of the command.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    #[command(flatten)]
    configuration: Configuration,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Serialize)]
struct Shown<'c> {
    name: &'c str,
    description: Option<&'c str>,
    strategy: IterationStrategy,
    providers: Vec<ResolvedProvider>,
    servers: Vec<Server<'c>>,
    allow_destructive: bool,
    limits: &'c AgentLimits,
    /// Stages that the agent runs, by chain.
    stages: BTreeMap<&'c str, Vec<&'c str>>,
}

/// One of an agent's servers.
#[derive(Debug, Serialize)]
struct Server<'c> {
    id: &'c str,
    enabled: bool,
    /// Visible tools; `null`: all.
    tools: Option<&'c Vec<String>>,
    /// Tools with side effects that the agent may call.
    writes: Option<&'c Vec<String>>,
}

pub(crate) fn run(options: &Options) -> Result<ExitCode> {
    // No server is started, so the secrets of servers are not needed.
    let config = options.configuration.load(Variables::Optional)?;
    let agents: Vec<Shown<'_>> = config
        .agents
        .values()
        .map(|agent| Shown::new(&config, agent))
        .collect();
    if options.json {
        println!("{}", json(&agents)?);
    } else {
        agents.iter().for_each(Shown::print);
    }
    Ok(ExitCode::SUCCESS)
}

impl<'c> Shown<'c> {
    fn new(config: &'c Config, agent: &'c AgentConfig) -> Self {
        let server = |id: &'c String| Server {
            id,
            enabled: config.server(id).is_some(),
            tools: agent.tools.get(id),
            writes: agent.allow_writes.get(id),
        };
        let chains = config.chains.values().map(|chain| {
            let stages = chain
                .stages
                .iter()
                .filter(|stage| stage.agent() == Some(agent.name.as_str()));
            (
                chain.chain_id.as_str(),
                stages.map(|stage| stage.name.as_str()).collect::<Vec<_>>(),
            )
        });
        Self {
            name: &agent.name,
            description: agent.description.as_deref(),
            strategy: agent.iteration_strategy.unwrap_or(config.default_strategy),
            providers: ResolvedProvider::of_agent(config, agent),
            servers: agent.mcp_servers.iter().map(server).collect(),
            allow_destructive: agent.allow_destructive,
            limits: &agent.limits,
            stages: chains.filter(|(_, stages)| !stages.is_empty()).collect(),
        }
    }

    fn print(&self) {
        println!(
            "{}  {}",
            bold(self.name),
            dim(self.description.unwrap_or_default())
        );
        println!("  strategy  {}", self.strategy);
        println!("  model     {}", models(&self.providers));
        if self.servers.is_empty() {
            println!("  servers   none");
        }
        for server in &self.servers {
            let tools = server
                .tools
                .map_or_else(|| "all tools".to_owned(), |tools| tools.join(", "));
            let state = if server.enabled { "" } else { ", disabled" };
            println!("  server    {}: {tools}{state}", server.id);
            if let Some(writes) = server.writes {
                println!("            tools with side effects: {}", writes.join(", "));
            }
        }
        if self.allow_destructive {
            println!("  may call any tool with side effects");
        }
        println!(
            "  limits    {} iterations, {} tool calls, {} data points, {} per stage",
            self.limits.max_iterations,
            self.limits.max_tool_calls,
            self.limits.max_data_points,
            span(self.limits.stage_timeout)
        );
        for (chain, stages) in &self.stages {
            println!(
                "  runs      {} {}",
                stages.join(", "),
                dim(&format!("of {chain}"))
            );
        }
        println!();
    }
}
