//! What any chain worker does now and then, one at a time: repair, prune, index.

use std::time::Duration;

use sqlx::{PgConnection, PgPool};
use tarsy_model::{Pool, chain_queue, priority_of};
use tarsy_queue::{NewJob, Waker};
use tarsy_store::Stranded;
use tokio_util::sync::CancellationToken;

use crate::Error;
use crate::advance::STAGE_JOB;

/// Kind of the jobs that this service runs; the subject is the session.
pub const CHAIN_JOB: &str = "chain";

/// Time between two looks; jittered, so that several workers spread out.
const EVERY: Duration = Duration::from_secs(15);

/// Live sessions looked at in one go; the next look goes on where this one ended.
const LOOK: i64 = 2_000;

/// Advisory lock that makes it one at a time, held for one transaction.
const LOCK: i64 = 0x7461_7273_7901;

/// Look after the tables until `stop` fires. Trouble with Postgres is logged and tried again.
pub(crate) async fn run(pool: PgPool, waker: Waker, stop: CancellationToken) {
    let mut after = 0;
    loop {
        let pause = EVERY.mul_f64(rand::random_range(0.7..=1.3));
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(pause) => {}
        }
        match repair(&pool, after).await {
            Ok((repaired, next)) => {
                after = next.unwrap_or(0);
                if repaired > 0 {
                    tracing::warn!(
                        repaired,
                        "sessions had no job and got one; were rows changed by hand?"
                    );
                    waker.wake(chain_queue());
                }
            }
            Err(error) => tracing::warn!(
                ?error,
                "the repair sweep did not go through; it will be tried again"
            ),
        }
    }
}

/// Give live sessions that no job points to the job they lack; answers how many, and where the
/// next look goes on.
///
/// # Errors
///
/// [`Error`]; nothing was changed.
pub async fn repair(pool: &PgPool, after: i64) -> Result<(usize, Option<i64>), Error> {
    let mut tx = pool.begin().await?;
    if !try_lock(&mut tx).await? {
        return Ok((0, None));
    }
    let (stranded, next) = tarsy_store::sessions_without_work(&mut tx, after, LOOK).await?;
    let jobs: Vec<NewJob> = stranded.iter().map(missing_job).collect();
    tarsy_queue::enqueue(&mut tx, &jobs).await?;
    tx.commit().await?;
    Ok((stranded.len(), next))
}

fn missing_job(stranded: &Stranded) -> NewJob {
    let job = match &stranded.stage {
        Some(stage) => {
            let queue = Pool::from(stage.pool.as_str()).queue();
            NewJob::new(queue, STAGE_JOB, stage.execution_id.as_uuid()).after_epoch(stage.epoch)
        }
        None => NewJob::new(chain_queue(), CHAIN_JOB, stranded.session_id.as_uuid()),
    };
    job.priority(priority_of(&stranded.severity))
}

async fn try_lock(conn: &mut PgConnection) -> Result<bool, Error> {
    let locked = sqlx::query_scalar!(r#"select pg_try_advisory_xact_lock($1) as "locked!""#, LOCK)
        .fetch_one(conn)
        .await?;
    Ok(locked)
}
