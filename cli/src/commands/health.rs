//! `tarsy health`: health of each component.

use std::process::ExitCode;

use anyhow::Result;
use serde_json::Value;

use crate::client::Client;
use crate::output::{harmless, members, number, text, time};
use crate::server::Server;
use crate::table::Table;

/// Options of the command.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) async fn run(server: &Server, options: &Options) -> Result<ExitCode> {
    let health = Client::new(server)?.get("/health").await?;
    if options.json {
        println!("{health}");
    } else {
        show(&health);
    }
    Ok(match text(&health, "status") {
        "healthy" => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    })
}

fn show(health: &Value) {
    println!(
        "{} (version {})",
        text(health, "status"),
        text(health, "version")
    );
    let services = &health["services"];
    let (database, llm, queue) = (&services["database"], &services["llm"], &services["queue"]);
    let mut table = Table::new(&["part", "state"]);
    let mut row = |part: &str, state: String| table.row(vec![part.to_owned(), state]);
    row("alerts", text(services, "alert_processing").to_owned());
    row("history", text(services, "history_service").to_owned());
    row(
        "database",
        yes(database, "connected", "connected", "unavailable"),
    );
    row(
        "models",
        yes(
            llm,
            "provider_available",
            "available",
            "no provider has an API key",
        ),
    );
    for one in members(llm, "refusing") {
        let since = time(one, "since_us").unwrap_or_default();
        let state = format!("fails every call since {since}: {}", text(one, "class"));
        row(&format!("  {}", harmless(text(one, "provider"))), state);
    }
    for one in members(&services["mcp"], "unreachable") {
        let since = time(one, "since_us").unwrap_or_default();
        let error = harmless(text(one, "error"));
        row(
            &format!("MCP server {}", harmless(text(one, "server"))),
            format!("unreachable since {since}: {error}"),
        );
    }
    let (ready, running, dead) = (
        number(queue, "ready"),
        number(queue, "running"),
        number(queue, "dead"),
    );
    row(
        "jobs",
        format!("{ready} ready, {running} running, {dead} dead"),
    );
    for (role, count) in queue["workers"].as_object().into_iter().flatten() {
        row(role, format!("{count} alive"));
    }
    for paused in members(queue, "paused").filter_map(Value::as_str) {
        row(paused, "paused".to_owned());
    }
    table.print("no data");
}

fn yes(part: &Value, member: &str, yes: &str, no: &str) -> String {
    let is_so = part.get(member).and_then(Value::as_bool) == Some(true);
    (if is_so { yes } else { no }).to_owned()
}
