//! Writes the counts and sums that lists show of ended sessions.

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

/// Rolls up the sessions that have ended.
pub(crate) async fn roll_up(pool: &PgPool, throttle: &BackgroundThrottle) -> Result<(), Error> {
    for _ in 0..MOST {
        let batch = throttle.start_batch();
        let Some(mut tx) = begin(pool, Duty::SessionRollups).await? else {
            return Ok(());
        };
        let rolled_up = tarsy_store::tally_ended_sessions(&mut tx, BATCH, SETTLE).await?;
        reached("housekeeping.session_rollups.before_commit");
        tx.commit().await?;
        reached("housekeeping.session_rollups.after_commit");
        if rolled_up < BATCH.unsigned_abs() {
            return Ok(());
        }
        batch.pause().await;
    }
    Ok(())
}
