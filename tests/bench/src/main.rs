//! `tarsy-bench`: benchmarks of the fleet, each with its limit on this machine.
//!
//! Run it through `cargo xtask bench <name>`, which builds it for release and gives it a
//! Postgres. Each figure is printed with the limit measured in the same run.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program that prints its findings"
)]

mod chains;
mod database;
mod decide;
mod fanout;
mod fleet;
mod floor;
mod history;
mod hop;
mod idle;
mod ingest;
mod limits;
mod live;
mod load;
mod member;
mod model;
mod queue;
mod recovery;
mod report;
mod seed;
mod waiting;
mod xmin;

use anyhow::Result;
use clap::{Parser, Subcommand};

/// Benchmarks, each with its limit on this machine.
#[derive(Parser)]
struct Arguments {
    /// Print JSON, one object per line: {name, value, unit, limit, ratio}
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Accepted alerts per second over 32 connections
    Ingest(ingest::Options),
    /// Finished stages per second, in chains of three empty stages
    Chains(chains::Options),
    /// Latency of a chain of three stages on an idle fleet
    Hop(hop::Options),
    /// Latency of three branches with their fan-in, compared with a straight chain of the same depth
    Fanout(fanout::Options),
    /// Time of one decision about a chain of thirty stages
    Decide(decide::Options),
    /// Latency of a claim and CPU of an idle fleet, with ten thousand waiting sessions
    Waiting(waiting::Options),
    /// Time from SIGKILL of a stage worker until another one runs its stage
    Recovery(recovery::Options),
    /// CPU and memory of idle services
    Idle(idle::Options),
    /// Latency of a claim with a thousand and with a million waiting jobs
    Queue(queue::Options),
    /// Throughput while a long transaction holds back vacuum
    Xmin(xmin::Options),
    /// Time for ten thousand chains of three stages, 20 ms for each model call
    Model(model::Options),
    /// Latency of events, from commit to WebSocket
    Live(live::Options),
    /// Latency of lists, filters, details and searches of the history API over many sessions
    History(history::Options),
    /// Fill a database with generated sessions
    #[command(hide = true)]
    Seed(seed::Options),
    /// Process of the measured fleet; started by the benchmarks
    #[command(hide = true)]
    Member(member::Options),
    /// Process of the floor, the baseline of the fleet; started by the benchmarks
    #[command(hide = true)]
    Floor(floor::Options),
}

fn main() -> Result<()> {
    tarsy_telemetry::install_crypto();
    let arguments = Arguments::parse();
    let runtime = match arguments.what {
        What::Member(_) | What::Floor(_) => tarsy_boot::worker_runtime()?,
        _ => tarsy_boot::runtime()?,
    };
    runtime.block_on(run(arguments))
}

async fn run(arguments: Arguments) -> Result<()> {
    let mut printer = report::Printer::new(arguments.json);
    let figures = match arguments.what {
        What::Ingest(options) => ingest::measure(&options).await?,
        What::Chains(options) => chains::measure(&options).await?,
        What::Hop(options) => hop::measure(&options).await?,
        What::Fanout(options) => fanout::measure(&options).await?,
        What::Decide(options) => decide::measure(&options)?,
        What::Waiting(options) => waiting::measure(&options).await?,
        What::Recovery(options) => recovery::measure(&options).await?,
        What::Idle(options) => idle::measure(&options).await?,
        What::Queue(options) => queue::measure(&options).await?,
        What::Xmin(options) => xmin::measure(&options).await?,
        What::Model(options) => model::measure(&options).await?,
        What::Live(options) => live::measure(&options).await?,
        What::History(options) => return history::measure(&options, &mut printer).await,
        What::Seed(options) => return seed::run(&options).await,
        What::Member(options) => return member::run(&options).await,
        What::Floor(options) => return floor::run(&options).await,
    };
    for figure in figures {
        printer.print(figure);
    }
    Ok(())
}
