//! Scores the sessions that have ended.

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

pub(super) async fn score(pool: &PgPool) -> Result<Step, Error> {
    let Some(mut tx) = begin(pool, Turn::Scores).await? else {
        return Ok(Step::TakenElsewhere);
    };
    let scored = tarsy_store::quality::score_ended_sessions(&mut tx, BATCH, MIN_AGE).await?;
    reached("housekeeping.scores.before_commit");
    tx.commit().await?;
    reached("housekeeping.scores.after_commit");
    Ok(Step::after(scored, BATCH))
}
