//! `tarsy audit`: who did what, and why.

use std::process::ExitCode;

use anyhow::Result;

use crate::client::Client;
use crate::output::{members, shortened, text, time};
use crate::server::Server;
use crate::table::Table;

/// Which entries.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// By this key or person
    #[arg(long)]
    actor: Option<String>,
    /// Of this kind, e.g. `session.cancel`
    #[arg(long)]
    action: Option<String>,
    /// About this session, queue, worker, job or key
    #[arg(long)]
    subject: Option<String>,
    /// Most entries listed
    #[arg(long, default_value_t = 50)]
    limit: usize,
    /// JSON instead of text
    #[arg(long)]
    json: bool,
}

pub(crate) async fn run(server: &Server, options: &Options) -> Result<ExitCode> {
    let asked = [
        ("actor", &options.actor),
        ("action", &options.action),
        ("subject", &options.subject),
    ];
    let asked: Vec<_> = asked
        .into_iter()
        .filter_map(|(name, value)| Some((name, value.as_deref()?)))
        .collect();
    let client = Client::new(server)?;
    let path = "/api/v1/admin/audit-log";
    let log = client
        .listed(path, &asked, "entries", options.limit)
        .await?;
    if options.json {
        println!("{log}");
        return Ok(ExitCode::SUCCESS);
    }
    let mut table = Table::new(&["when", "who", "role", "action", "subject", "why"]);
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
