//! Cost of ten thousand waiting sessions: latency of a claim and CPU of an idle fleet, compared with no waiting
//! sessions.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use sqlx::PgPool;
use tarsy_chain::{StageDefinition, StageKind, WaitStage};
use tarsy_model::Role;

use crate::fleet::{self, Member};
use crate::report::Figure;
use crate::{database, idle, queue};

/// Goal: at most this many times the figure without them, apart from differences between runs.
const GOAL: f64 = 1.1;

/// How long the gates wait, which is longer than the benchmark.
const DAY_MS: u64 = 24 * 60 * 60 * 1_000;

/// Timeout for background work after the sessions were created.
const PATIENCE: Duration = Duration::from_secs(120);

/// Options.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Number of sessions that wait at a gate
    #[arg(long, default_value_t = 10_000)]
    sessions: usize,
    /// Number of jobs that wait in the queue besides
    #[arg(long, default_value_t = 1_000)]
    few: usize,
    /// Number of measured claims
    #[arg(long, default_value_t = 2_000)]
    claims: usize,
    /// Seconds over which CPU time is counted
    #[arg(long, default_value_t = 30)]
    seconds: u64,
}

/// Figures of a fleet with a number of waiting sessions.
struct WaitingFigures {
    claim_p50: f64,
    claim_p99: f64,
    chain_cpu: f64,
    stage_cpu: f64,
    server_cpu: f64,
}

pub(crate) async fn measure(options: &Options) -> Result<Vec<Figure>> {
    let none = measure_with(options, 0).await?;
    let many = measure_with(options, options.sessions).await?;
    let goal = |without: f64| Some(without * GOAL);
    let ms = |name, value, limit| Figure::new(name, value, "ms", limit);
    let cpu = |name, value, limit| Figure::new(name, value, "% of a core", limit);
    Ok(vec![
        ms("waiting_none_claim_p50", none.claim_p50, None),
        ms("waiting_none_claim_p99", none.claim_p99, None),
        ms(
            "waiting_10k_claim_p50",
            many.claim_p50,
            goal(none.claim_p50),
        ),
        ms(
            "waiting_10k_claim_p99",
            many.claim_p99,
            goal(none.claim_p99),
        ),
        cpu("waiting_none_chain_cpu", none.chain_cpu, None),
        cpu(
            "waiting_10k_chain_cpu",
            many.chain_cpu,
            goal(none.chain_cpu),
        ),
        cpu("waiting_none_stage_cpu", none.stage_cpu, None),
        cpu(
            "waiting_10k_stage_cpu",
            many.stage_cpu,
            goal(none.stage_cpu),
        ),
        cpu("waiting_none_postgres_cpu", none.server_cpu, None),
        cpu(
            "waiting_10k_postgres_cpu",
            many.server_cpu,
            goal(none.server_cpu),
        ),
    ])
}

async fn measure_with(options: &Options, sessions: usize) -> Result<WaitingFigures> {
    let db = database::fresh().await?;
    let chain = Member::start(db.url(), &["--chain", "--slots", "128"])?;
    let stage = Member::start(db.url(), &["--stage", "--slots", "16"])?;
    fleet::ready(db.pool(), 2).await?;
    wait_at_gates(db.pool(), sessions).await?;
    caught_up(db.pool()).await?;
    database::vacuum_and_checkpoint(db.pool()).await?;

    let (before, server) = ((cpu(&chain)?, cpu(&stage)?), server_cpu()?);
    let begun = Instant::now();
    tokio::time::sleep(Duration::from_secs(options.seconds)).await;
    let share = 100.0 / begun.elapsed().as_secs_f64();
    let (chain_cpu, stage_cpu) = (
        (cpu(&chain)? - before.0) * share,
        (cpu(&stage)? - before.1) * share,
    );
    let server_cpu = (server_cpu()? - server) * share;
    drop((chain, stage));
    let millis = queue::claims_in(&db, options.few, options.claims).await?;
    Ok(WaitingFigures {
        claim_p50: crate::report::percentile(&millis, 0.50),
        claim_p99: crate::report::percentile(&millis, 0.99),
        chain_cpu,
        stage_cpu,
        server_cpu,
    })
}

/// Waits for background work that follows the creation of sessions (lists, search, vacuum), because it is not a cost of
/// waiting sessions.
async fn caught_up(pool: &PgPool) -> Result<()> {
    let begun = Instant::now();
    loop {
        let done: bool = sqlx::query_scalar(
            "select coalesce(max(started_at_us) <= least((select started_at_us from session_traits_cursor),
                                                        (select started_at_us from search_cursor)), true)
                    and not exists (select from pg_stat_activity where backend_type = 'autovacuum worker')
             from alert_sessions",
        )
        .fetch_one(pool)
        .await?;
        if done {
            return Ok(());
        }
        ensure!(begun.elapsed() < PATIENCE, "the fleet did not catch up");
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

fn cpu(member: &Member) -> Result<f64> {
    idle::cpu_seconds_of(member.id())
}

/// Returns the CPU time of all Postgres processes on this machine, in seconds. The time of a process that ends is lost,
/// so the figure of an idle server covers only processes that keep running.
fn server_cpu() -> Result<f64> {
    let mut seconds = 0.0;
    for entry in std::fs::read_dir("/proc")? {
        let name = entry?.file_name();
        let Some(pid) = name.to_str().and_then(|name| name.parse().ok()) else {
            continue;
        };
        let program = std::fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
        if program.trim() == "postgres" {
            seconds += idle::cpu_seconds_of(pid).unwrap_or(0.0);
        }
    }
    Ok(seconds)
}

/// Creates sessions that wait at an undecided gate. The fleet itself opens the gates.
async fn wait_at_gates(pool: &PgPool, count: usize) -> Result<()> {
    let gate = StageDefinition {
        kind: StageKind::Wait(WaitStage::Approval {
            role: Role::Operator,
            expires_ms: DAY_MS,
        }),
        ..StageDefinition::new("gate", "")
    };
    let chain = serde_json::to_value([gate, StageDefinition::new("fix", "idle")])?;
    let mut left = count;
    while left > 0 {
        let group = (0..left.min(500))
            .map(|_| fleet::session_of(&chain))
            .collect::<Result<Vec<_>>>()?;
        fleet::submit(pool, &group).await?;
        left -= group.len();
    }
    let all = i64::try_from(count)?;
    let (mut waiting, mut busy) = (0, true);
    let begun = Instant::now();
    while waiting < all || busy {
        ensure!(
            begun.elapsed() < Duration::from_secs(300),
            "{waiting} of {all} sessions wait after 300 s"
        );
        tokio::time::sleep(Duration::from_millis(100)).await;
        (waiting, busy) = sqlx::query_as(
            "select (select count(*) from waits where decision is null),
                    exists (select from jobs where state <> 'scheduled')",
        )
        .fetch_one(pool)
        .await?;
    }
    Ok(())
}
