//! CPU and memory of each service while it is idle.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use tarsy_testing::process::{Process, Program};

use crate::report::Figure;
use crate::{database, fleet, ingest};

/// Options.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Seconds to wait before measuring, until the processes are settled
    #[arg(long, default_value_t = 10)]
    settle: u64,
    /// Seconds over which CPU time is counted
    #[arg(long, default_value_t = 30)]
    seconds: u64,
}

/// Goal for a worker's CPU, in per cent of a core.
const GOAL_CPU: f64 = 1.0;
/// Goal for a service's resident memory, in MB (1,000,000 bytes).
const GOAL_RSS: f64 = 30.0;

/// Clock ticks per second in /proc, whatever the kernel's own rate.
const USER_HZ: f64 = 100.0;

/// Each program with the names of its CPU figure and its memory figure.
const SERVICES: [(&str, &str, &str); 3] = [
    ("ingest-api", "idle_ingest_api_cpu", "idle_ingest_api_rss"),
    (
        "chain-worker",
        "idle_chain_worker_cpu",
        "idle_chain_worker_rss",
    ),
    (
        "stage-worker",
        "idle_stage_worker_cpu",
        "idle_stage_worker_rss",
    ),
];

pub(crate) async fn measure(options: &Options) -> Result<Vec<Figure>> {
    let db = database::fresh().await?;
    database::vacuum_and_checkpoint(db.pool()).await?;
    let address = ingest::free_address()?;
    let mut services = Vec::new();
    for (program, cpu, rss) in SERVICES {
        let process = Program::new(program)
            .env("DATABASE_URL", db.url())
            .env("TARSY_LISTEN", &address)
            .env("OPENAI_API_KEY", "not-used")
            .env("KUBECONFIG", "/nonexistent")
            .start()?;
        services.push((process, cpu, rss));
    }
    ingest::ready(&address).await?;
    fleet::ready(db.pool(), 2).await?;
    tokio::time::sleep(Duration::from_secs(options.settle)).await;

    let before = services
        .iter()
        .map(|(process, ..)| cpu_seconds(process))
        .collect::<Result<Vec<_>>>()?;
    let begun = Instant::now();
    tokio::time::sleep(Duration::from_secs(options.seconds)).await;
    let seconds = begun.elapsed().as_secs_f64();
    let mut figures = Vec::new();
    for ((process, cpu, rss), before) in services.iter().zip(before) {
        let used = (cpu_seconds(process)? - before) / seconds * 100.0;
        figures.push(Figure::new(cpu, used, "% of a core", Some(GOAL_CPU)));
        figures.push(Figure::new(rss, rss_mb(process)?, "MB", Some(GOAL_RSS)));
    }
    Ok(figures)
}

/// Returns the CPU time of a process so far, user and system.
fn cpu_seconds(process: &Process) -> Result<f64> {
    ensure!(
        process.is_running(),
        "a service ended: {}",
        process.log().lines().last().unwrap_or_default()
    );
    cpu_seconds_of(process.id())
}

/// Returns the CPU time of the process with this id so far, user and system.
pub(crate) fn cpu_seconds_of(pid: u32) -> Result<f64> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"))?;
    // The name in parentheses may contain any character. The state is the first field after it.
    let fields = stat.rsplit(')').next().unwrap_or_default();
    let ticks: u64 = fields
        .split_whitespace()
        .skip(11)
        .take(2)
        .filter_map(|ticks| ticks.parse::<u64>().ok())
        .sum();
    Ok(ticks as f64 / USER_HZ)
}

/// Returns the resident memory of a process.
fn rss_mb(process: &Process) -> Result<f64> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", process.id()))?;
    let kib: f64 = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:")?.trim().split(' ').next())
        .context("no VmRSS in /proc")?
        .parse()?;
    Ok(kib * 1024.0 / 1e6)
}
