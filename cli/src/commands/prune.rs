//! `tarsy prune`: deletes expired data.

use std::process::ExitCode;

use anyhow::{Result, bail};
use serde_json::{Value, json};

use crate::client::Client;
use crate::confirmation::Confirmation;
use crate::output::{number, size, text};
use crate::server::Server;
use crate::table::Table;

/// Options of the command.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Reason, stored in the audit log
    #[arg(long, required_unless_present_any = ["dry_run", "sizes"])]
    reason: Option<String>,
    /// Count expired data without deleting it
    #[arg(long)]
    dry_run: bool,
    /// Show retention periods and table sizes without deleting anything
    #[arg(long, conflicts_with = "dry_run")]
    sizes: bool,
    #[command(flatten)]
    confirmation: Confirmation,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) async fn run(server: &Server, options: &Options) -> Result<ExitCode> {
    let client = Client::new(server)?;
    if options.sizes {
        let state = client.get("/api/v1/admin/retention").await?;
        if options.json {
            println!("{state}");
        } else {
            show(&state);
        }
        return Ok(ExitCode::SUCCESS);
    }
    let reason = options.reason.as_deref().unwrap_or("dry run");
    let counted = prune(&client, reason, true).await?;
    if options.dry_run {
        print_counts(&counted, options.json, "are expired (dry run)");
        return Ok(ExitCode::SUCCESS);
    }
    let (sessions, events) = (number(&counted, "sessions"), number(&counted, "events"));
    if !options.confirmation.confirm(&format!(
        "permanently delete {sessions} sessions and {events} events"
    ))? {
        bail!("aborted");
    }
    let (mut sessions, mut events) = (0, 0);
    loop {
        let pruned = prune(&client, reason, false).await?;
        sessions += number(&pruned, "sessions");
        events += number(&pruned, "events");
        let left = prune(&client, reason, true).await?;
        if number(&left, "sessions") == 0 || number(&pruned, "sessions") == 0 {
            break;
        }
    }
    let done = json!({ "dry_run": false, "sessions": sessions, "events": events });
    print_counts(&done, options.json, "deleted");
    Ok(ExitCode::SUCCESS)
}

async fn prune(client: &Client, reason: &str, dry_run: bool) -> Result<Value> {
    client
        .act(
            "retention/prune",
            &json!({ "reason": reason, "dry_run": dry_run }),
        )
        .await
}

fn print_counts(pruned: &Value, as_json: bool, what: &str) {
    if as_json {
        println!("{pruned}");
    } else {
        let (sessions, events) = (number(pruned, "sessions"), number(pruned, "events"));
        println!("{sessions} sessions and {events} events {what}");
    }
}

fn show(state: &Value) {
    println!(
        "sessions are kept {} days after their end",
        number(state, "history_retention_days")
    );
    println!(
        "events are kept {} s",
        number(state, "event_retention_seconds")
    );
    println!(
        "expired: {} sessions, {} events; a chain worker prunes every {} s",
        number(state, "overdue_sessions"),
        number(state, "overdue_events"),
        number(state, "prune_interval_seconds"),
    );
    let mut table = Table::new(&["table", "rows", "size"]);
    for table_size in state
        .get("sizes")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
        table.row(vec![
            text(table_size, "table").to_owned(),
            number(table_size, "rows").to_string(),
            size(number(table_size, "bytes")),
        ]);
    }
    table.print("no tables");
}
