//! `tarsy chains`: chains with their alert types and stages.

use std::process::ExitCode;

use anyhow::{Result, bail};
use serde::Serialize;
use tarsy_chain::{ChainDefinition, Join, OnRunbookError, StageKind, mermaid};
use tarsy_config::{Config, Variables};

use crate::configuration::Configuration;
use crate::output::{bold, dim, json};
use crate::resolved_stage::ResolvedStage;

/// Options of the command.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    #[command(flatten)]
    configuration: Configuration,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Print the graph of a chain as a Mermaid flowchart
    Show {
        /// Chain id
        chain: String,
    },
}

#[derive(Debug, Serialize)]
struct Shown<'c> {
    chain_id: &'c str,
    description: Option<&'c str>,
    alert_types: &'c [String],
    on_runbook_error: OnRunbookError,
    stages: Vec<ResolvedStage>,
}

pub(crate) fn run(options: &Options) -> Result<ExitCode> {
    // No server is started, so the secrets of servers are not needed.
    let config = options.configuration.load(Variables::Optional)?;
    if let Some(Command::Show { chain }) = &options.command {
        return show(&config, chain);
    }
    let chains: Vec<Shown<'_>> = config
        .chains
        .values()
        .map(|chain| Shown::new(&config, chain))
        .collect();
    if options.json {
        println!("{}", json(&chains)?);
    } else {
        chains.iter().for_each(Shown::print);
    }
    Ok(ExitCode::SUCCESS)
}

fn show(config: &Config, name: &str) -> Result<ExitCode> {
    let Some(chain) = config.chains.get(name) else {
        let known: Vec<&str> = config.chains.keys().map(String::as_str).collect();
        bail!("unknown chain `{name}`; known: {}", known.join(", "));
    };
    let mut chain = chain.clone();
    for stage in &mut chain.stages {
        let names = config
            .sub_agents_of(stage)
            .into_iter()
            .map(str::to_owned)
            .collect::<Vec<_>>();
        if let StageKind::Agent(kind) = &mut stage.kind
            && !names.is_empty()
        {
            kind.sub_agents = Some(names);
        }
    }
    // Can't fail, because the configuration was checked when it was read.
    match mermaid(&chain) {
        Ok(graph) => println!("{}", graph.trim_end()),
        Err(mistakes) => bail!("chain `{name}` can't be run: {mistakes:?}"),
    }
    Ok(ExitCode::SUCCESS)
}

impl<'c> Shown<'c> {
    fn new(config: &Config, chain: &'c ChainDefinition) -> Self {
        Self {
            chain_id: &chain.chain_id,
            description: chain.description.as_deref(),
            alert_types: &chain.alert_types,
            on_runbook_error: chain.on_runbook_error,
            stages: chain
                .stages
                .iter()
                .map(|stage| ResolvedStage::new(config, chain, stage))
                .collect(),
        }
    }

    fn print(&self) {
        println!(
            "{}  {}",
            bold(self.chain_id),
            dim(self.description.unwrap_or_default())
        );
        println!("  alerts    {}", self.alert_types.join(", "));
        if self.on_runbook_error == OnRunbookError::Fail {
            println!("  fails without its runbook");
        }
        for (index, stage) in self.stages.iter().enumerate() {
            println!("  stage {:<3} {}", index + 1, stage.name);
            println!("            {}", stage.runs());
            if stage.asks_model() {
                println!("            model {}", stage.models());
            }
            if let Some(branches) = stage.branches() {
                println!("            branches {branches}");
            }
            if !stage.sub_agents.is_empty() {
                println!("            may dispatch {}", stage.sub_agents.join(", "));
            }
            if let Some(needs) = &stage.needs {
                let needs = match needs.as_slice() {
                    [] => "nothing: starts at once".to_owned(),
                    names => names.join(if stage.join == Join::Any {
                        " or "
                    } else {
                        ", "
                    }),
                };
                println!("            needs {needs}");
            }
            if let Some(when) = &stage.when {
                println!("            when  {when}");
            }
        }
        println!();
    }
}
