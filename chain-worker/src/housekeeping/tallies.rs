//! Keeping what lists show of ended sessions behind their ends.

use std::time::Duration;

use sqlx::PgPool;
use tarsy_failpoint::reached;

use crate::Error;
use crate::housekeeping::pace::Pace;
use crate::housekeeping::{Duty, begin};

/// Sessions of one transaction.
const BATCH: i64 = 500;
/// Transactions of one look, so that another worker gets a turn.
const MOST: usize = 50;
/// What ended later is left for the next look.
const SETTLE: Duration = Duration::from_secs(1);

/// Tally the sessions that ended until there are none.
pub(crate) async fn tally(pool: &PgPool, pace: &Pace) -> Result<(), Error> {
    for _ in 0..MOST {
        let turn = pace.turn();
        let Some(mut tx) = begin(pool, Duty::Tally).await? else {
            return Ok(());
        };
        let tallied = tarsy_store::tally_ended_sessions(&mut tx, BATCH, SETTLE).await?;
        reached("housekeeping.tally.before_commit");
        tx.commit().await?;
        reached("housekeeping.tally.after_commit");
        if tallied < BATCH.unsigned_abs() {
            return Ok(());
        }
        turn.rest().await;
    }
    Ok(())
}
