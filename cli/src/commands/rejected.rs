//! `tarsy rejected`: rejected alerts.

use std::process::ExitCode;

use anyhow::Result;
use serde_json::{Value, json};

use crate::client::Client;
use crate::output::{harmless, members, number, print, shortened, size, text, time};
use crate::server::Server;
use crate::table::Table;

/// List rejected alerts, show one, or resubmit one.
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
    /// List rejected alerts, newest first (default)
    List {
        /// Webhook source, `alerts` for POST /alerts, or `unknown`
        #[arg(long)]
        source: Option<String>,
        /// Problem code, e.g. `unknown_alert_type`
        #[arg(long)]
        code: Option<String>,
        /// Alert fingerprint
        #[arg(long)]
        fingerprint: Option<String>,
        /// Maximum number of rejected alerts, up to 200
        #[arg(long, default_value_t = 50)]
        limit: u8,
    },
    /// Show a rejected alert with its stored body
    Show {
        /// Rejection id
        rejection_id: String,
    },
    /// Resubmit a rejected alert as it was sent
    Submit {
        /// Rejection id
        rejection_id: String,
        /// Reason, stored in the audit log
        #[arg(long)]
        reason: String,
    },
}

pub(crate) async fn run(server: &Server, options: &Options) -> Result<ExitCode> {
    let client = Client::new(server)?;
    match &options.one {
        None => list(&client, &[("limit", "50")], options.json).await?,
        Some(One::List {
            source,
            code,
            fingerprint,
            limit,
        }) => {
            let limit = limit.to_string();
            let mut query = vec![("limit", limit.as_str())];
            let filters = [
                ("source", source),
                ("code", code),
                ("fingerprint", fingerprint),
            ];
            let given = filters.iter().filter_map(|(name, value)| {
                let value = value.as_deref()?;
                Some((*name, value))
            });
            query.extend(given);
            list(&client, &query, options.json).await?;
        }
        Some(One::Show { rejection_id }) => {
            let path = format!("/api/v1/admin/rejected-alerts/{rejection_id}");
            print(&client.get(&path).await?, options.json, show);
        }
        Some(One::Submit {
            rejection_id,
            reason,
        }) => {
            let path = format!("rejected-alerts/{rejection_id}/submit");
            let answer = client.act(&path, &json!({ "reason": reason })).await?;
            print(&answer, options.json, submitted);
        }
    }
    Ok(ExitCode::SUCCESS)
}

async fn list(client: &Client, query: &[(&str, &str)], as_json: bool) -> Result<()> {
    let path = "/api/v1/admin/rejected-alerts";
    let answer = client.get_with(path, query).await?;
    print(&answer, as_json, table);
    Ok(())
}

fn table(answer: &Value) {
    let mut table = Table::new(&["rejection", "received", "source", "code", "alerts", "why"]);
    for rejection in members(answer, "rejections") {
        table.row(vec![
            text(rejection, "rejection_id").to_owned(),
            time(rejection, "received_at_us").unwrap_or_default(),
            text(rejection, "source").to_owned(),
            text(rejection, "code").to_owned(),
            shortened(&harmless(&fingerprints(rejection)), 40),
            shortened(&harmless(text(rejection, "detail")), 80),
        ]);
    }
    table.print("no rejected alerts");
    if answer.get("next").is_some_and(|next| !next.is_null()) {
        println!("more exist; use --limit (up to 200)");
    }
}

/// Returns the fingerprints of the alerts in a rejected request.
fn fingerprints(rejection: &Value) -> String {
    let names: Vec<&str> = members(rejection, "alerts")
        .map(|alert| text(alert, "fingerprint"))
        .collect();
    names.join(", ")
}

fn show(rejection: &Value) {
    if let Some(at) = time(rejection, "received_at_us") {
        println!("received     {at}");
    }
    for member in ["path", "source", "author", "code", "detail", "content_type"] {
        println!("{member:<12} {}", harmless(text(rejection, member)));
    }
    for alert in members(rejection, "alerts") {
        let (name, why) = (text(alert, "fingerprint"), text(alert, "detail"));
        println!("alert        {}: {}", harmless(name), harmless(why));
    }
    if rejection.get("is_proven") == Some(&Value::Bool(false)) {
        println!("the sender was not authenticated");
    }
    if let Some(at) = time(rejection, "submitted_at_us") {
        let by = harmless(text(rejection, "submitted_by"));
        println!("submitted    {at} by {by}");
    }
    println!("body         {}", size(number(rejection, "body_bytes")));
    if rejection.get("is_whole") == Some(&Value::Bool(false)) {
        println!("the body is masked, truncated or was not read, and can't be resubmitted");
    }
    println!("{}", harmless(text(rejection, "body")));
}

fn submitted(answer: &Value) {
    if answer.get("results").is_none() {
        let (status, session) = (text(answer, "status"), text(answer, "session_id"));
        println!("{status}: session {session}");
    }
    for result in members(answer, "results") {
        let name = harmless(text(result, "fingerprint"));
        let (status, session) = (text(result, "status"), text(result, "session_id"));
        println!("{name}: {status}, session {session}");
    }
}
