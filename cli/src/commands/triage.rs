//! `tarsy acknowledge`, `assign` and `rate`: what people say of a session.

use std::process::ExitCode;

use anyhow::Result;
use clap::builder::PossibleValuesParser;
use serde_json::{Value, json};
use tarsy_model::AnswerRating;

use crate::client::Client;
use crate::output::{harmless, text};
use crate::server::Server;

/// Which session, and why.
#[derive(Debug, clap::Args)]
pub(crate) struct One {
    /// The session's id
    session_id: String,
    /// Why; kept in the audit log
    #[arg(long)]
    reason: Option<String>,
    /// JSON instead of text
    #[arg(long)]
    json: bool,
}

/// Whether it was seen.
#[derive(Debug, clap::Args)]
pub(crate) struct Acknowledge {
    #[command(flatten)]
    one: One,
    /// Nobody has seen it after all
    #[arg(long)]
    undo: bool,
}

/// Whose it is.
#[derive(Debug, clap::Args)]
pub(crate) struct Assign {
    #[command(flatten)]
    one: One,
    /// Whose it is from now on
    #[arg(required_unless_present = "nobody")]
    assignee: Option<String>,
    /// Nobody's
    #[arg(long, conflicts_with = "assignee")]
    nobody: bool,
}

/// Whether its answer is right.
#[derive(Debug, clap::Args)]
pub(crate) struct Rate {
    #[command(flatten)]
    one: One,
    /// Whether its answer is right
    #[arg(required_unless_present = "undo", value_parser = PossibleValuesParser::new(AnswerRating::WORDS))]
    rating: Option<String>,
    /// Take back what was said
    #[arg(long, conflicts_with = "rating")]
    undo: bool,
}

pub(crate) async fn acknowledge(server: &Server, options: &Acknowledge) -> Result<ExitCode> {
    say(server, &options.one, "acknowledged", json!(!options.undo)).await
}

pub(crate) async fn assign(server: &Server, options: &Assign) -> Result<ExitCode> {
    say(server, &options.one, "assignee", json!(options.assignee)).await
}

pub(crate) async fn rate(server: &Server, options: &Rate) -> Result<ExitCode> {
    say(server, &options.one, "rating", json!(options.rating)).await
}

async fn say(server: &Server, one: &One, what: &str, value: Value) -> Result<ExitCode> {
    let client = Client::new(server)?;
    let mut body = json!({ what: value });
    if let Some(reason) = &one.reason {
        body["reason"] = reason.as_str().into();
    }
    let path = format!("sessions/{}/care", one.session_id);
    let care = client.act(&path, &body).await?;
    if one.json {
        println!("{care}");
        return Ok(ExitCode::SUCCESS);
    }
    println!(
        "session {}: acknowledged by {}, assigned to {}, rated {}",
        harmless(&one.session_id),
        harmless(text(&care, "acknowledged_by")),
        harmless(text(&care, "assignee")),
        text(&care, "rating")
    );
    Ok(ExitCode::SUCCESS)
}
