//! Latency: one chain of three stages at a time through an idle fleet.

use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use sqlx::{Connection as _, PgConnection};
use tarsy_model::chain_queue;

use crate::database;
use crate::fleet::{self, Member};
use crate::report::{Figure, percentile};

/// Time between two looks whether a chain is done: what a figure may be too large by.
const LOOK: Duration = Duration::from_millis(1);

/// How much to run.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Chains, one after another
    #[arg(long, default_value_t = 300)]
    chains: usize,
}

pub(crate) async fn measure(options: &Options) -> Result<Vec<Figure>> {
    let db = database::fresh().await?;
    let pool = database::pool(db.url(), 4).await?;
    let _chain = Member::start(db.url(), &["--chain", "--slots", "16"])?;
    let _stage = Member::start(db.url(), &["--stage", "--slots", "16"])?;
    fleet::ready(&pool, 2).await?;
    // Of its own, so that looking costs one round trip: what looks shares the machine with what works.
    let mut watch = PgConnection::connect(db.url()).await?;

    let mut millis = Vec::with_capacity(options.chains);
    for round in 0..options.chains + 20 {
        let session = fleet::session()?;
        let started = Instant::now();
        fleet::submit(&pool, std::slice::from_ref(&session)).await?;
        sqlx::query("select pg_notify('tarsy_jobs', $1)")
            .bind(chain_queue())
            .execute(&pool)
            .await?;
        loop {
            tokio::time::sleep(LOOK).await;
            let done: bool = sqlx::query_scalar(
                "select status = 'completed' from alert_sessions where session_id = $1",
            )
            .bind(session.session_id.as_uuid())
            .fetch_one(&mut watch)
            .await?;
            if done {
                break;
            }
            if started.elapsed() > Duration::from_secs(10) {
                bail!("a chain of three idle stages took more than 10 s");
            }
        }
        if round >= 20 {
            millis.push(started.elapsed().as_secs_f64() * 1e3);
        }
    }
    millis.sort_by(f64::total_cmp);
    Ok(vec![
        Figure::new("hop_p50", percentile(&millis, 0.50), "ms", Some(6.0)),
        Figure::new("hop_p99", percentile(&millis, 0.99), "ms", Some(15.0)),
    ])
}
