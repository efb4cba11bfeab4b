//! A transaction that somebody forgot: rows die faster than vacuum may take them away, and the
//! queue, which is all churn, must not get slower over it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use sqlx::{Connection as _, PgConnection, PgPool};

use crate::database;
use crate::fleet::{self, Member};
use crate::report::Figure;

/// How much to run.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// How long the transaction is held open
    #[arg(long, default_value_t = 180)]
    seconds: u64,
    /// How long throughput is looked at before, and at the end of it
    #[arg(long, default_value_t = 20)]
    window: u64,
    /// The same load for the same time without that transaction: what else changes meanwhile
    #[arg(long)]
    control: bool,
}

/// Chains that are there at the begin, and about as many at any time.
const WAITING: i64 = 2_000;
/// Time between two looks whether there are enough.
const LOOK: Duration = Duration::from_millis(200);

pub(crate) async fn measure(options: &Options) -> Result<Vec<Figure>> {
    ensure!(
        options.seconds > options.window,
        "--seconds must be more than --window"
    );
    let window = Duration::from_secs(options.window);
    let db = database::fresh().await?;
    let pool = database::pool(db.url(), 4).await?;
    fleet::backlog(&pool, usize::try_from(WAITING)?).await?;
    database::settle(&pool).await?;
    let _chain = Member::start(db.url(), &["--chain", "--slots", "128"])?;
    let _stage = Member::start(db.url(), &["--stage", "--slots", "64"])?;
    fleet::ready(&pool, 2).await?;
    let stop = Arc::new(AtomicBool::new(false));
    let feeding = tokio::spawn(feed(pool.clone(), Arc::clone(&stop)));

    // Caches, plans and tables that are no longer empty.
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

/// Keep chains waiting until told to stop.
async fn feed(pool: PgPool, stop: Arc<AtomicBool>) -> Result<()> {
    let mut submitted = WAITING;
    while !stop.load(Ordering::Relaxed) {
        let missing = WAITING - (submitted - stages(&pool).await? / 3);
        if missing > 0 {
            fleet::backlog(&pool, usize::try_from(missing)?).await?;
            submitted += missing;
        }
        tokio::time::sleep(LOOK).await;
    }
    Ok(())
}

/// Stages that became due in this time, a second; as many as ended, as about as many wait at any time.
async fn rate(pool: &PgPool, time: Duration) -> Result<f64> {
    let (begun, before) = (Instant::now(), stages(pool).await?);
    tokio::time::sleep(time).await;
    let (seconds, after) = (begun.elapsed().as_secs_f64(), stages(pool).await?);
    Ok((after - before) as f64 / seconds)
}

/// Stages that became due so far, by Postgres' counters: to count rows takes a core for a second, and suffers from
/// the dead.
async fn stages(pool: &PgPool) -> Result<i64> {
    sqlx::query_scalar(
        "select n_tup_ins from pg_stat_user_tables where relname = 'stage_executions'",
    )
    .fetch_one(pool)
    .await
    .context("the stages can't be counted")
}

/// Rows that vacuum may not take away, as Postgres has counted them.
async fn dead_rows(pool: &PgPool) -> Result<f64> {
    let query = "select sum(n_dead_tup)::float8 from pg_stat_user_tables";
    Ok(sqlx::query_scalar(query).fetch_one(pool).await?)
}
