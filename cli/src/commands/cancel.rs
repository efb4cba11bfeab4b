//! `tarsy cancel`: cancels running sessions.

use std::process::ExitCode;

use anyhow::Result;
use serde_json::json;

use crate::bulk::{self, BulkAction, SessionFilterArgs};
use crate::client::Client;
use crate::confirmation::Confirmation;
use crate::output::text;
use crate::server::Server;

/// Sessions and reason.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Session id; omit it to act on all matching sessions
    #[arg(conflicts_with_all = [bulk::FILTER_GROUP, "dry_run"])]
    session_id: Option<String>,
    #[command(flatten)]
    matching: SessionFilterArgs,
    /// Reason, stored in the audit log
    #[arg(long)]
    reason: String,
    /// Count matching sessions without cancelling them
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    confirmation: Confirmation,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) async fn run(server: &Server, options: &Options) -> Result<ExitCode> {
    let client = Client::new(server)?;
    let answer = match &options.session_id {
        Some(id) => {
            let path = format!("sessions/{id}/cancel");
            client
                .act(&path, &json!({ "reason": options.reason }))
                .await?
        }
        None => {
            let action = BulkAction {
                path: "sessions/cancel",
                verb: "cancel",
                matching: &options.matching,
                reason: &options.reason,
                dry_run: options.dry_run,
                confirmation: options.confirmation,
            };
            action.run(&client).await?
        }
    };
    if options.json {
        println!("{answer}");
    } else if options.session_id.is_some() {
        println!(
            "session {} is {}",
            text(&answer, "session_id"),
            text(&answer, "status")
        );
    } else {
        bulk::print_result(&answer, "cancelled");
    }
    Ok(ExitCode::SUCCESS)
}
