//! Writes session traits, which lists are filtered by.

use std::time::Duration;

use sqlx::PgPool;
use tarsy_failpoint::reached;

use crate::Error;
use crate::housekeeping::duty::Step;
use crate::housekeeping::{Turn, begin};

/// Maximum number of sessions per transaction.
const BATCH: i64 = 500;
/// Younger sessions are left for the next run.
const MIN_AGE: Duration = Duration::from_secs(1);

/// Writes the traits of new sessions.
pub(super) async fn write_new(pool: &PgPool) -> Result<Step, Error> {
    let Some(mut tx) = begin(pool, Turn::Traits).await? else {
        return Ok(Step::TakenElsewhere);
    };
    let written = tarsy_store::history::write_session_traits(&mut tx, BATCH, MIN_AGE).await?;
    reached("housekeeping.traits.before_commit");
    tx.commit().await?;
    reached("housekeeping.traits.after_commit");
    Ok(Step::after(written, BATCH))
}

/// Writes the traits of sessions that committed after [`write_new`] had passed them. Deletes the traits of deleted
/// sessions.
pub(super) async fn write_late(pool: &PgPool) -> Result<Step, Error> {
    let Some(mut tx) = begin(pool, Turn::Traits).await? else {
        return Ok(Step::TakenElsewhere);
    };
    let late = tarsy_store::history::late_session_traits(&mut tx, BATCH).await?;
    let pruned = tarsy_store::history::prune_session_traits(&mut tx, BATCH).await?;
    reached("housekeeping.traits_late.before_commit");
    tx.commit().await?;
    reached("housekeeping.traits_late.after_commit");
    tracing::debug!(late, pruned, "wrote late session traits");
    Ok(Step::after(late, BATCH))
}
