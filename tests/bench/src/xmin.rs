//! Throughput while a forgotten transaction keeps vacuum from removing dead rows of the queue.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use sqlx::{Connection as _, PgConnection, PgPool};

use crate::database;
use crate::fleet::{self, Member};
use crate::report::Figure;

/// Options.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// How long the transaction stays open, in seconds
    #[arg(long, default_value_t = 180)]
    seconds: u64,
    /// How long throughput is measured before the transaction and at its end, in seconds
    #[arg(long, default_value_t = 20)]
    window: u64,
    /// Run the same load for the same time without that transaction, to see what else changes meanwhile
    #[arg(long)]
    control: bool,
}

/// Number of chains that wait at any time. They are work for four seconds, because Postgres' counters lag by one or
/// two.
const WAITING: i64 = 12_000;
/// Poll interval for refilling the queue.
const POLL_PAUSE: Duration = Duration::from_millis(200);

pub(crate) async fn measure(options: &Options) -> Result<Vec<Figure>> {
    ensure!(
        options.seconds > options.window,
        "--seconds must be more than --window"
    );
    let window = Duration::from_secs(options.window);
    let db = database::fresh().await?;
    let pool = database::pool(db.url(), 4).await?;
    fleet::backlog(&pool, usize::try_from(WAITING)?).await?;
    database::vacuum_and_checkpoint(&pool).await?;
    let _chain = Member::start(db.url(), &["--chain", "--slots", "128"])?;
    let _stage = Member::start(db.url(), &["--stage", "--slots", "64"])?;
    fleet::ready(&pool, 2).await?;
    let stop = Arc::new(AtomicBool::new(false));
    let feeding = tokio::spawn(feed(pool.clone(), Arc::clone(&stop)));

    // Wait until caches, plans and tables are warm.
    tokio::time::sleep(window / 2).await;
    let before = rate(&pool, window).await?;
    let mut forgotten = PgConnection::connect(db.url()).await?;
    if !options.control {
        sqlx::raw_sql("begin isolation level repeatable read; select count(*) from jobs")
            .execute(&mut forgotten)
            .await?;
    }
    tokio::time::sleep(Duration::from_secs(options.seconds) - window).await;
    let end = rate(&pool, window).await?;
    let dead = dead_rows(&pool).await?;
    sqlx::raw_sql("rollback").execute(&mut forgotten).await?;
    stop.store(true, Ordering::Relaxed);
    feeding.await??;
    Ok(vec![
        Figure::new("xmin_before_stages_s", before, "stages/s", None),
        Figure::new("xmin_end_stages_s", end, "stages/s", Some(before)),
        Figure::new("xmin_dead_rows", dead, "rows", None),
    ])
}

/// Refills the queue until told to stop.
async fn feed(pool: PgPool, stop: Arc<AtomicBool>) -> Result<()> {
    let mut submitted = WAITING;
    while !stop.load(Ordering::Relaxed) {
        let missing = WAITING - (submitted - stages(&pool).await? / 3);
        if missing > 0 {
            fleet::backlog(&pool, usize::try_from(missing)?).await?;
            submitted += missing;
        }
        tokio::time::sleep(POLL_PAUSE).await;
    }
    Ok(())
}

/// Returns the stages that became due per second. The same number end, because the number of waiting stages is
/// constant.
async fn rate(pool: &PgPool, time: Duration) -> Result<f64> {
    let (begun, before) = (Instant::now(), stages(pool).await?);
    tokio::time::sleep(time).await;
    let (seconds, after) = (begun.elapsed().as_secs_f64(), stages(pool).await?);
    Ok((after - before) as f64 / seconds)
}

/// Returns the stages that became due so far, from Postgres' statistics. Counting rows would take a core for a second,
/// and longer with dead rows.
async fn stages(pool: &PgPool) -> Result<i64> {
    sqlx::query_scalar(
        "select n_tup_ins from pg_stat_user_tables where relname = 'stage_executions'",
    )
    .fetch_one(pool)
    .await
    .context("the stages can't be counted")
}

/// Returns the dead rows that vacuum could not remove, from Postgres' statistics.
async fn dead_rows(pool: &PgPool) -> Result<f64> {
    let query = "select sum(n_dead_tup)::float8 from pg_stat_user_tables";
    Ok(sqlx::query_scalar(query).fetch_one(pool).await?)
}
