//! The `tarsy` program: the fleet on a laptop, and the fleet from a terminal.

// First: what it defines takes the place of the standard library's, which panics where nobody reads.
#[macro_use]
mod printing;

mod agreement;
mod arguments;
mod bytes;
mod cast;
mod client;
mod commands;
mod configuration;
mod database;
mod estimate;
mod follow;
mod listing;
mod output;
mod rehearsal;
mod selection;
mod table;
mod watch;

use std::process::ExitCode;

use crate::arguments::{Arguments, Command};

fn main() -> ExitCode {
    let arguments = Arguments::of_process();
    let runtime = match arguments.command {
        Command::ChainWorker | Command::StageWorker => tarsy_boot::worker_runtime(),
        _ => tarsy_boot::runtime(),
    };
    let runtime = runtime.map_err(anyhow::Error::new);
    match runtime.and_then(|runtime| runtime.block_on(run(arguments))) {
        Ok(code) => code,
        Err(error) => printing::fail(&error),
    }
}

async fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let Arguments { server, command } = arguments;
    match command {
        Command::Up => commands::up::run().await,
        Command::IngestApi => ended(tarsy_ingest_api::run_process().await),
        Command::ChainWorker => ended(tarsy_chain_worker::run_process().await),
        Command::StageWorker => ended(tarsy_stage_worker::run_process().await),
        Command::Migrate(options) => commands::migrate::run(&options).await,
        Command::CheckConfig(options) => commands::check_config::run(&options),
        Command::Submit(options) => commands::submit::run(&server, &options).await,
        Command::Sessions(options) => commands::sessions::run(&server, &options).await,
        Command::Keys(options) => commands::keys::run(&server, &options).await,
        Command::Replay(options) => commands::replay::run(&server, &options).await,
        Command::Cancel(options) => commands::cancel::run(&server, &options).await,
        Command::Health(options) => commands::health::run(&server, &options).await,
        Command::Upstreams(options) => commands::upstreams::run(&server, &options).await,
        Command::Audit(options) => commands::audit::run(&server, &options).await,
        Command::Deliveries(options) => commands::deliveries::run(&server, &options).await,
        Command::Acknowledge(options) => commands::care::acknowledge(&server, &options).await,
        Command::Assign(options) => commands::care::assign(&server, &options).await,
        Command::Rate(options) => commands::care::rate(&server, &options).await,
        Command::Export(options) => commands::export::run(&server, &options).await,
        Command::Queues(options) => commands::queues::run(&server, &options).await,
        Command::Workers(options) => commands::workers::run(&server, &options).await,
        Command::Dead(options) => commands::dead::run(&server, &options).await,
        Command::Rejected(options) => commands::rejected::run(&server, &options).await,
        Command::Prune(options) => commands::prune::run(&server, &options).await,
        Command::Agents(options) => commands::agents::run(&options),
        Command::Chains(options) => commands::chains::run(&options),
        Command::Tools(options) => commands::tools::run(&options).await,
        Command::Mask(options) => commands::mask::run(&options),
        Command::Completion { shell } => {
            commands::completion::run(shell);
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// The exit of a service that ended without an error.
fn ended(outcome: anyhow::Result<()>) -> anyhow::Result<ExitCode> {
    outcome.map(|()| ExitCode::SUCCESS)
}
