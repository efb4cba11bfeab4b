//! `tarsy submit --dry-run`: what an alert would set going. Nothing is submitted, no model is asked.

use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context as _, Result, bail};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tarsy_chain::OnRunbookError;
use tarsy_config::{Config, Variables};
use tarsy_model::{AlertDefaults, AlertProcessingData, SessionId, UnixMicros};
use tarsy_runbook::{NoCache, RunbookFetcher};

use crate::configuration::Configuration;
use crate::estimate::Bounds;
use crate::output::{bold, dim, harmless, json, shortened, status};
use crate::rehearsal::{StageRehearsal, Stageplay};

/// The fields of an alert that decide where it goes.
#[derive(Deserialize)]
struct Alert {
    alert_type: String,
    runbook: String,
    severity: Option<String>,
    #[serde(default)]
    data: Map<String, Value>,
    #[serde(flatten)]
    others: Map<String, Value>,
}

/// All that is shown.
#[derive(Debug, Serialize)]
struct DryRun {
    alert_type: String,
    chain_id: String,
    runbook: Runbook,
    stages: Vec<StageRehearsal>,
    /// US dollars, estimated; `null`: some stage's price is not configured, or a stage can't run.
    estimated_usd: Option<Bounds<f64>>,
}

/// Whether the runbook can be had.
#[derive(Debug, Serialize)]
struct Runbook {
    source: String,
    characters: Option<usize>,
    error: Option<String>,
}

pub(crate) async fn run(
    configuration: &Configuration,
    alert: &str,
    as_json: bool,
) -> Result<ExitCode> {
    let alert: Alert = serde_json::from_str(alert)
        .context("the alert is no JSON object with alert_type and runbook")?;
    let config = configuration.load(Variables::Required)?;
    let Some(chain) = config.chain_for(&alert.alert_type) else {
        bail!(
            "no chain answers alerts of type `{}`; known: {}",
            alert.alert_type,
            config.alert_types().join(", ")
        );
    };
    tarsy_telemetry::install_crypto();
    let (runbook, content) = fetch(&config, &alert.runbook).await?;
    let fails = runbook.error.is_some() && chain.on_runbook_error == OnRunbookError::Fail;
    let data = processing_data(
        alert,
        chain.chain_id.clone(),
        content,
        runbook.error.clone(),
    );
    let stages = Stageplay::new(&config, chain)?.rehearse(&data).await?;
    let dry_run = DryRun {
        alert_type: data.alert_type,
        chain_id: chain.chain_id.clone(),
        runbook,
        estimated_usd: total(&stages),
        stages,
    };
    if as_json {
        println!("{}", json(&dry_run)?);
    } else {
        dry_run.tell(fails);
    }
    let runs = !fails && dry_run.stages.iter().all(|stage| stage.fails.is_none());
    Ok(if runs {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

async fn fetch(config: &Config, named: &str) -> Result<(Runbook, Option<String>)> {
    let fetcher = RunbookFetcher::new(&config.runbooks, Arc::new(NoCache))?;
    Ok(match fetcher.fetch(named).await {
        Ok(found) => {
            let characters = Some(found.content.chars().count());
            (
                Runbook {
                    source: found.source,
                    characters,
                    error: None,
                },
                Some(found.content),
            )
        }
        Err(error) => {
            let error = Some(error.full_message());
            (
                Runbook {
                    source: named.to_owned(),
                    characters: None,
                    error,
                },
                None,
            )
        }
    })
}

fn processing_data(
    alert: Alert,
    chain_id: String,
    runbook_content: Option<String>,
    runbook_error: Option<String>,
) -> AlertProcessingData {
    let mut data = alert.data;
    data.extend(alert.others);
    AlertProcessingData {
        session_id: SessionId::generate(),
        alert_type: alert.alert_type,
        severity: alert
            .severity
            .unwrap_or_else(|| AlertDefaults::SEVERITY.to_owned()),
        timestamp_us: UnixMicros(0),
        alert_data: Value::Object(data),
        runbook_url: Some(alert.runbook),
        runbook_content,
        runbook_error,
        chain_id,
        current_stage: String::new(),
        stage_outputs: Vec::new(),
    }
}

fn total(stages: &[StageRehearsal]) -> Option<Bounds<f64>> {
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
    fn tell(&self, fails: bool) {
        println!(
            "{} goes through {}",
            bold(&harmless(&self.alert_type)),
            bold(&self.chain_id)
        );
        match (&self.runbook.error, self.runbook.characters) {
            (Some(error), _) => {
                let then = if fails {
                    "; the chain fails without it"
                } else {
                    "; the chain goes on without it"
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
            tell(index + 1, stage);
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
                "An estimate from prompt size, limits and configured prices, at 4 characters a token. Least: one"
            )
        );
        println!(
            "{}",
            dim(
                "question a stage. Most: every iteration and tool call that the limits allow. Retries are not counted."
            )
        );
    }
}

fn tell(number: usize, stage: &StageRehearsal) {
    let cast = &stage.cast;
    println!("\n{} {}", bold(&format!("stage {number}")), cast.name);
    println!(
        "  {} by {}, in pool {}",
        cast.strategy, cast.agent, cast.pool
    );
    println!("  asks {}", cast.models());
    if cast.strategy.uses_tools() {
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
