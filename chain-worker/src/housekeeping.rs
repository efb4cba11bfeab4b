//! What any chain worker does now and then, one at a time: repair, prune, index.

use std::time::Duration;

use sqlx::{PgConnection, PgPool};
use tarsy_model::{SessionId, chain_queue, priority_of};
use tarsy_queue::{NewJob, Waker};
use tokio_util::sync::CancellationToken;

use crate::Error;

/// Kind of the jobs that this service runs; the subject is the session.
pub const CHAIN_JOB: &str = "chain";

/// Time between two looks; jittered, so that several workers spread out.
const EVERY: Duration = Duration::from_secs(15);

/// Sessions repaired at one look.
const REPAIR_BATCH: i64 = 500;

/// Advisory lock that makes it one at a time, held for one transaction.
const LOCK: i64 = 0x7461_7273_7901;

/// Look after the tables until `stop` fires. Trouble with Postgres is logged and tried again.
pub(crate) async fn run(pool: PgPool, waker: Waker, stop: CancellationToken) {
    loop {
        let pause = EVERY.mul_f64(rand::random_range(0.7..=1.3));
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(pause) => {}
        }
        match repair(&pool).await {
            Ok(0) => {}
            Ok(repaired) => {
                tracing::warn!(repaired, "sessions had no job and got one; were rows changed by hand?");
                waker.wake(chain_queue());
            }
            Err(error) => tracing::warn!(?error, "the repair sweep did not go through; it will be tried again"),
        }
    }
}

/// Give a chain job to live sessions that no job points to; answers how many.
///
/// # Errors
///
/// [`Error`]; nothing was changed.
pub async fn repair(pool: &PgPool) -> Result<usize, Error> {
    let mut tx = pool.begin().await?;
    if !try_lock(&mut tx).await? {
        return Ok(0);
    }
    let lost: Vec<(SessionId, String)> =
        tarsy_store::sessions_without_work(&mut tx, REPAIR_BATCH).await?;
    let jobs: Vec<NewJob> = lost
        .iter()
        .map(|(session, severity)| {
            NewJob::new(chain_queue(), CHAIN_JOB, session.as_uuid()).priority(priority_of(severity))
        })
        .collect();
    tarsy_queue::enqueue(&mut tx, &jobs).await?;
    tx.commit().await?;
    Ok(lost.len())
}

async fn try_lock(conn: &mut PgConnection) -> Result<bool, Error> {
    let locked = sqlx::query_scalar!(r#"select pg_try_advisory_xact_lock($1) as "locked!""#, LOCK)
        .fetch_one(conn)
        .await?;
    Ok(locked)
}
