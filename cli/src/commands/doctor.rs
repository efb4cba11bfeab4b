//! `tarsy doctor`: checks configuration, database, queue, models, tools and GitHub.

use std::process::ExitCode;
use std::time::SystemTime;

use anyhow::{Context as _, Result};
use tarsy_config::{Config, Environment, Settings, Variables, strict_findings};

use crate::configuration::Configuration;
use crate::doctor::{
    Check, Verdict, database, models, partitions, queue, replica, sign_in, surroundings, upstreams,
};
use crate::output::json;

/// Options of the command.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    #[command(flatten)]
    configuration: Configuration,
    /// Check configuration and database only; call no model provider, MCP server or GitHub
    #[arg(long)]
    offline: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) async fn run(options: &Options) -> Result<ExitCode> {
    tarsy_telemetry::install_crypto();
    let environment = Environment::of_process();
    let mut checks = Vec::new();
    let config = match options.configuration.load(Variables::Optional) {
        Ok(config) => {
            checks.extend(configuration(&config, &environment));
            Some(config)
        }
        Err(error) => {
            checks.push(Check::failure(
                "configuration",
                error.to_string(),
                "tarsy check-config",
            ));
            None
        }
    };
    checks.extend(surroundings::disks());
    checks.extend(deployment().await);
    if let Some(config) = config.filter(|_| !options.offline) {
        checks.extend(models::providers(&config).await);
        match upstreams::servers(&config).await {
            Ok(servers) => checks.extend(servers),
            Err(error) => checks.push(Check::failure(
                "tools",
                format!("{error:#}"),
                "tarsy check-config",
            )),
        }
        checks.extend(upstreams::github(&config.runbooks.github).await);
        checks.extend(surroundings::targets(&config).await);
        if let Ok(settings) = Settings::read(&environment) {
            if let Some(oidc) = &settings.ingest.access.oidc {
                checks.extend(sign_in::issuer(oidc).await);
            }
            if let Some(endpoint) = &settings.log.otlp_endpoint {
                checks.push(surroundings::traces(endpoint).await);
            }
        }
    }
    if options.json {
        println!("{}", json(&checks)?);
    } else {
        checks.iter().for_each(Check::print);
        summarise(&checks);
    }
    let worst = checks.iter().map(|check| check.verdict).max();
    Ok(match worst {
        Some(Verdict::Failure) => ExitCode::FAILURE,
        _ => ExitCode::SUCCESS,
    })
}

fn configuration(config: &Config, environment: &Environment) -> Vec<Check> {
    let findings = strict_findings(config, environment);
    if findings.is_empty() {
        return vec![Check::ok(
            "configuration",
            format!("{}: valid", config.source),
        )];
    }
    findings
        .into_iter()
        .map(|finding| {
            Check::warning(
                "configuration",
                finding.message,
                finding.hint.unwrap_or_default(),
            )
        })
        .collect()
}

/// Checks the database, the queue and the workers.
async fn deployment() -> Vec<Check> {
    match read_deployment().await {
        Ok(checks) => checks,
        Err(error) => vec![Check::failure(
            "database",
            format!("{error:#}"),
            "set DATABASE_URL as the fleet's processes have it; `tarsy migrate` creates the tables",
        )],
    }
}

async fn read_deployment() -> Result<Vec<Check>> {
    let settings = Settings::read(&Environment::of_process())?;
    let pool = tarsy_boot::connect(&settings.database, "tarsy-doctor")?;
    let primary = tarsy_boot::primary(&settings.database)?;
    crate::database::check_reachable(&primary, &pool).await?;
    let mut conn = pool.acquire().await?;
    let facts = tarsy_store::diagnosis::server_facts(&mut conn).await?;
    let read = async {
        let queues = tarsy_queue::queue_stats(&mut conn).await?;
        let workers = tarsy_queue::list_workers(&mut conn).await?;
        Ok::<_, tarsy_queue::Error>((queues, workers))
    };
    let read = read.await.context("failed to read the queue");
    let alive = read.as_ref().map_or(0, |(_, workers)| {
        workers.iter().filter(|worker| worker.alive).count()
    });
    let wanted = i64::try_from(alive)? * i64::from(settings.database.max_connections);
    let mut checks = database::checks(&facts, wanted);
    checks.extend(database::hosts(&primary.checked_standings().await));
    if let Some(replica) = tarsy_boot::replica(&settings.database)? {
        checks.push(replica::check(&replica.checked_standing().await));
    }
    let tables = tarsy_store::partitions::partitions(&mut conn)
        .await
        .context("failed to read the partitions")?;
    checks.extend(partitions::checks(&tables, SystemTime::now()));
    match read {
        Ok((queues, workers)) => checks.extend(queue::checks(&queues, &workers)),
        Err(error) => checks.push(Check::failure(
            "schema",
            format!("{error:#}"),
            "tarsy migrate",
        )),
    }
    Ok(checks)
}

fn summarise(checks: &[Check]) {
    let count = |verdict| {
        checks
            .iter()
            .filter(|check| check.verdict == verdict)
            .count()
    };
    println!(
        "\n{} checks: {} failed, {} warnings",
        checks.len(),
        count(Verdict::Failure),
        count(Verdict::Warning)
    );
}
