//! Actions on one session or all matching ones, e.g. `tarsy cancel`.

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
    /// Count matching sessions without acting on them
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    confirmation: Confirmation,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// An action with its own path below `sessions/{id}/` and `sessions/`.
pub(crate) struct SessionAction {
    /// Verb, as in the path and the confirmation.
    pub(crate) verb: &'static str,
    /// Past participle, for the result.
    pub(crate) done: &'static str,
}

pub(crate) const CANCEL: SessionAction = SessionAction {
    verb: "cancel",
    done: "cancelled",
};

pub(crate) async fn run(
    server: &Server,
    action: &SessionAction,
    options: &Options,
) -> Result<ExitCode> {
    let client = Client::new(server)?;
    let answer = match &options.session_id {
        Some(id) => {
            let path = format!("sessions/{id}/{}", action.verb);
            client
                .act(&path, &json!({ "reason": options.reason }))
                .await?
        }
        None => {
            let bulk = BulkAction {
                path: &format!("sessions/{}", action.verb),
                verb: action.verb,
                matching: &options.matching,
                reason: &options.reason,
                dry_run: options.dry_run,
                confirmation: options.confirmation,
            };
            bulk.run(&client).await?
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
        bulk::print_result(&answer, action.done);
    }
    Ok(ExitCode::SUCCESS)
}
