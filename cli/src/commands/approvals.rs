//! `tarsy approvals` and `tarsy signal`.

use std::process::ExitCode;

use anyhow::{Context as _, Result};
use clap::builder::PossibleValuesParser;
use serde_json::{Value, json};
use tarsy_model::{shown_call, visible};

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
    /// List approvals (default): open ones by severity, then by expiry; others newest first
    List {
        /// Approval status
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
        None => list(&client, &query("open", None), 50, options.json).await?,
        Some(One::List {
            status,
            session,
            limit,
        }) => {
            let query = query(status, session.as_deref());
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

/// Returns the query of a list. Open approvals are listed by urgency.
fn query<'a>(status: &'a str, session: Option<&'a str>) -> Vec<(&'static str, &'a str)> {
    let mut query = vec![("status", status)];
    query.extend((status == "open").then_some(("order", "urgent")));
    query.extend(session.map(|session| ("session", session)));
    query
}

async fn list(client: &Client, query: &[(&str, &str)], limit: usize, as_json: bool) -> Result<()> {
    let path = "/api/v1/approvals";
    let answer = client.listed(path, query, "approvals", limit).await?;
    print(&answer, as_json, table);
    Ok(())
}

fn table(answer: &Value) {
    let mut table = Table::new(&[
        "approval", "status", "severity", "target", "expires", "role", "asks",
    ]);
    for wait in members(answer, "approvals") {
        table.row(vec![
            text(wait, "wait_id").to_owned(),
            text(wait, "status").to_owned(),
            shortened(&harmless(text(wait, "severity")), 10),
            shortened(&harmless(&target(wait)), 40),
            time(wait, "expires_at_us").unwrap_or_default(),
            text(wait, "role").to_owned(),
            shortened(&harmless(text(wait, "question")), 80),
        ]);
    }
    table.print("no approvals");
}

/// Returns what the alert is about, e.g. `cart-0 in shop, prod-eu-1`, or `-` if the alert names nothing.
fn target(wait: &Value) -> String {
    let named = |name: &str| wait.get(name).and_then(Value::as_str);
    let place = ["namespace", "cluster"].into_iter().filter_map(named);
    let place = place.collect::<Vec<_>>().join(", ");
    match (named("object"), place.is_empty()) {
        (Some(object), true) => object.to_owned(),
        (Some(object), false) => format!("{object} in {place}"),
        (None, true) => "-".to_owned(),
        (None, false) => place,
    }
}

/// Describes how a chain continues after a decision, e.g. `clean-up is skipped, then report (Reporter) runs`; `None`:
/// not known.
fn consequence(next: &Value) -> Option<String> {
    let skips = members(next, "skips").filter_map(Value::as_str);
    let skips = skips.map(|stage| format!("{stage} is skipped"));
    let runs = members(next, "runs");
    let runs = runs.map(|stage| format!("{} ({}) runs", text(stage, "name"), text(stage, "agent")));
    let ends = next.get("ends")?.as_bool()?;
    let parts = skips
        .chain(runs)
        .chain(ends.then(|| "the session ends".to_owned()));
    Some(parts.collect::<Vec<_>>().join(", then "))
}

fn show(wait: &Value) {
    println!("asks         {}", harmless(text(wait, "question")));
    println!("target       {}", harmless(&target(wait)));
    for member in [
        "headline",
        "status",
        "session_id",
        "stage_name",
        "alert_type",
        "severity",
        "agent",
        "author",
        "role",
    ] {
        println!("{member:<12} {}", harmless(text(wait, member)));
    }
    for found in members(wait, "evidence") {
        println!(
            "concluded    {}: {}",
            harmless(text(found, "stage_name")),
            harmless(text(found, "conclusion"))
        );
    }
    for (label, member) in [("if approved", "on_approve"), ("if denied", "on_deny")] {
        if let Some(next) = wait.get(member).and_then(consequence) {
            println!("{label:<12} {}", harmless(&next));
        }
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
        println!("thought      {}", visible(text(call, "thought")));
        println!("call\n{}", shown_call(call));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{consequence, query, target};

    #[test]
    fn a_target_is_what_the_alert_names() {
        let whole = json!({"object": "cart-0", "namespace": "shop", "cluster": "prod-eu-1"});
        assert_eq!(target(&whole), "cart-0 in shop, prod-eu-1");
        assert_eq!(target(&json!({"cluster": "prod-eu-1"})), "prod-eu-1");
        assert_eq!(target(&json!({"object": "db", "cluster": null})), "db");
        assert_eq!(target(&json!({})), "-");
    }

    #[test]
    fn what_follows_an_answer_is_a_sentence() {
        let next = json!({"runs": [{"name": "report", "agent": "Reporter"}], "skips": ["clean-up"], "ends": false});
        assert_eq!(
            consequence(&next).as_deref(),
            Some("clean-up is skipped, then report (Reporter) runs")
        );
        let last = json!({"runs": [], "skips": [], "ends": true});
        assert_eq!(consequence(&last).as_deref(), Some("the session ends"));
        assert_eq!(consequence(&json!(null)), None);
    }

    #[test]
    fn open_approvals_are_listed_by_urgency() {
        assert_eq!(
            query("open", None),
            [("status", "open"), ("order", "urgent")]
        );
        assert_eq!(
            query("all", Some("s")),
            [("status", "all"), ("session", "s")]
        );
    }
}
