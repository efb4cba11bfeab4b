//! `tarsy workers`: lists workers and their jobs, and drains workers.

use std::process::ExitCode;

use anyhow::Result;
use serde_json::{Value, json};

use crate::client::Client;
use crate::output::{members, millis, number, text};
use crate::server::Server;
use crate::table::Table;

/// List workers, or drain one.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    #[command(subcommand)]
    change: Option<Change>,
    /// Print JSON
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, clap::Subcommand)]
enum Change {
    /// Drain a worker: it finishes its running jobs, returns the others and exits
    Drain {
        /// Worker id
        worker_id: String,
        /// Reason, stored in the audit log
        #[arg(long)]
        reason: String,
    },
}

pub(crate) async fn run(server: &Server, options: &Options) -> Result<ExitCode> {
    let client = Client::new(server)?;
    let Some(Change::Drain { worker_id, reason }) = &options.change else {
        list(&client, options.json).await?;
        return Ok(ExitCode::SUCCESS);
    };
    client
        .act(
            &format!("workers/{worker_id}/drain"),
            &json!({ "reason": reason }),
        )
        .await?;
    if options.json {
        println!(
            "{}",
            json!({ "worker_id": worker_id, "drain_requested": true })
        );
    } else {
        println!("worker {worker_id} is draining; it leaves the list when it exits");
    }
    Ok(ExitCode::SUCCESS)
}

async fn list(client: &Client, as_json: bool) -> Result<()> {
    let answer = client.get("/api/v1/admin/workers").await?;
    if as_json {
        println!("{answer}");
        return Ok(());
    }
    let mut table = Table::new(&[
        "worker",
        "role",
        "host",
        "pid",
        "version",
        "config",
        "queues",
        "slots",
        "heartbeat",
        "state",
        "runs",
    ]);
    for worker in members(&answer, "workers") {
        let count = |key: &str| number(worker, key).to_string();
        let queues: Vec<&str> = members(worker, "queues")
            .filter_map(Value::as_str)
            .collect();
        let age = worker
            .get("heartbeat_age_seconds")
            .and_then(Value::as_f64)
            .unwrap_or(0.0);
        table.row(vec![
            text(worker, "worker_id").to_owned(),
            text(worker, "role").to_owned(),
            text(worker, "host").to_owned(),
            count("pid"),
            text(worker, "version").to_owned(),
            config(worker),
            queues.join(","),
            count("slots"),
            format!("{} ago", millis((age * 1_000.0) as i64)),
            state(worker).to_owned(),
            runs(worker),
        ]);
    }
    table.print("no workers");
    Ok(())
}

/// Returns the start of the configuration's hash, which is enough to find workers with another configuration.
fn config(worker: &Value) -> String {
    let hash = worker.get("config_hash").and_then(Value::as_str);
    hash.map_or_else(|| "-".to_owned(), |hash| hash.chars().take(8).collect())
}

fn state(worker: &Value) -> &'static str {
    let is = |member: &str| worker.get(member) == Some(&Value::Bool(true));
    match (is("alive"), is("draining") || is("drain_requested")) {
        (false, _) => "dead",
        (true, true) => "draining",
        (true, false) if worker.get("trouble").is_some_and(Value::is_string) => "in trouble",
        (true, false) => "alive",
    }
}

fn runs(worker: &Value) -> String {
    let running = worker.get("running").and_then(Value::as_array);
    let running = running.into_iter().flatten().map(|job| {
        let about = job.get("session_id").and_then(Value::as_str);
        match job.get("stage_name").and_then(Value::as_str) {
            Some(stage) => format!("{stage} of {}", about.unwrap_or("-")),
            None => format!(
                "{} of {}",
                text(job, "kind"),
                about.unwrap_or(text(job, "subject"))
            ),
        }
    });
    running.collect::<Vec<_>>().join(", ")
}
