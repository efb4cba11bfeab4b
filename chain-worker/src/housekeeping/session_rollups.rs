//! Writes the counts and sums of ended sessions that lists show.

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

/// Rolls up the sessions that have ended.
pub(super) async fn roll_up(pool: &PgPool) -> Result<Step, Error> {
    let Some(mut tx) = begin(pool, Turn::SessionRollups).await? else {
        return Ok(Step::TakenElsewhere);
    };
    let rolled_up = tarsy_store::history::tally_ended_sessions(&mut tx, BATCH, MIN_AGE).await?;
    reached("housekeeping.session_rollups.before_commit");
    tx.commit().await?;
    reached("housekeeping.session_rollups.after_commit");
    Ok(Step::after(rolled_up, BATCH))
}
