//! `tarsy approvals` and `tarsy signal`.

use std::process::ExitCode;

use anyhow::{Context as _, Result};
use clap::builder::PossibleValuesParser;
use serde_json::{Value, json};
use tarsy_model::shown_call;

use crate::client::Client;
use crate::output::{harmless, members, print, shortened, text, time};
use crate::server::Server;
use crate::table::Table;

/// Values of `--status`.
const STATUSES: [&str; 7] = [
    "open",
    "decided",
    "all",
    "approved",
    "denied",
    "expired",
    "cancelled",
];

/// List approvals; show, approve or deny one.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    #[command(subcommand)]
    one: Option<One>,
    /// Print JSON
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, clap::Subcommand)]
enum One {
    /// List approvals, newest first (default)
    List {
        /// Status
        #[arg(long, default_value = "open", value_parser = PossibleValuesParser::new(STATUSES))]
        status: String,
        /// Session id
        #[arg(long)]
        session: Option<String>,
        /// Maximum number of approvals
        #[arg(long, default_value_t = 50)]
        limit: usize,
    },
    /// Show an approval with its question and tool call
    Show {
        /// Approval id
        approval_id: String,
    },
    /// Approve
    Approve(Decision),
    /// Deny
    Deny(Decision),
}

#[derive(Debug, clap::Args)]
struct Decision {
    /// Approval id
    approval_id: String,
    /// Reason, stored in the audit log and passed to later agents
    #[arg(long)]
    reason: Option<String>,
}

/// Options of `signal`.
#[derive(Debug, clap::Args)]
pub(crate) struct Signal {
    /// Session id
    session_id: String,
    /// Name of the signal, as in the chain
    name: String,
    /// Payload (JSON), stored as the stage's data
    #[arg(default_value = "null")]
    payload: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) async fn run(server: &Server, options: &Options) -> Result<ExitCode> {
    let client = Client::new(server)?;
    match &options.one {
        None => list(&client, &[("status", "open")], 50, options.json).await?,
        Some(One::List {
            status,
            session,
            limit,
        }) => {
            let mut query = vec![("status", status.as_str())];
            query.extend(session.as_deref().map(|session| ("session", session)));
            list(&client, &query, *limit, options.json).await?;
        }
        Some(One::Show { approval_id }) => {
            let path = format!("/api/v1/approvals/{approval_id}");
            print(&client.get(&path).await?, options.json, show);
        }
        Some(One::Approve(decision)) => decide(&client, "approve", decision, options.json).await?,
        Some(One::Deny(decision)) => decide(&client, "deny", decision, options.json).await?,
    }
    Ok(ExitCode::SUCCESS)
}

pub(crate) async fn signal(server: &Server, options: &Signal) -> Result<ExitCode> {
    let payload: Value =
        serde_json::from_str(&options.payload).context("the payload is not JSON")?;
    let client = Client::new(server)?;
    let path = format!(
        "/api/v1/sessions/{}/signals/{}",
        options.session_id, options.name
    );
    let wait = client.post(&path, payload.to_string()).await?;
    print(&wait, options.json, |wait| {
        println!(
            "stage {} of session {} continues",
            harmless(text(wait, "stage_name")),
            text(wait, "session_id")
        );
    });
    Ok(ExitCode::SUCCESS)
}

async fn decide(client: &Client, verb: &str, decision: &Decision, as_json: bool) -> Result<()> {
    let mut body = json!({ "decision": verb });
    if let Some(reason) = &decision.reason {
        body["reason"] = reason.as_str().into();
    }
    let path = format!("/api/v1/approvals/{}", decision.approval_id);
    let wait = client.post(&path, body.to_string()).await?;
    print(&wait, as_json, |wait| {
        println!(
            "stage {} of session {} is {}",
            harmless(text(wait, "stage_name")),
            text(wait, "session_id"),
            text(wait, "status")
        );
    });
    Ok(())
}

async fn list(client: &Client, query: &[(&str, &str)], limit: usize, as_json: bool) -> Result<()> {
    let path = "/api/v1/approvals";
    let answer = client.listed(path, query, "approvals", limit).await?;
    print(&answer, as_json, table);
    Ok(())
}

fn table(answer: &Value) {
    let mut table = Table::new(&["approval", "status", "asked", "expires", "role", "asks"]);
    for wait in members(answer, "approvals") {
        table.row(vec![
            text(wait, "wait_id").to_owned(),
            text(wait, "status").to_owned(),
            time(wait, "asked_at_us").unwrap_or_default(),
            time(wait, "expires_at_us").unwrap_or_default(),
            text(wait, "role").to_owned(),
            shortened(&harmless(text(wait, "question")), 80),
        ]);
    }
    table.print("no approvals");
}

fn show(wait: &Value) {
    println!("asks         {}", harmless(text(wait, "question")));
    for member in [
        "status",
        "session_id",
        "stage_name",
        "alert_type",
        "severity",
        "role",
    ] {
        println!("{member:<12} {}", harmless(text(wait, member)));
    }
    for (label, member) in [
        ("asked", "asked_at_us"),
        ("expires", "expires_at_us"),
        ("decided", "decided_at_us"),
    ] {
        if let Some(at) = time(wait, member) {
            println!("{label:<12} {at}");
        }
    }
    if wait.get("decided_by").is_some_and(Value::is_string) {
        println!("by           {}", harmless(text(wait, "decided_by")));
        println!("reason       {}", harmless(text(wait, "reason")));
    }
    if let Some(call) = wait.get("call").filter(|call| call.is_object()) {
        println!("thought      {}", harmless(text(call, "thought")));
        println!("call\n{}", shown_call(call));
    }
}
