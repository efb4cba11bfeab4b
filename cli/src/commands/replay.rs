//! `tarsy replay`: replays a stage and the stages that need it.

use std::process::ExitCode;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use crate::bulk::{self, BulkAction, SessionFilterArgs};
use crate::client::Client;
use crate::confirmation::Confirmation;
use crate::follow;
use crate::output::text;
use crate::server::Server;

/// Stage or sessions, and reason.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Session id; omit it to act on all matching sessions with a failed stage
    #[arg(conflicts_with_all = [bulk::FILTER_GROUP, "dry_run"])]
    session_id: Option<String>,
    /// Stage index, from 0 [default: the first failed stage]
    #[arg(long, requires = "session_id")]
    stage: Option<u32>,
    /// Branch of the stage, from 0 [default: all branches]
    #[arg(long, requires = "stage")]
    branch: Option<u32>,
    /// Agent to run instead of the previous one
    #[arg(long, requires = "session_id")]
    with_agent: Option<String>,
    /// LLM provider to use instead of the previous one
    #[arg(long, requires = "session_id")]
    provider: Option<String>,
    /// Use the provider also for the later stages that run again, except stages of kind verify
    #[arg(long, requires = "provider")]
    later_stages: bool,
    /// Iteration strategy to use instead of the previous one, e.g. `react`
    #[arg(long, requires = "session_id")]
    strategy: Option<String>,
    /// Follow the session until it ends
    #[arg(long, requires = "session_id")]
    follow: bool,
    #[command(flatten)]
    matching: SessionFilterArgs,
    /// Reason, stored in the audit log
    #[arg(long)]
    reason: String,
    /// Count matching sessions without replaying them
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
    let Some(id) = &options.session_id else {
        let action = BulkAction {
            path: "sessions/replay",
            verb: "replay",
            matching: &options.matching,
            reason: &options.reason,
            dry_run: options.dry_run,
            confirmation: options.confirmation,
        };
        let answer = action.run(&client).await?;
        if options.json {
            println!("{answer}");
        } else {
            bulk::print_result(&answer, "replayed");
        }
        return Ok(ExitCode::SUCCESS);
    };
    let stage = match options.stage {
        Some(stage) => i64::from(stage),
        None => first_failed(&client, id).await?,
    };
    let mut body = json!({
        "reason": options.reason, "llm_provider": options.provider, "iteration_strategy": options.strategy,
        "branch": options.branch, "agent": options.with_agent,
    });
    // Sent only if set, because an older API does not know it.
    if options.later_stages {
        body["later_stages"] = true.into();
    }
    let path = format!("sessions/{id}/stages/{stage}/replay");
    let replayed = client.act(&path, &body).await?;
    if options.follow {
        let session = follow::session(&client, id, !options.json).await?;
        if options.json {
            println!("{session}");
        } else {
            super::submit::conclude(&session);
        }
        let analysed = text(&session, "status") == "completed";
        return Ok(if analysed {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        });
    }
    if options.json {
        println!("{replayed}");
    } else {
        let attempt = replayed.get("attempt").and_then(Value::as_i64).unwrap_or(0);
        let branches = replayed
            .get("branches")
            .and_then(Value::as_u64)
            .unwrap_or(1);
        let branches = match branches {
            1 => String::new(),
            count => format!(" with {count} branches"),
        };
        println!(
            "stage {stage} is queued as attempt {attempt}{branches}; follow it with `tarsy sessions watch {id}`"
        );
    }
    Ok(ExitCode::SUCCESS)
}

async fn first_failed(client: &Client, id: &str) -> Result<i64> {
    let session = client
        .get(&format!("/api/v1/history/sessions/{id}"))
        .await?;
    let stages = session.get("stages").and_then(Value::as_array);
    let failed = stages.into_iter().flatten().find(|stage| {
        text(stage, "status") == "failed" && stage.get("is_current") == Some(&Value::Bool(true))
    });
    let index = failed.and_then(|stage| stage.get("stage_index")?.as_i64());
    index.with_context(|| {
        format!("no stage of session {id} has failed; see `tarsy sessions show {id}`")
    })
}
