//! Latency: one chain of three stages at a time through an idle fleet, until its last stage is done, and until
//! its session has ended.

use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use sqlx::{Connection as _, PgConnection};
use tarsy_model::chain_queue;

use crate::database;
use crate::fleet::{self, Member};
use crate::report::{Figure, percentile};

/// Time between two looks whether a chain is done: what a figure may be too large by.
const LOOK: Duration = Duration::from_millis(1);

/// Chains that are run before any is counted.
const WARM_UP: usize = 20;

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

    let (mut stages, mut sessions) = (Vec::new(), Vec::new());
    for round in 0..WARM_UP + options.chains {
        let session = fleet::session()?;
        let started = Instant::now();
        fleet::submit(&pool, std::slice::from_ref(&session)).await?;
        sqlx::query("select pg_notify('tarsy_jobs', $1)")
            .bind(chain_queue())
            .execute(&pool)
            .await?;
        loop {
            tokio::time::sleep(LOOK).await;
            let (last_stage, ended): (bool, bool) = sqlx::query_as(
                "select exists (select from stage_executions e
                                where e.session_id = s.session_id and stage_index = 2 and e.status = 'completed'),
                        status = 'completed'
                 from alert_sessions s where session_id = $1",
            )
            .bind(session.session_id.as_uuid())
            .fetch_one(&mut watch)
            .await?;
            let elapsed = started.elapsed().as_secs_f64() * 1e3;
            if last_stage && stages.len() == round {
                stages.push(elapsed);
            }
            if ended {
                sessions.push(elapsed);
                break;
            }
            if started.elapsed() > Duration::from_secs(10) {
                bail!("a chain of three idle stages took more than 10 s");
            }
        }
    }
    let [stages, sessions] = [stages, sessions].map(|mut millis| {
        millis.drain(..WARM_UP);
        millis.sort_by(f64::total_cmp);
        millis
    });
    Ok(vec![
        Figure::new("hop_p50", percentile(&stages, 0.50), "ms", Some(6.0)),
        Figure::new("hop_p99", percentile(&stages, 0.99), "ms", Some(15.0)),
        Figure::new("hop_session_p50", percentile(&sessions, 0.50), "ms", None),
        Figure::new("hop_session_p99", percentile(&sessions, 0.99), "ms", None),
    ])
}
