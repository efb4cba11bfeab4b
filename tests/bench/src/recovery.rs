//! Recovery time: from SIGKILL of a stage worker until another runs its stage.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use sqlx::PgPool;
use tarsy_model::SessionId;
use uuid::Uuid;

use crate::database;
use crate::fleet::{self, Member};
use crate::report::{Figure, percentile};

/// Options.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Number of kills
    #[arg(long, default_value_t = 20)]
    kills: usize,
}

/// Goal, in seconds: the best figure of comparable products.
const GOAL_SECONDS: f64 = 0.6;

pub(crate) async fn measure(options: &Options) -> Result<Vec<Figure>> {
    let db = database::fresh().await?;
    let pool = database::pool(db.url(), 4).await?;
    let _chain = Member::start(db.url(), &["--chain"])?;
    let mut workers = vec![stage_worker(db.url())?, stage_worker(db.url())?];
    fleet::ready(&pool, 3).await?;
    until_sweeps_begin(&pool).await?;

    let mut seconds = Vec::with_capacity(options.kills);
    for kill in 1..=options.kills {
        let session = fleet::session()?;
        fleet::submit(&pool, std::slice::from_ref(&session)).await?;
        let (owner, pid) = holder(&pool, session.session_id, None).await?;
        let victim = workers
            .iter()
            .position(|w| i64::from(w.id()) == pid)
            .context("the stage runs in a process that is not ours")?;
        let mut worker = workers.swap_remove(victim);
        let killed = Instant::now();
        worker.kill()?;
        holder(&pool, session.session_id, Some(owner)).await?;
        seconds.push(killed.elapsed().as_secs_f64());
        eprint!("\rkill {kill} of {}", options.kills);

        // End the session so that its stages free their slots.
        end(&pool, session.session_id).await?;
        workers.push(stage_worker(db.url())?);
        fleet::ready(&pool, 3).await?;
    }
    eprintln!();
    seconds.sort_by(f64::total_cmp);
    Ok(vec![
        Figure::new(
            "recovery_p50",
            percentile(&seconds, 0.50),
            "s",
            Some(GOAL_SECONDS),
        ),
        Figure::new(
            "recovery_p99",
            percentile(&seconds, 0.99),
            "s",
            Some(GOAL_SECONDS),
        ),
    ])
}

/// Waits until sweepers are active. In its first three seconds, a sweeper expires no lease and declares no unknown
/// process dead.
async fn until_sweeps_begin(pool: &PgPool) -> Result<()> {
    let wait = "select pg_sleep(4)";
    sqlx::query(wait).execute(pool).await?;
    Ok(())
}

/// Starts a worker whose stages outlast the benchmark.
fn stage_worker(url: &str) -> Result<Member> {
    Member::start(url, &["--stage", "--slots", "40", "--stage-ms", "600000"])
}

/// Waits for an owner other than `before` that runs the session's stage. Returns it with its process.
async fn holder(pool: &PgPool, session: SessionId, before: Option<Uuid>) -> Result<(Uuid, i64)> {
    let begun = Instant::now();
    loop {
        let row: Option<(Uuid, i64)> = sqlx::query_as(
            "select e.claim_owner, w.pid::bigint from stage_executions e join workers w on w.id = e.claim_owner
             where e.session_id = $1 and e.status = 'active' and e.claim_owner is distinct from $2",
        )
        .bind(session.as_uuid())
        .bind(before)
        .fetch_optional(pool)
        .await?;
        if let Some(found) = row {
            return Ok(found);
        }
        if begun.elapsed() > Duration::from_secs(60) {
            bail!("no other worker ran the stage within 60 s");
        }
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

async fn end(pool: &PgPool, session: SessionId) -> Result<()> {
    let mut tx = pool.begin().await?;
    let stages: Vec<Uuid> =
        sqlx::query_scalar("select execution_id from stage_executions where session_id = $1")
            .bind(session.as_uuid())
            .fetch_all(&mut *tx)
            .await?;
    for stage in stages {
        tarsy_queue::request_cancel(&mut tx, &[stage]).await?;
    }
    sqlx::query("update alert_sessions set status = 'cancelled', completed_at_us = now_us() where session_id = $1")
        .bind(session.as_uuid())
        .execute(&mut *tx)
        .await?;
    tx.commit().await?;
    Ok(())
}
