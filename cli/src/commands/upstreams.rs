//! `tarsy upstreams`: LLM providers and MCP servers with their recent calls.

use std::process::ExitCode;

use anyhow::Result;
use serde_json::Value;

use crate::client::Client;
use crate::output::{members, millis, number, shortened, text, time};
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
    let upstreams = Client::new(server)?.get("/api/v1/admin/upstreams").await?;
    if options.json {
        println!("{upstreams}");
        return Ok(ExitCode::SUCCESS);
    }
    let mut table = Table::new(&[
        "kind",
        "name",
        "configured",
        "calls",
        "failed",
        "p50",
        "p95",
        "last success",
        "last error",
    ]);
    for (kind, list) in [("model", "providers"), ("tools", "mcp_servers")] {
        for one in members(&upstreams, list) {
            table.row(cells(kind, one));
        }
    }
    table.print("no providers and no MCP servers");
    Ok(ExitCode::SUCCESS)
}

fn cells(kind: &str, one: &Value) -> Vec<String> {
    let (calls, configured) = (&one["calls"], &one["configured"]);
    let is_usable = ["available", "enabled"]
        .iter()
        .find_map(|member| configured.get(member).and_then(Value::as_bool));
    let configured = match is_usable {
        Some(true) => "yes",
        Some(false) if kind == "model" => "no API key",
        Some(false) => "disabled",
        None => "no",
    };
    let took = |member: &str| {
        let ms = calls.get(member).and_then(Value::as_i64);
        ms.map_or_else(|| "-".to_owned(), millis)
    };
    let error = calls.get("last_error").and_then(Value::as_str);
    vec![
        kind.to_owned(),
        text(one, "name").to_owned(),
        configured.to_owned(),
        number(calls, "calls").to_string(),
        number(calls, "failed").to_string(),
        took("p50_ms"),
        took("p95_ms"),
        time(calls, "last_success_us").unwrap_or_else(|| "-".to_owned()),
        shortened(error.unwrap_or("-"), 80),
    ]
}
