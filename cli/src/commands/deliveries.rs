//! `tarsy deliveries`: webhook deliveries of ended sessions.

use std::process::ExitCode;

use anyhow::Result;
use clap::builder::PossibleValuesParser;
use serde_json::{Value, json};

use crate::client::Client;
use crate::output::{members, number, shortened, text, time};
use crate::server::Server;
use crate::table::Table;

/// List deliveries, or redeliver one.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    #[command(subcommand)]
    change: Option<Change>,
    /// Delivery state
    #[arg(long, value_parser = PossibleValuesParser::new(["pending", "delivered", "failed"]))]
    state: Option<String>,
    /// Notification target, by name
    #[arg(long)]
    target: Option<String>,
    /// Session id
    #[arg(long)]
    session: Option<String>,
    /// Maximum number of deliveries
    #[arg(long, default_value_t = 50)]
    limit: usize,
    /// Print JSON
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, clap::Subcommand)]
enum Change {
    /// Redeliver now
    Redeliver {
        /// Delivery id
        delivery_id: String,
        /// Reason, stored in the audit log
        #[arg(long)]
        reason: String,
    },
}

pub(crate) async fn run(server: &Server, options: &Options) -> Result<ExitCode> {
    let client = Client::new(server)?;
    match &options.change {
        None => list(&client, options).await?,
        Some(Change::Redeliver {
            delivery_id,
            reason,
        }) => {
            let path = format!("webhook-deliveries/{delivery_id}/redeliver");
            client.act(&path, &json!({ "reason": reason })).await?;
            if options.json {
                println!("{}", json!({ "delivery_id": delivery_id }));
            } else {
                println!("delivery {delivery_id} is queued again");
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

async fn list(client: &Client, options: &Options) -> Result<()> {
    let filters = [
        ("state", &options.state),
        ("target", &options.target),
        ("session_id", &options.session),
    ];
    let filters: Vec<_> = filters
        .into_iter()
        .filter_map(|(name, value)| Some((name, value.as_deref()?)))
        .collect();
    let path = "/api/v1/admin/webhook-deliveries";
    let answer = client
        .listed(path, &filters, "deliveries", options.limit)
        .await?;
    if options.json {
        println!("{answer}");
        return Ok(());
    }
    let mut table = Table::new(&[
        "delivery",
        "created",
        "target",
        "event",
        "state",
        "attempts",
        "session",
        "last response",
    ]);
    for one in members(&answer, "deliveries") {
        let status = one.get("response_status").and_then(Value::as_i64);
        let status = status.map_or_else(|| "-".to_owned(), |status| status.to_string());
        let error = one.get("error").and_then(Value::as_str);
        table.row(vec![
            text(one, "delivery_id").to_owned(),
            time(one, "created_at_us").unwrap_or_default(),
            text(one, "target").to_owned(),
            text(one, "event").to_owned(),
            text(one, "state").to_owned(),
            number(one, "attempts").to_string(),
            text(one, "session_id").to_owned(),
            error.map_or(status, |error| shortened(error, 80)),
        ]);
    }
    table.print("no deliveries");
    let counts = &answer["counts"];
    println!(
        "{} failed, {} pending",
        number(counts, "failed"),
        number(counts, "pending")
    );
    Ok(())
}
