//! Sums up what ended sessions used.

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
/// What ended later is left for the next look.
const SETTLE: Duration = Duration::from_secs(1);

/// Counts the calls of the sessions that have ended.
pub(crate) async fn count(pool: &PgPool, throttle: &BackgroundThrottle) -> Result<(), Error> {
    for _ in 0..MOST {
        let batch = throttle.start_batch();
        let Some(mut tx) = begin(pool, Duty::Usage).await? else {
            return Ok(());
        };
        let counted = tarsy_store::count_ended_usage(&mut tx, BATCH, SETTLE).await?;
        reached("housekeeping.usage.before_commit");
        tx.commit().await?;
        reached("housekeeping.usage.after_commit");
        if counted < BATCH.unsigned_abs() {
            return Ok(());
        }
        batch.pause().await;
    }
    Ok(())
}

/// Counts those of sessions that committed after [`count`] had passed them.
pub(crate) async fn count_late(pool: &PgPool) -> Result<(), Error> {
    if let Some(mut tx) = begin(pool, Duty::Usage).await? {
        let late = tarsy_store::count_late_usage(&mut tx, BATCH).await?;
        reached("housekeeping.usage_late.before_commit");
        tx.commit().await?;
        reached("housekeeping.usage_late.after_commit");
        tracing::debug!(late, "counted the usage of late sessions");
    }
    Ok(())
}
