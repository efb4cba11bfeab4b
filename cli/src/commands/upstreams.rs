//! `tarsy upstreams`: lists LLM providers and MCP servers with their recent calls, and the servers of each pool.

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
    print_pools(&upstreams);
    Ok(ExitCode::SUCCESS)
}

/// Prints which pool, and so which cluster, has which servers.
fn print_pools(upstreams: &Value) {
    let mut table = Table::new(&[
        "pool",
        "server",
        "workers",
        "calls",
        "failed",
        "last success",
        "last error",
    ]);
    for pool in members(upstreams, "pools") {
        for source in members(pool, "sources") {
            let error = source.get("last_error").and_then(Value::as_str);
            let (offering, all) = (number(source, "workers"), number(pool, "workers"));
            table.row(vec![
                text(pool, "pool").to_owned(),
                text(source, "server").to_owned(),
                format!("{offering} of {all}"),
                number(source, "calls").to_string(),
                number(source, "failed").to_string(),
                time(source, "last_success_us").unwrap_or_else(|| "-".to_owned()),
                shortened(error.unwrap_or("-"), 80),
            ]);
        }
    }
    println!();
    table.print("no pool of stage workers has a server");
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
