//! `tarsy-bench`: what the whole path reaches, beside what the machine can do.
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
mod xmin;

use anyhow::Result;
use clap::{Parser, Subcommand};

/// Measures tarsy beside the limits of this machine.
#[derive(Parser)]
struct Arguments {
    /// One JSON object a line: {name, value, unit, limit, ratio}
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Alerts accepted a second over 32 connections
    Ingest(ingest::Options),
    /// Stages finished a second, of chains with three stages that do nothing
    Chains(chains::Options),
    /// One chain of three stages on an idle fleet
    Hop(hop::Options),
    /// SIGKILL of a stage worker until its stage runs elsewhere
    Recovery(recovery::Options),
    /// Processes that have nothing to do
    Idle(idle::Options),
    /// A claim beside a thousand waiting jobs, and beside a million
    Queue(queue::Options),
    /// Throughput while a forgotten transaction keeps dead rows from vacuum
    Xmin(xmin::Options),
    /// Ten thousand chains of three stages with a model that takes 20 ms
    Model(model::Options),
    /// From the commit of an event to the sockets that hear it
    Live(live::Options),
    /// Lists, filters, details and searches of the history API over many sessions
    History(history::Options),
    /// Fill a database with sessions that nobody submitted
    #[command(hide = true)]
    Seed(seed::Options),
    /// A process of the measured fleet; started by the benches themselves
    #[command(hide = true)]
    Member(member::Options),
    /// A process of the floor that the fleet is held against; started by the benches themselves
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
