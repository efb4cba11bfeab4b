//! `tarsy submit --dry-run`: shows the session, stages and cost of an alert. Nothing is submitted, and no model is
//! called.
//!
//! The session is built by the same code as for `POST /alerts`, so the forecast fits the alert that would be accepted.

use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context as _, Result, anyhow};
use serde::Serialize;
use tarsy_chain::{ChainDefinition, OnRunbookError};
use tarsy_config::{Config, Variables};
use tarsy_ingest_api::Problem;
use tarsy_intake::{Chains, Sender, session_for_alert};
use tarsy_model::{AlertProcessingData, IterationStrategy, UnixMicros, read_document};
use tarsy_runbook::{NoCache, RunbookFetcher};
use tarsy_store::new_session::NewSession;

use crate::configuration::{Configuration, settings};
use crate::estimate::Bounds;
use crate::output::{bold, dim, harmless, json, shortened, status};
use crate::stage_dry_run::{DryRunner, StageDryRun};

/// Result of a dry run.
#[derive(Debug, Serialize)]
struct DryRun {
    alert_type: String,
    severity: String,
    /// Fingerprint, which is equal for duplicate alerts.
    fingerprint: String,
    chain_id: String,
    runbook: Runbook,
    stages: Vec<StageDryRun>,
    /// Estimated US dollars; `null`: a price is missing, or a stage can't run.
    estimated_usd: Option<Bounds<f64>>,
}

/// Result of fetching the runbook.
#[derive(Debug, Serialize)]
struct Runbook {
    source: String,
    characters: Option<usize>,
    error: Option<String>,
}

pub(crate) async fn run(
    configuration: &Configuration,
    body: &str,
    as_json: bool,
) -> Result<ExitCode> {
    let config = configuration.load(Variables::Required)?;
    let limits = settings()?.ingest;
    let session = session_for_alert(
        &Chains::from_config(&config)?,
        &limits,
        Sender::default(),
        body,
    )
    .map_err(|error| anyhow!("{}", Problem::from(error).detail()))?;
    let chain: ChainDefinition =
        serde_json::from_str(session.chain_definition.get()).context("failed to read the chain")?;
    tarsy_telemetry::install_crypto();
    let (runbook, content) = fetch(&config, session.runbook_url.as_deref()).await?;
    let fails = runbook.error.is_some() && chain.on_runbook_error == OnRunbookError::Fail;
    let data = processing_data(&session, content, runbook.error.clone())?;
    let stages = DryRunner::new(&config, &chain)?.run(&data).await?;
    let dry_run = DryRun {
        alert_type: session.alert_type,
        severity: session.severity,
        fingerprint: session.fingerprint,
        chain_id: session.chain_id,
        runbook,
        estimated_usd: total(&stages),
        stages,
    };
    if as_json {
        println!("{}", json(&dry_run)?);
    } else {
        dry_run.print(fails);
    }
    let runs = !fails && dry_run.stages.iter().all(|stage| stage.fails.is_none());
    Ok(if runs {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

async fn fetch(config: &Config, address: Option<&str>) -> Result<(Runbook, Option<String>)> {
    let address = address.unwrap_or_default();
    let fetcher = RunbookFetcher::new(&config.runbooks, Arc::new(NoCache))?;
    Ok(match fetcher.fetch(address).await {
        Ok(found) => {
            let runbook = Runbook {
                source: found.source,
                characters: Some(found.content.chars().count()),
                error: None,
            };
            (runbook, Some(found.content))
        }
        Err(error) => {
            let runbook = Runbook {
                source: address.to_owned(),
                characters: None,
                error: Some(error.full_message()),
            };
            (runbook, None)
        }
    })
}

/// Returns the data that the session's first stage would get.
fn processing_data(
    session: &NewSession,
    runbook_content: Option<String>,
    runbook_error: Option<String>,
) -> Result<AlertProcessingData> {
    Ok(AlertProcessingData {
        session_id: session.session_id,
        alert_type: session.alert_type.clone(),
        severity: session.severity.clone(),
        timestamp_us: UnixMicros(session.alert_timestamp_us.unwrap_or_default()),
        alert_data: read_document(session.data.get())?,
        runbook_url: session.runbook_url.clone(),
        runbook_content,
        runbook_error,
        chain_id: session.chain_id.clone(),
        current_stage: String::new(),
        branch: None,
        stage_outputs: Vec::new(),
    })
}

fn total(stages: &[StageDryRun]) -> Option<Bounds<f64>> {
    stages
        .iter()
        .try_fold(Bounds::default(), |sum: Bounds<f64>, stage| {
            let usd = stage.usd?;
            Some(Bounds {
                least: sum.least + usd.least,
                most: sum.most + usd.most,
            })
        })
}

impl DryRun {
    fn print(&self, fails: bool) {
        println!(
            "{} is handled by {}",
            bold(&harmless(&self.alert_type)),
            bold(&self.chain_id)
        );
        match (&self.runbook.error, self.runbook.characters) {
            (Some(error), _) => {
                let then = if fails {
                    "; the chain fails without it"
                } else {
                    "; the chain continues without it"
                };
                println!("runbook   {}: {}{then}", status("failed"), harmless(error));
            }
            (None, count) => println!(
                "runbook   {} {}",
                harmless(&self.runbook.source),
                dim(&format!("({} characters)", count.unwrap_or(0)))
            ),
        }
        for (index, stage) in self.stages.iter().enumerate() {
            print_stage(index + 1, stage);
        }
        let can_run = self.stages.iter().all(|stage| stage.fails.is_none());
        let cost = if can_run {
            range(self.estimated_usd)
        } else {
            "unknown: a stage can't run".to_owned()
        };
        println!("\n{} {cost}", bold("estimated cost"));
        println!(
            "{}",
            dim(
                "Estimated from prompt size, limits and configured prices, at 4 characters per token. Minimum: one"
            )
        );
        println!(
            "{}",
            dim(
                "prompt per stage. Maximum: every iteration and tool call that the limits allow. Retries are excluded."
            )
        );
    }
}

fn print_stage(number: usize, stage: &StageDryRun) {
    let resolved = &stage.resolved;
    println!("\n{} {}", bold(&format!("stage {number}")), resolved.name);
    println!("  {}", resolved.runs());
    if resolved.asks_model() {
        println!("  model {}", resolved.models());
    }
    if resolved.strategy.is_some_and(IterationStrategy::uses_tools) {
        println!(
            "  tools {}",
            if stage.tools.is_empty() {
                "none".to_owned()
            } else {
                harmless(&stage.tools.join(", "))
            }
        );
    }
    for (server, reason) in &stage.unreachable {
        println!(
            "  {} {server}: {}",
            status("failed"),
            harmless(&shortened(reason, 200))
        );
    }
    if let Some(reason) = &stage.fails {
        println!("  {}: {}", status("failed"), harmless(reason));
    }
    if let Some(tokens) = stage.tokens {
        let (least, most) = (tokens.least, tokens.most);
        println!(
            "  about {} to {} tokens in, up to {} out: {}",
            least.input,
            most.input,
            most.output,
            range(stage.usd)
        );
    }
}

fn range(usd: Option<Bounds<f64>>) -> String {
    usd.map_or_else(
        || "unknown: a price is not configured (`price` of the provider, or `prices`)".to_owned(),
        |usd| format!("${:.4} to ${:.4}", usd.least, usd.most),
    )
}
