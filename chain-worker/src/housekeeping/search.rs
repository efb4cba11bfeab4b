//! Keeping what can be searched behind what was written.

use std::time::Duration;

use sqlx::PgPool;
use tarsy_failpoint::reached;

use crate::Error;
use crate::housekeeping::pace::Pace;
use crate::housekeeping::{Duty, begin};

/// Sessions read in one transaction.
const BATCH: i64 = 200;
/// Transactions of one look, so that another worker gets a turn.
const MOST: usize = 50;
/// What is younger is left for the next look.
const SETTLE: Duration = Duration::from_secs(1);

/// Read new and newly ended sessions into the search table until there are none.
pub(crate) async fn index(pool: &PgPool, pace: &Pace) -> Result<(), Error> {
    for _ in 0..MOST {
        let turn = pace.turn();
        let Some(mut tx) = begin(pool, Duty::Index).await? else {
            return Ok(());
        };
        let read = tarsy_store::index_for_search(&mut tx, BATCH, SETTLE).await?;
        reached("housekeeping.index.before_commit");
        tx.commit().await?;
        reached("housekeeping.index.after_commit");
        if read < BATCH.unsigned_abs() {
            return Ok(());
        }
        turn.rest().await;
    }
    Ok(())
}

/// Read what committed so late that [`index`] had passed it.
pub(crate) async fn index_late(pool: &PgPool) -> Result<(), Error> {
    if let Some(mut tx) = begin(pool, Duty::Index).await? {
        let late = tarsy_store::index_late_for_search(&mut tx, BATCH).await?;
        reached("housekeeping.index_late.before_commit");
        tx.commit().await?;
        reached("housekeeping.index_late.after_commit");
        tracing::debug!(late, "looked for sessions that were late for search");
    }
    Ok(())
}
