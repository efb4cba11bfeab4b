//! `tarsy submit`: submits an alert, and optionally waits for its analysis.

use std::io::Read as _;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use serde_json::Value;
use tarsy_model::SessionVerdict;

use crate::client::Client;
use crate::configuration::Configuration;
use crate::follow;
use crate::output::{bold, dim, harmless, members, status, text};
use crate::server::Server;

/// Options of the command.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// JSON file with `alert_type`, `runbook`, `data` and other fields; `-` for standard input
    file: PathBuf,
    /// Wait until the session ends; exits with 0 if it completed and its verdict is neither `unsupported` nor `not_investigated`
    #[arg(long)]
    wait: bool,
    /// Print thoughts and tool calls as they happen (with --wait)
    #[arg(long, requires = "wait")]
    follow: bool,
    /// Do not submit; show the chain, stages, tools and estimated cost from the local configuration
    #[arg(long, conflicts_with_all = ["wait", "follow"])]
    dry_run: bool,
    #[command(flatten)]
    configuration: Configuration,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) async fn run(server: &Server, options: &Options) -> Result<ExitCode> {
    let alert = read(&options.file)?;
    if options.dry_run {
        return super::dry_run::run(&options.configuration, &alert, options.json).await;
    }
    let client = Client::new(server)?;
    let accepted = client.post("/alerts", alert).await?;
    let session_id = text(&accepted, "session_id").to_owned();
    for warning in members(&accepted, "warnings").filter_map(Value::as_str) {
        eprintln!("warning: {}", harmless(warning));
    }
    if !options.wait {
        if options.json {
            println!("{accepted}");
        } else {
            println!(
                "{}: session {session_id}, alert {}",
                text(&accepted, "status"),
                text(&accepted, "alert_id")
            );
        }
        return Ok(ExitCode::SUCCESS);
    }
    let prints_progress = options.follow && !options.json;
    if prints_progress {
        println!("{} {}", bold("session"), session_id);
    }
    let session = follow::session(&client, &session_id, prints_progress).await?;
    if options.json {
        println!("{session}");
    } else {
        conclude(&session);
    }
    let verdict = crate::verdict::from_session(&session);
    let analysed =
        text(&session, "status") == "completed" && !verdict.is_some_and(SessionVerdict::is_failure);
    Ok(if analysed {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn read(file: &PathBuf) -> Result<String> {
    if file.as_os_str() == "-" {
        let mut text = String::new();
        std::io::stdin()
            .read_to_string(&mut text)
            .context("standard input is not UTF-8 text")?;
        return Ok(text);
    }
    std::fs::read_to_string(file).with_context(|| format!("failed to read {}", file.display()))
}

/// Prints the result of a session.
pub(crate) fn conclude(session: &Value) {
    let word = text(session, "status");
    let outcome = session.get("outcome").and_then(Value::as_str);
    match outcome.filter(|outcome| *outcome != word) {
        Some(outcome) => println!("\n{} {}", status(word), dim(outcome)),
        None => println!("\n{}", status(word)),
    }
    crate::verdict::print(session);
    if let Some(error) = session.get("error_message").and_then(Value::as_str) {
        println!("{}", harmless(error));
    }
    if let Some(analysis) = session.get("final_analysis").and_then(Value::as_str) {
        println!("\n{}", harmless(analysis));
    }
    crate::claims::print(session);
    crate::gaps::print(session);
}
