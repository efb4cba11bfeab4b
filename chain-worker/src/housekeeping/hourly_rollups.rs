//! Writes rollups of past hours.

use sqlx::PgPool;
use tarsy_failpoint::reached;

use crate::Error;
use crate::housekeeping::duty::Step;
use crate::housekeeping::{Turn, begin};

/// Number of hours per transaction.
const BATCH: i64 = 24;

/// Rolls up the hours that are over.
pub(super) async fn roll_up(pool: &PgPool) -> Result<Step, Error> {
    let Some(mut tx) = begin(pool, Turn::HourlyRollups).await? else {
        return Ok(Step::TakenElsewhere);
    };
    let hours = tarsy_store::history::sum_up_hours(&mut tx, BATCH).await?;
    reached("housekeeping.hourly_rollups.before_commit");
    tx.commit().await?;
    reached("housekeeping.hourly_rollups.after_commit");
    Ok(Step::after(hours, BATCH))
}
