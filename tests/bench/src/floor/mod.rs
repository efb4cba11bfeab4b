//! The floor: the same work on bare tables, with a minimum of statements.
//!
//! It shows the best figures that any product of this design could reach on this machine. It commits alerts together,
//! claims and ends many stages in one statement, sends one notification per group, renews and expires leases, and has a
//! fence in the row. It has no retries, priorities, chains, events or indexes for lookups. It runs in separate
//! processes, like the fleet that it is compared with.

mod serve;
mod work;

use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use sqlx::PgPool;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use uuid::Uuid;

use crate::fleet::Member;
use crate::hop::{Hops, Watched};
use crate::ingest::{free_address, ready};
use crate::{database, limits, load};

/// Stages of a chain.
const STAGES: i32 = 3;
/// NOTIFY channel for new jobs.
const CHANNEL: &str = "floor";

/// A process of the floor; started by the benchmarks.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// URL of the database
    #[arg(long)]
    url: String,
    /// Accept alerts on this address instead of running stages
    #[arg(long)]
    listen: Option<String>,
}

pub(crate) async fn run(options: &Options) -> Result<()> {
    match &options.listen {
        Some(address) => serve::serve(&options.url, address).await,
        None => work::work(&options.url).await,
    }
}

/// Measures the accepted alerts per second. The alerts have the size of the benchmarks and are posted as to the real
/// API.
pub(crate) async fn ingest(
    connections: usize,
    seconds: u64,
    alert: fn(usize) -> String,
) -> Result<f64> {
    let db = database::fresh().await?;
    prepare(db.pool()).await?;
    let address = free_address()?;
    let _api = Member::of_floor(db.url(), Some(&address))?;
    ready(&address).await?;
    let time = Duration::from_secs(seconds);
    let run = load::post(&address, "/alerts", connections, time, alert).await?;
    if run.refused > 0 {
        bail!("the floor refused {} alerts", run.refused);
    }
    Ok(run.accepted as f64 / run.seconds)
}

/// Measures the finished stages per second, with `chains` queued chains.
pub(crate) async fn chains(chains: usize) -> Result<f64> {
    let db = database::fresh().await?;
    prepare(db.pool()).await?;
    let ids: Vec<Uuid> = (0..chains).map(|_| Uuid::now_v7()).collect();
    let alert = limits::alert_data();
    for group in ids.chunks(500) {
        accept(db.pool(), group, &vec![alert.as_str(); group.len()]).await?;
    }
    database::vacuum_and_checkpoint(db.pool()).await?;
    let _worker = Member::of_floor(db.url(), None)?;
    let started = Instant::now();
    while sqlx::query_scalar("select exists (select from floor.job)")
        .fetch_one(db.pool())
        .await?
    {
        if started.elapsed() > Duration::from_secs(300) {
            bail!("the floor had not run {chains} chains after 300 s");
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    let (stages, seconds): (i64, f64) = sqlx::query_as(
        "select count(*), extract(epoch from max(finished_at) - min(started_at))::float8
         from floor.stage where status = 'completed'",
    )
    .fetch_one(db.pool())
    .await?;
    if usize::try_from(stages)? != chains * usize::try_from(STAGES)? {
        bail!("the floor finished {stages} stages of {chains} chains");
    }
    Ok(stages as f64 / seconds)
}

/// Measures the latency of one chain at a time.
pub(crate) async fn hop(chains: usize) -> Result<Hops> {
    let db = database::fresh().await?;
    prepare(db.pool()).await?;
    let _worker = Member::of_floor(db.url(), None)?;
    let pool = connect(db.url(), 2).await?;
    let watched = Watched {
        url: db.url(),
        done: "select status = 'completed', status = 'completed' from floor.session where id = $1",
    };
    let submit = async || {
        let id = Uuid::now_v7();
        accept(&pool, &[id], &[limits::alert_data().as_str()]).await?;
        Ok(id)
    };
    watched.measure(chains, submit).await
}

/// Creates the bare tables and the index for expired leases.
async fn prepare(pool: &PgPool) -> Result<()> {
    limits::prepare(pool).await?;
    sqlx::raw_sql("create index on floor.job (lease_until) where state = 1")
        .execute(pool)
        .await?;
    Ok(())
}

/// Opens connections whose statements always use index scans.
async fn connect(url: &str, connections: u32) -> Result<PgPool> {
    let plans = [
        ("enable_hashjoin", "off"),
        ("enable_mergejoin", "off"),
        ("enable_seqscan", "off"),
    ];
    let options = url.parse::<PgConnectOptions>()?.options(plans);
    Ok(PgPoolOptions::new()
        .max_connections(connections)
        .connect_with(options)
        .await?)
}

/// Commits alerts together, then notifies the workers.
async fn accept(pool: &PgPool, ids: &[Uuid], bodies: &[&str]) -> sqlx::Result<()> {
    sqlx::query(
        "with s as (insert into floor.session (id, payload) select * from unnest($1::uuid[], $2::jsonb[])
                    returning id)
         insert into floor.job (sid, stage) select id, 1 from s",
    )
    .bind(ids)
    .bind(bodies)
    .execute(pool)
    .await?;
    // NOTIFY runs outside the group's commit, as it takes a global lock.
    sqlx::query("select set_config('synchronous_commit', 'off', true), pg_notify($1, '')")
        .bind(CHANNEL)
        .execute(pool)
        .await?;
    Ok(())
}
