//! Writes session traits, which lists are filtered by.

use std::time::Duration;

use sqlx::PgPool;
use tarsy_failpoint::reached;

use crate::Error;
use crate::housekeeping::background_throttle::BackgroundThrottle;
use crate::housekeeping::{Duty, begin};

/// Sessions of one transaction.
const BATCH: i64 = 500;
/// Transactions of one look, so that another worker gets a turn.
const MOST: usize = 50;
/// What is younger is left for the next look.
const SETTLE: Duration = Duration::from_secs(1);

/// Writes the traits of new sessions.
pub(crate) async fn settle(pool: &PgPool, throttle: &BackgroundThrottle) -> Result<(), Error> {
    for _ in 0..MOST {
        let batch = throttle.start_batch();
        let Some(mut tx) = begin(pool, Duty::Traits).await? else {
            return Ok(());
        };
        let settled = tarsy_store::settle_session_traits(&mut tx, BATCH, SETTLE).await?;
        reached("housekeeping.traits.before_commit");
        tx.commit().await?;
        reached("housekeeping.traits.after_commit");
        if settled < BATCH.unsigned_abs() {
            return Ok(());
        }
        batch.pause().await;
    }
    Ok(())
}

/// Writes those of sessions that committed after [`settle`] had passed them; deletes those of deleted
/// sessions.
pub(crate) async fn settle_late(pool: &PgPool) -> Result<(), Error> {
    if let Some(mut tx) = begin(pool, Duty::Traits).await? {
        let late = tarsy_store::late_session_traits(&mut tx, BATCH).await?;
        let pruned = tarsy_store::prune_session_traits(&mut tx, BATCH).await?;
        reached("housekeeping.traits_late.before_commit");
        tx.commit().await?;
        reached("housekeeping.traits_late.after_commit");
        tracing::debug!(late, pruned, "wrote late session traits");
    }
    Ok(())
}
