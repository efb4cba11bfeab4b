//! Throughput: chains of three empty stages, from a filled queue.

use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use sqlx::PgPool;

use crate::fleet::{self, Member};
use crate::report::Figure;
use crate::{database, floor, limits};

/// Options.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Number of chains, of three stages each
    #[arg(long, default_value_t = 10_000)]
    chains: usize,
    /// Duration of the measurement of each limit, in seconds
    #[arg(long, default_value_t = 6)]
    limit_seconds: u32,
    /// Simulated duration of a stage, in milliseconds
    #[arg(long, default_value_t = 0)]
    stage_ms: u64,
}

pub(crate) async fn measure(options: &Options) -> Result<Vec<Figure>> {
    let (single, batched) = {
        let db = database::fresh().await?;
        (
            limits::single_row_stages(db.pool(), db.url(), options.limit_seconds).await?,
            limits::batched_stages(db.pool(), db.url(), options.limit_seconds).await?,
        )
    };
    let floor = floor::chains(options.chains).await?;
    let one = run(options, 1).await?;
    let two = run(options, 2).await?;
    Ok(vec![
        Figure::new("chains_stages_s", one, "stages/s", Some(single)),
        Figure::new("chains_stages_s_batched", one, "stages/s", Some(batched)),
        Figure::new("chains_stages_s_floor", one, "stages/s", Some(floor)),
        Figure::new("chains_two_workers_stages_s", two, "stages/s", Some(one)),
        Figure::new(
            "chains_seconds",
            (options.chains * 3) as f64 / one.max(two),
            "s",
            None,
        ),
    ])
}

/// Returns the stages per second with `workers` stage workers.
async fn run(options: &Options, workers: usize) -> Result<f64> {
    let db = database::fresh().await?;
    fleet::backlog(db.pool(), options.chains).await?;
    database::vacuum_and_checkpoint(db.pool()).await?;
    let stage_ms = options.stage_ms.to_string();
    let slots = if options.stage_ms == 0 { "64" } else { "256" };
    let started = Instant::now();
    let mut members = vec![Member::start(db.url(), &["--chain", "--slots", "128"])?];
    for _ in 0..workers {
        members.push(Member::start(
            db.url(),
            &["--stage", "--slots", slots, "--stage-ms", &stage_ms],
        )?);
    }
    let seconds = drained(db.pool(), options.chains, started).await?;
    Ok((options.chains * 3) as f64 / seconds)
}

/// Returns the seconds from the first start to the last end, by Postgres's clock.
async fn drained(pool: &PgPool, chains: usize, started: Instant) -> Result<f64> {
    loop {
        tokio::time::sleep(Duration::from_millis(200)).await;
        // This query is cheap. Counting the remaining jobs would take a tenth of a core.
        let is_left: bool = sqlx::query_scalar("select exists (select from jobs)")
            .fetch_one(pool)
            .await?;
        if !is_left {
            break;
        }
        if started.elapsed() > Duration::from_secs(300) {
            bail!("{chains} chains had not ended after 300 s");
        }
    }
    let (stages, seconds): (i64, f64) = sqlx::query_as(
        "select count(*), (max(completed_at_us) - min(started_at_us))::float8 / 1e6
         from stage_executions where status = 'completed'",
    )
    .fetch_one(pool)
    .await?;
    if stages != i64::try_from(chains)? * 3 {
        bail!("{stages} stages completed instead of {}", chains * 3);
    }
    Ok(seconds)
}
