//! Groups sessions into incidents.

use std::time::Duration;

use sqlx::PgPool;
use tarsy_failpoint::reached;

use crate::Error;
use crate::housekeeping::duty::Step;
use crate::housekeeping::{Turn, begin};

/// Maximum number of started and of ended sessions per transaction.
const BATCH: i64 = 500;
/// Younger sessions are left for the next run.
const MIN_AGE: Duration = Duration::from_secs(1);

/// Groups sessions that have started and sessions that have ended.
pub(super) async fn group(pool: &PgPool) -> Result<Step, Error> {
    let Some(mut tx) = begin(pool, Turn::Incidents).await? else {
        return Ok(Step::TakenElsewhere);
    };
    let started = tarsy_store::incidents::group_started_sessions(&mut tx, BATCH, MIN_AGE).await?;
    let ended = tarsy_store::incidents::group_ended_sessions(&mut tx, BATCH, MIN_AGE).await?;
    reached("housekeeping.incidents.before_commit");
    tx.commit().await?;
    reached("housekeeping.incidents.after_commit");
    Ok(Step::after(started.max(ended), BATCH))
}

/// Groups sessions that committed after [`group`] had passed them.
pub(super) async fn group_late(pool: &PgPool) -> Result<Step, Error> {
    let Some(mut tx) = begin(pool, Turn::Incidents).await? else {
        return Ok(Step::TakenElsewhere);
    };
    let late = tarsy_store::incidents::group_late_sessions(&mut tx, BATCH).await?;
    reached("housekeeping.incidents_late.before_commit");
    tx.commit().await?;
    reached("housekeeping.incidents_late.after_commit");
    tracing::debug!(late, "grouped late sessions into incidents");
    Ok(Step::after(late, BATCH))
}
