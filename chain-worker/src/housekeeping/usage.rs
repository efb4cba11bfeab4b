//! Sums up the usage of ended sessions.

use std::time::Duration;

use sqlx::PgPool;
use tarsy_failpoint::reached;

use crate::Error;
use crate::housekeeping::duty::Step;
use crate::housekeeping::{Turn, begin};

/// Maximum number of sessions per transaction.
const BATCH: i64 = 500;
/// Sessions that ended later are left for the next run.
const MIN_AGE: Duration = Duration::from_secs(1);

/// Counts the calls of the sessions that have ended.
pub(super) async fn count(pool: &PgPool) -> Result<Step, Error> {
    let Some(mut tx) = begin(pool, Turn::Usage).await? else {
        return Ok(Step::TakenElsewhere);
    };
    let counted = tarsy_store::usage::count_ended_usage(&mut tx, BATCH, MIN_AGE).await?;
    reached("housekeeping.usage.before_commit");
    tx.commit().await?;
    reached("housekeeping.usage.after_commit");
    Ok(Step::after(counted, BATCH))
}

/// Counts the calls of sessions that committed after [`count`] had passed them.
pub(super) async fn count_late(pool: &PgPool) -> Result<Step, Error> {
    let Some(mut tx) = begin(pool, Turn::Usage).await? else {
        return Ok(Step::TakenElsewhere);
    };
    let late = tarsy_store::usage::count_late_usage(&mut tx, BATCH).await?;
    reached("housekeeping.usage_late.before_commit");
    tx.commit().await?;
    reached("housekeeping.usage_late.after_commit");
    tracing::debug!(late, "counted the usage of late sessions");
    Ok(Step::after(late, BATCH))
}
