//! Writes rollups of past hours.

use sqlx::PgPool;
use tarsy_failpoint::reached;

use crate::Error;
use crate::housekeeping::{Duty, begin};

/// Hours of one transaction.
const BATCH: i64 = 24;
/// Transactions of one run: 100 days.
const MOST: usize = 100;

/// Rolls up the hours that are over.
pub(crate) async fn roll_up(pool: &PgPool) -> Result<(), Error> {
    for _ in 0..MOST {
        let Some(mut tx) = begin(pool, Duty::HourlyRollups).await? else {
            return Ok(());
        };
        let hours = tarsy_store::sum_up_hours(&mut tx, BATCH).await?;
        reached("housekeeping.hourly_rollups.before_commit");
        tx.commit().await?;
        reached("housekeeping.hourly_rollups.after_commit");
        if hours < BATCH.unsigned_abs() {
            return Ok(());
        }
    }
    Ok(())
}
