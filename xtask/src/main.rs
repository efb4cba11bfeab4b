//! `cargo xtask`: the commands for developers and CI. Each of them finds or installs the programs that it needs.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a terminal program"
)]

mod authorities;
mod bench;
mod check;
mod contract;
mod deb;
mod demo;
mod deploy;
mod disk;
mod dist;
mod eval;
mod fingerprint;
mod format;
mod interrupt;
mod lint;
mod one_pass;
mod publish;
mod python;
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
mod zoo;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

/// Build, check, demonstrate and measure this workspace.
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
    /// Check the formatting, lint and run the unit tests
    Check,
    /// Run all checks and tests, as CI does
    Test(test::Arguments),
    /// Run one investigation in the terminal, from alert to analysis
    Demo(demo::Arguments),
    /// Build the release: one program for all services, with separate debug symbols; with --all, everything that is
    /// published
    Dist(publish::Arguments),
    /// Build a Debian package with the program, systemd units and web apps
    Deb(deb::Arguments),
    /// Run benchmarks; print each figure with its limit
    Bench(bench::Arguments),
    /// Fill the database at `DATABASE_URL` with generated sessions
    Seed(seed::Arguments),
    /// Inject faults into a fleet of real processes, then check invariants
    Torture(torture::Arguments),
    /// List the tools of forty real tool servers from the registries of Node and Python, and call one tool of each;
    /// needs a network, half an hour and 6 GB
    Zoo(zoo::Arguments),
    /// Evaluate a small local model on recorded incidents; downloads 1.2 GB once
    Eval(eval::Arguments),
    /// Update the query metadata in .sqlx; needed after a change to a query or a migration
    Prepare,
    /// Install the programs that the tests need
    Setup,
    /// Run a private PostgreSQL server until Ctrl-C, for single tests
    Postgres,
}

fn main() -> ExitCode {
    let outcome = if one_pass::is_called_by_cargo() {
        one_pass::compile()
    } else {
        run(Arguments::parse().command)
    };
    match outcome {
        Ok(code) => code,
        Err(error) => {
            terminal::failure(&error);
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command) -> Result<ExitCode> {
    interrupt::install_handler()?;
    match command {
        Command::Check => check::run(),
        Command::Test(arguments) => test::run(&arguments),
        Command::Demo(arguments) => demo::run(&arguments),
        Command::Dist(arguments) => publish::run(&arguments),
        Command::Deb(arguments) => deb::run(&arguments),
        Command::Bench(arguments) => bench::run(&arguments),
        Command::Seed(arguments) => seed::run(&arguments),
        Command::Torture(arguments) => torture::run(&arguments),
        Command::Zoo(arguments) => zoo::run(&arguments),
        Command::Eval(arguments) => eval::run(&arguments),
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
