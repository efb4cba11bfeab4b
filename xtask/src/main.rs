//! `cargo xtask`: everything a developer or CI does with this workspace, with nothing to install
//! by hand. Each subcommand finds or installs what it needs and says what it does.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a terminal program"
)]

mod bench;
mod check;
mod contract;
mod demo;
mod disk;
mod dist;
mod fingerprint;
mod format;
mod interrupt;
mod lint;
mod queries;
mod runner;
mod screens;
mod seed;
mod server;
mod shell;
mod terminal;
mod test;
mod tools;
mod torture;
mod workspace;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

/// Build, check, show and measure this workspace.
#[derive(Debug, Parser)]
#[command(
    name = "cargo xtask",
    bin_name = "cargo xtask",
    version,
    arg_required_else_help = true
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Check the format, lint and run the unit tests: the loop of a working day
    Check,
    /// Check everything: format, queries, lints, docs, build, all tests, web apps, API, torture
    Test(test::Arguments),
    /// Show a whole investigation in the terminal, from alert to analysis
    Demo(demo::Arguments),
    /// Build what ships: one program for every role, its debug symbols beside it
    Dist,
    /// Measure, beside the limit that the figures are held against
    Bench(bench::Arguments),
    /// Fill the database of `DATABASE_URL` with sessions, to look at and to measure
    Seed(seed::Arguments),
    /// Torture a fleet of real processes from a seed, and look what breaks
    Torture(torture::Arguments),
    /// Write the metadata of all checked queries into .sqlx (after changing SQL or a migration)
    Prepare,
    /// Find or install what the tests need, and nothing else
    Setup,
    /// Keep a private PostgreSQL running, to work on single tests against it
    Postgres,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match run(arguments.command) {
        Ok(code) => code,
        Err(error) => {
            terminal::failure(&error);
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command) -> Result<ExitCode> {
    interrupt::watch()?;
    match command {
        Command::Check => check::run(),
        Command::Test(arguments) => test::run(&arguments),
        Command::Demo(arguments) => demo::run(&arguments),
        Command::Dist => dist::run(),
        Command::Bench(arguments) => bench::run(&arguments),
        Command::Seed(arguments) => seed::run(&arguments),
        Command::Torture(arguments) => torture::run(&arguments),
        Command::Prepare => queries::prepare(),
        Command::Setup => {
            tools::for_tests()?;
            screens::prepare()?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Postgres => server::keep_running(),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_sound() {
        super::Arguments::command().debug_assert();
    }
}
