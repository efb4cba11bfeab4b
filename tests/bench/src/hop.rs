//! Latency: one chain of three stages at a time through an idle fleet.

use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use sqlx::postgres::PgListener;
use tarsy_model::chain_queue;

use crate::database;
use crate::fleet::{self, Member};
use crate::report::{Figure, percentile};

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
    let mut listener = PgListener::connect(db.url()).await?;
    listener.listen("tarsy_jobs").await?;

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
            // Every change of a session is announced; the look is what counts.
            let _ = tokio::time::timeout(Duration::from_millis(2), listener.recv()).await;
            let done: bool = sqlx::query_scalar(
                "select status = 'completed' from alert_sessions where session_id = $1",
            )
            .bind(session.session_id.as_uuid())
            .fetch_one(&pool)
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
