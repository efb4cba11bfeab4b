//! `tarsy acknowledge`, `assign`, `rate` and `ungroup`: triage of a session.

use std::process::ExitCode;

use anyhow::Result;
use clap::builder::PossibleValuesParser;
use serde_json::{Value, json};
use tarsy_model::AnswerRating;

use crate::client::Client;
use crate::output::{harmless, text};
use crate::server::Server;

/// Session and reason.
#[derive(Debug, clap::Args)]
pub(crate) struct One {
    /// Session id
    session_id: String,
    /// Reason, stored in the audit log
    #[arg(long)]
    reason: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Options of `acknowledge`.
#[derive(Debug, clap::Args)]
pub(crate) struct Acknowledge {
    #[command(flatten)]
    one: One,
    /// Revert the acknowledgement
    #[arg(long)]
    undo: bool,
}

/// Options of `assign`.
#[derive(Debug, clap::Args)]
pub(crate) struct Assign {
    #[command(flatten)]
    one: One,
    /// New assignee
    #[arg(required_unless_present = "nobody")]
    assignee: Option<String>,
    /// Remove the assignee
    #[arg(long, conflicts_with = "assignee")]
    nobody: bool,
}

/// Options of `rate`.
#[derive(Debug, clap::Args)]
pub(crate) struct Rate {
    #[command(flatten)]
    one: One,
    /// Rating
    #[arg(required_unless_present = "undo", value_parser = PossibleValuesParser::new(AnswerRating::WORDS))]
    rating: Option<String>,
    /// Remove the rating
    #[arg(long, conflicts_with = "rating")]
    undo: bool,
    /// The correct root cause, if the answer is wrong; `tarsy eval record` uses it as the truth of a case
    #[arg(long, conflicts_with = "undo")]
    right_cause: Option<String>,
}

/// Options of `ungroup`.
#[derive(Debug, clap::Args)]
pub(crate) struct Ungroup {
    #[command(flatten)]
    one: One,
    /// Put the session back into its incident
    #[arg(long)]
    undo: bool,
}

pub(crate) async fn acknowledge(server: &Server, options: &Acknowledge) -> Result<ExitCode> {
    send_member(server, &options.one, "acknowledged", json!(!options.undo)).await
}

pub(crate) async fn assign(server: &Server, options: &Assign) -> Result<ExitCode> {
    send_member(server, &options.one, "assignee", json!(options.assignee)).await
}

pub(crate) async fn rate(server: &Server, options: &Rate) -> Result<ExitCode> {
    let mut body = json!({ "rating": options.rating });
    if let Some(cause) = &options.right_cause {
        body["right_cause"] = cause.as_str().into();
    }
    send(server, &options.one, body).await
}

pub(crate) async fn ungroup(server: &Server, options: &Ungroup) -> Result<ExitCode> {
    send_member(server, &options.one, "incident_member", json!(options.undo)).await
}

async fn send_member(server: &Server, one: &One, what: &str, value: Value) -> Result<ExitCode> {
    send(server, one, json!({ what: value })).await
}

async fn send(server: &Server, one: &One, mut body: Value) -> Result<ExitCode> {
    let client = Client::new(server)?;
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
