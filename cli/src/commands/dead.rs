//! `tarsy dead`: dead jobs.

use std::process::ExitCode;

use anyhow::Result;
use serde_json::{Value, json};

use crate::client::Client;
use crate::confirmation::Confirmation;
use crate::output::{harmless, members, print, shortened, text, time};
use crate::server::Server;
use crate::table::Table;

/// List dead jobs; show, requeue or discard one.
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
    /// List dead jobs, newest first (default)
    List {
        /// Queue name
        #[arg(long)]
        queue: Option<String>,
        /// Cause of death: exhausted, cancelled or undecodable
        #[arg(long)]
        died_of: Option<String>,
        /// Maximum number of jobs
        #[arg(long, default_value_t = 50)]
        limit: usize,
    },
    /// Show a job with its error and payload
    Show {
        /// Job id
        job_id: String,
    },
    /// Requeue a job with fresh attempt counts
    Requeue {
        /// Job id
        job_id: String,
        /// Reason, stored in the audit log
        #[arg(long)]
        reason: String,
    },
    /// Discard a job
    Discard {
        /// Job id
        job_id: String,
        /// Reason, stored in the audit log
        #[arg(long)]
        reason: String,
        #[command(flatten)]
        confirmation: Confirmation,
    },
}

pub(crate) async fn run(server: &Server, options: &Options) -> Result<ExitCode> {
    let client = Client::new(server)?;
    match &options.one {
        None => list(&client, &[], 50, options.json).await?,
        Some(One::List {
            queue,
            died_of,
            limit,
        }) => {
            let mut query = Vec::new();
            query.extend(queue.as_deref().map(|queue| ("queue", queue)));
            query.extend(died_of.as_deref().map(|reason| ("reason", reason)));
            list(&client, &query, *limit, options.json).await?;
        }
        Some(One::Show { job_id }) => {
            let path = format!("/api/v1/admin/dead-jobs/{job_id}");
            print(&client.get(&path).await?, options.json, show);
        }
        Some(One::Requeue { job_id, reason }) => {
            act(&client, job_id, "requeue", reason, options.json).await?;
        }
        Some(One::Discard {
            job_id,
            reason,
            confirmation,
        }) => {
            if !confirmation.confirm(&format!("permanently discard job {job_id}"))? {
                anyhow::bail!("aborted");
            }
            act(&client, job_id, "discard", reason, options.json).await?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

async fn act(client: &Client, id: &str, change: &str, reason: &str, as_json: bool) -> Result<()> {
    let path = format!("dead-jobs/{id}/{change}");
    let job = client.act(&path, &json!({ "reason": reason })).await?;
    print(&job, as_json, |job| match change {
        "requeue" => println!("job {id} is requeued in {}", text(job, "queue")),
        _ => println!("job {id} is discarded"),
    });
    Ok(())
}

async fn list(client: &Client, query: &[(&str, &str)], limit: usize, as_json: bool) -> Result<()> {
    let path = "/api/v1/admin/dead-jobs";
    let answer = client.listed(path, query, "dead_jobs", limit).await?;
    print(&answer, as_json, table);
    Ok(())
}

fn table(answer: &Value) {
    let mut table = Table::new(&[
        "job", "died", "queue", "kind", "cause", "attempts", "session", "error",
    ]);
    for job in members(answer, "dead_jobs") {
        table.row(vec![
            text(job, "job_id").to_owned(),
            time(job, "died_at_us").unwrap_or_default(),
            text(job, "queue").to_owned(),
            text(job, "kind").to_owned(),
            text(job, "reason").to_owned(),
            job.get("attempts")
                .map(Value::to_string)
                .unwrap_or_default(),
            text(job, "session_id").to_owned(),
            shortened(text(job, "error"), 80),
        ]);
    }
    table.print("no dead jobs");
    if answer.get("next").is_some_and(|next| !next.is_null()) {
        println!("more exist; use --limit");
    }
}

fn show(job: &Value) {
    for member in ["job_id", "queue", "kind", "subject", "session_id", "reason"] {
        println!("{member:<12} {}", harmless(text(job, member)));
    }
    for member in [
        "attempts",
        "max_attempts",
        "crashes",
        "snoozes",
        "created_at_us",
        "died_at_us",
        "payload",
    ] {
        println!(
            "{member:<12} {}",
            job.get(member).map(Value::to_string).unwrap_or_default()
        );
    }
    println!("error        {}", harmless(text(job, "error")));
}
