//! What can be typed.

use std::ffi::OsString;
use std::path::Path;

use clap::{Parser, Subcommand};

use crate::commands::{
    agents, audit, cancel, care, chains, check_config, dead, deliveries, export, health, keys,
    mask, migrate, prune, queues, rejected, replay, sessions, submit, tools, upstreams, workers,
};

/// A durable fleet of alert-investigating workers.
#[derive(Debug, Parser)]
#[command(name = "tarsy", version)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) server: Server,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Names under which the program runs a service: `ingest-api` is `tarsy ingest-api`.
const SERVICES: [&str; 3] = ["ingest-api", "chain-worker", "stage-worker"];

impl Arguments {
    /// What was typed. A link to this program that has the name of a service runs it.
    pub(crate) fn of_process() -> Self {
        Self::parse_from(with_service(std::env::args_os().collect()))
    }
}

fn with_service(mut typed: Vec<OsString>) -> Vec<OsString> {
    let name = typed.first().map(Path::new).and_then(Path::file_name);
    let service = SERVICES
        .iter()
        .find(|service| name == Some(service.as_ref()));
    if let Some(service) = service {
        typed.insert(1, service.into());
    }
    typed
}

/// Where the fleet's API is.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Server {
    /// Address of the API
    #[arg(
        long,
        global = true,
        env = "TARSY_URL",
        default_value = "http://127.0.0.1:8000"
    )]
    pub(crate) url: String,
    /// API key, where access control is on
    #[arg(long, global = true, env = "TARSY_API_KEY", hide_env_values = true)]
    pub(crate) key: Option<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run the whole fleet in this process: API, chain worker and stage worker
    Up,
    /// Run an ingest-api: it accepts alerts over HTTP and serves sessions and their history
    IngestApi,
    /// Run a chain-worker: it decides what comes next for each session
    ChainWorker,
    /// Run a stage-worker: the agents, their models and their tools
    StageWorker,
    /// Bring the database's tables to this version
    Migrate(migrate::Options),
    /// Check environment and configuration file; lists every mistake
    CheckConfig(check_config::Options),
    /// Submit an alert from a file, or from standard input with `-`
    Submit(submit::Options),
    /// List sessions, show one, or watch them
    Sessions(sessions::Options),
    /// Run the failed stage of a session again, or of all that match
    Replay(replay::Options),
    /// End a session that is under way, or all that match
    Cancel(cancel::Options),
    /// Say that somebody has seen a session, or nobody has after all
    Acknowledge(care::Acknowledge),
    /// Say whose a session is
    Assign(care::Assign),
    /// Say whether a session's answer is right
    Rate(care::Rate),
    /// Write a session with all it did as JSON, CSV or Markdown
    Export(export::Options),
    /// Show whether each part of the fleet works; fails when one does not
    Health(health::Options),
    /// List LLM providers and MCP servers, and how their calls of the last hour went
    Upstreams(upstreams::Options),
    /// List who did what, and why
    Audit(audit::Options),
    /// List notifications of ended sessions; deliver one again
    Deliveries(deliveries::Options),
    /// List queues; pause or resume one
    Queues(queues::Options),
    /// List workers and what they run; drain one
    Workers(workers::Options),
    /// List dead jobs; show, requeue or discard one
    Dead(dead::Options),
    /// List rejected alerts; show one or submit it again
    Rejected(rejected::Options),
    /// Delete what is past its time now; show what takes how much
    Prune(prune::Options),
    /// Make, list and revoke API keys; on the database, if its URL is set and no key is given
    Keys(keys::Options),
    /// List agents: strategy, model, servers, limits
    Agents(agents::Options),
    /// List chains: alert types and stages
    Chains(chains::Options),
    /// Ask an agent's MCP servers for their tools; shows which it may call, and why not
    Tools(tools::Options),
    /// Mask secrets: standard input to standard output
    Mask(mask::Options),
    /// Print a shell's completion script
    Completion {
        /// Which shell
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    #[test]
    fn a_link_named_after_a_service_runs_it() {
        let typed = |arguments: &[&str]| {
            let arguments = arguments.iter().map(Into::into).collect();
            super::with_service(arguments)
        };
        assert_eq!(
            typed(&["/usr/bin/chain-worker", "--help"]),
            ["/usr/bin/chain-worker", "chain-worker", "--help"]
        );
        assert_eq!(typed(&["tarsy", "up"]), ["tarsy", "up"]);
    }

    #[test]
    fn the_arguments_are_consistent() {
        super::Arguments::command().debug_assert();
    }
}
