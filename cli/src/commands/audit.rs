//! `tarsy audit`: the audit log.

use std::process::ExitCode;

use anyhow::Result;

use crate::client::Client;
use crate::output::{members, shortened, text, time};
use crate::server::Server;
use crate::table::Table;

/// Filter of the audit log.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Actor: API key or person
    #[arg(long)]
    actor: Option<String>,
    /// Action, e.g. `session.cancel`
    #[arg(long)]
    action: Option<String>,
    /// Subject: session, queue, worker, job or key
    #[arg(long)]
    subject: Option<String>,
    /// Maximum number of entries
    #[arg(long, default_value_t = 50)]
    limit: usize,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) async fn run(server: &Server, options: &Options) -> Result<ExitCode> {
    let filters = [
        ("actor", &options.actor),
        ("action", &options.action),
        ("subject", &options.subject),
    ];
    let filters: Vec<_> = filters
        .into_iter()
        .filter_map(|(name, value)| Some((name, value.as_deref()?)))
        .collect();
    let client = Client::new(server)?;
    let path = "/api/v1/admin/audit-log";
    let log = client
        .listed(path, &filters, "entries", options.limit)
        .await?;
    if options.json {
        println!("{log}");
        return Ok(ExitCode::SUCCESS);
    }
    let mut table = Table::new(&["when", "who", "role", "action", "subject", "reason"]);
    for entry in members(&log, "entries") {
        table.row(vec![
            time(entry, "at_us").unwrap_or_default(),
            shortened(text(entry, "actor"), 40),
            text(entry, "role").to_owned(),
            text(entry, "action").to_owned(),
            shortened(text(entry, "subject"), 40),
            shortened(text(entry, "reason"), 80),
        ]);
    }
    table.print("no entries");
    Ok(ExitCode::SUCCESS)
}
