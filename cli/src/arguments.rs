//! Command line arguments.

use std::process::ExitCode;

use anyhow::Result;
use clap::{CommandFactory as _, Parser, Subcommand};
use tarsy_config::Environment;
use tokio::runtime::Runtime;

use crate::commands::{
    agents, approvals, ask, audit, chains, check_config, completion, config_schema, dead,
    deliveries, doctor, eval, export, health, keys, knowledge, mask, mcp, migrate, partitions,
    probe, prune, queues, rejected, replay, servers, session_action, sessions, submit, tools,
    triage, up, upstreams, usage, workers,
};
use crate::server::Server;
use crate::{secret_files, service_link};

/// A durable fleet of alert-investigating workers.
#[derive(Debug, Parser)]
#[command(name = "tarsy", version)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) server: Server,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run API, chain worker and stage worker in one process
    Up,
    /// Run the API: accept alerts over HTTP, serve sessions and their history
    IngestApi,
    /// Run a chain worker: decide the next step of each session
    ChainWorker,
    /// Run a stage worker: run agents with their models and tools
    StageWorker,
    /// Apply database migrations; check, plan or wait for them
    Migrate(migrate::Options),
    /// Show the partitions of growing tables; partition tables that have none
    Partitions(partitions::Options),
    /// Check whether a process is alive or ready, e.g. as a container's health check
    Probe(probe::Options),
    /// Validate the environment and the configuration file; lists every error
    CheckConfig(check_config::Options),
    /// Check configuration, database, queue, models and tools; print how to fix each problem
    Doctor(doctor::Options),
    /// Print the JSON Schema of the configuration file, for editors
    ConfigSchema(config_schema::Options),
    /// Submit an alert from a file, or from standard input with `-`
    Submit(submit::Options),
    /// Ask a question about an ended session or the knowledge store; print tool calls, answer and cost (exit code 0:
    /// answered)
    Ask(ask::Options),
    /// List sessions, show one, or watch them
    Sessions(sessions::Options),
    /// Replay the failed stage of a session, or of all matching sessions
    Replay(replay::Options),
    /// Cancel a running session, or all matching sessions
    Cancel(session_action::Options),
    /// List approvals; show, approve or deny one
    Approvals(approvals::Options),
    /// Send a signal to a session that waits for it
    Signal(approvals::Signal),
    /// Acknowledge a session; --undo reverts it
    Acknowledge(triage::Acknowledge),
    /// Assign a session to a person
    Assign(triage::Assign),
    /// Rate a session's answer
    Rate(triage::Rate),
    /// Take a session out of its incident, or put it back
    Ungroup(triage::Ungroup),
    /// Export a session with its stages and calls as JSON, CSV or Markdown
    Export(export::Options),
    /// Evaluate answers on recorded incidents
    Eval(eval::Options),
    /// Show the health of each component; fails if one is unhealthy
    Health(health::Options),
    /// List LLM providers and MCP servers with their calls of the last hour
    Upstreams(upstreams::Options),
    /// Sum up tokens, cost, calls and durations
    Usage(usage::Options),
    /// Show the audit log
    Audit(audit::Options),
    /// List webhook deliveries of ended sessions; redeliver one
    Deliveries(deliveries::Options),
    /// List queues; pause or resume one
    Queues(queues::Options),
    /// List workers and their running jobs; drain one
    Workers(workers::Options),
    /// List dead jobs; show, requeue or discard one
    Dead(dead::Options),
    /// List rejected alerts; show one or resubmit it
    Rejected(rejected::Options),
    /// Delete expired data; show table sizes
    Prune(prune::Options),
    /// Create, list and revoke API keys; uses the database directly if `DATABASE_URL` is set and no key is given
    Keys(keys::Options),
    /// List agents: strategy, model, servers, limits
    Agents(agents::Options),
    /// List chains: alert types and stages
    Chains(chains::Options),
    /// List the tools of an agent's MCP servers, and which ones the agent may call
    Tools(tools::Options),
    /// List presets of tool servers; add one to the configuration; start and check one
    Servers(servers::Options),
    /// Load records into the knowledge store and search them
    Knowledge(knowledge::Options),
    /// Mask secrets in standard input
    Mask(mask::Options),
    /// Run one of the built-in MCP servers
    Mcp(mcp::Options),
    /// Print a shell completion script
    Completion {
        /// Shell
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
}

impl Arguments {
    /// Reads the arguments of this process.
    pub(crate) fn of_process() -> Self {
        let arguments = service_link::resolve(std::env::args_os().collect());
        secret_files::parse(arguments, &Environment::of_process())
            .unwrap_or_else(|error| error.exit())
    }

    /// Builds the runtime that the command runs on.
    pub(crate) fn runtime(&self) -> std::io::Result<Runtime> {
        match self.command {
            Command::ChainWorker | Command::StageWorker => tarsy_boot::worker_runtime(),
            _ => tarsy_boot::runtime(),
        }
    }

    pub(crate) async fn run(self) -> Result<ExitCode> {
        self.command.run(&self.server).await
    }
}

impl Command {
    async fn run(self, server: &Server) -> Result<ExitCode> {
        match self {
            Self::Up => up::run().await,
            Self::IngestApi => finished(tarsy_ingest_api::run_process().await),
            Self::ChainWorker => finished(tarsy_chain_worker::run_process().await),
            Self::StageWorker => finished(tarsy_stage_worker::run_process().await),
            Self::Migrate(options) => migrate::run(&options).await,
            Self::Partitions(options) => partitions::run(&options).await,
            Self::Probe(options) => probe::run(server, &options).await,
            Self::CheckConfig(options) => check_config::run(&options),
            Self::Doctor(options) => doctor::run(&options).await,
            Self::ConfigSchema(options) => {
                config_schema::run(&options);
                Ok(ExitCode::SUCCESS)
            }
            Self::Submit(options) => submit::run(server, &options).await,
            Self::Ask(options) => ask::run(server, &options).await,
            Self::Sessions(options) => sessions::run(server, &options).await,
            Self::Keys(options) => keys::run(server, &options).await,
            Self::Replay(options) => replay::run(server, &options).await,
            Self::Cancel(options) => {
                session_action::run(server, &session_action::CANCEL, &options).await
            }
            Self::Approvals(options) => approvals::run(server, &options).await,
            Self::Signal(options) => approvals::signal(server, &options).await,
            Self::Health(options) => health::run(server, &options).await,
            Self::Upstreams(options) => upstreams::run(server, &options).await,
            Self::Usage(options) => usage::run(server, &options).await,
            Self::Audit(options) => audit::run(server, &options).await,
            Self::Deliveries(options) => deliveries::run(server, &options).await,
            Self::Acknowledge(options) => triage::acknowledge(server, &options).await,
            Self::Assign(options) => triage::assign(server, &options).await,
            Self::Rate(options) => triage::rate(server, &options).await,
            Self::Ungroup(options) => triage::ungroup(server, &options).await,
            Self::Export(options) => export::run(server, &options).await,
            Self::Queues(options) => queues::run(server, &options).await,
            Self::Workers(options) => workers::run(server, &options).await,
            Self::Eval(options) => eval::run(server, &options).await,
            Self::Dead(options) => dead::run(server, &options).await,
            Self::Rejected(options) => rejected::run(server, &options).await,
            Self::Prune(options) => prune::run(server, &options).await,
            Self::Agents(options) => agents::run(&options),
            Self::Chains(options) => chains::run(&options),
            Self::Tools(options) => tools::run(&options).await,
            Self::Servers(options) => servers::run(&options).await,
            Self::Knowledge(options) => knowledge::run(&options).await,
            Self::Mask(options) => mask::run(&options),
            Self::Mcp(options) => mcp::run(&options).await,
            Self::Completion { shell } => {
                completion::run(shell, &mut Arguments::command());
                Ok(ExitCode::SUCCESS)
            }
        }
    }
}

/// Returns the exit code of a service that ended without an error.
fn finished(outcome: Result<()>) -> Result<ExitCode> {
    outcome.map(|()| ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;
    use tarsy_config::{Config, Environment, Source, strict_findings};

    #[test]
    fn the_arguments_are_consistent() {
        super::Arguments::command().debug_assert();
    }

    /// Otherwise `check-config --strict` would report that a variable in use is never read.
    #[test]
    fn strict_checks_know_the_variables_of_options() {
        fn variables(command: &clap::Command, into: &mut Vec<String>) {
            let named = command.get_arguments().filter_map(clap::Arg::get_env);
            into.extend(named.map(|name| name.to_string_lossy().into_owned()));
            command
                .get_subcommands()
                .for_each(|command| variables(command, into));
        }
        let mut names = Vec::new();
        variables(&super::Arguments::command(), &mut names);
        assert!(names.iter().any(|name| name == "TARSY_KNOWLEDGE_URL"));
        let env = Environment::from_pairs(names.iter().map(|name| (name.as_str(), "x")));
        let config = Config::load(&Source::BuiltIn, &env).expect("built-in");
        let unknown = strict_findings(&config, &env);
        let unknown = unknown.iter().map(ToString::to_string);
        let unknown: Vec<String> = unknown
            .filter(|finding| finding.contains("unknown"))
            .collect();
        assert!(unknown.is_empty(), "{unknown:?}");
    }
}
