//! `cargo xtask demo`: runs one investigation, or five questions, on a fleet of real processes.

mod fleet;
mod knowledge;
mod operator;
mod provider;

use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, Result};

use self::fleet::Fleet;
use crate::server::Server;
use crate::{interrupt, screens, shell, terminal, workspace};

/// The alert: a namespace stuck in Terminating.
const ALERT: &str = "deploy/demo/alert.json";

/// Run one investigation, then stay up until Ctrl-C.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Exit after the analysis, with 0 if there is one and 1 if not; a scripted operator approves all requests
    #[arg(long)]
    once: bool,
    /// Instead of investigating an alert, ask the knowledge store five questions, one of which runs a command over SSH
    #[arg(long)]
    knowledge: bool,
    /// Folder for data and logs
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Port of the API [default: 8000, or a free port if 8000 is taken]
    #[arg(long)]
    port: Option<u16>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let data = match &arguments.data {
        Some(folder) => std::path::absolute(folder)?,
        None if arguments.knowledge => workspace::target().join("demo-knowledge"),
        None => workspace::target().join("demo"),
    };
    terminal::heading("Build");
    shell::run(workspace::cargo().args(["build", "--workspace", "--bins"]))?;
    if arguments.knowledge {
        return knowledge::run(arguments, &data);
    }

    terminal::heading("Screens");
    build_screens();

    terminal::heading("Database");
    let server = Server::lasting(&data.join("postgres"))?;
    let database = server.url("postgres");
    shell::run(tarsy(&database).arg("migrate")).context("the database could not be migrated")?;

    terminal::heading("Fleet");
    let provider = provider::choose();
    terminal::info(&provider.explanation());
    let fleet = Fleet::start(&database, &data.join("logs"), arguments.port, &provider)?;

    terminal::heading("Investigation");
    let investigated = submit_and_follow(&database, &fleet, arguments.once);
    match &investigated {
        Ok(()) => print_addresses(&fleet),
        Err(error) => {
            terminal::failure(error);
            fleet.print_logs_of_exited();
        }
    }
    if !arguments.once && !interrupt::is_requested() {
        terminal::info("the fleet stays up; Ctrl-C ends it");
        interrupt::wait();
    }
    terminal::info("draining the fleet");
    fleet.stop()?;
    server.stop()?;
    Ok(if investigated.is_ok() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Submits the alert, and follows its session until the analysis is printed.
fn submit_and_follow(database: &str, fleet: &Fleet, approves: bool) -> Result<()> {
    let alert = workspace::root().join(ALERT);
    let mut submit = tarsy(database);
    submit
        .env("TARSY_URL", fleet.url())
        .arg("submit")
        .arg(alert)
        .args(["--wait", "--follow"])
        .stdin(Stdio::null());
    let mut submitted = submit.spawn().context("cannot run `tarsy submit`")?;
    let status = match approves {
        true => operator::approve_until_ended(&mut submitted, || {
            let mut tarsy = tarsy(database);
            tarsy.env("TARSY_URL", fleet.url());
            tarsy
        })?,
        false => submitted.wait()?,
    };
    anyhow::ensure!(
        status.success(),
        "the investigation did not end with an analysis ({status})"
    );
    Ok(())
}

/// Builds the web apps. If that fails, the demo runs without them.
fn build_screens() {
    match screens::build() {
        Ok(true) => {}
        Ok(false) => terminal::info(
            "without the screens: they are built with Node.js 20 or newer and npm, which are not here",
        ),
        Err(error) => {
            terminal::failure(&error);
            terminal::info("going on without the screens");
        }
    }
}

fn print_addresses(fleet: &Fleet) {
    let (url, logs) = (fleet.url(), workspace::shown(fleet.logs()));
    println!("\nWhere to look:");
    println!("  the session just seen     {}", fleet.session_page());
    println!("  submit another alert      {url}/dev-ui/");
    println!("  API and its description   {url}/  {url}/docs");
    println!("  logs of the processes     {logs}/");
    println!("  sessions in the terminal  TARSY_URL={url} target/debug/tarsy sessions\n");
}

fn tarsy(database: &str) -> Command {
    let mut command = Command::new(workspace::binary("debug", "tarsy"));
    command
        .current_dir(workspace::root())
        .env("DATABASE_URL", database);
    command
}
