//! Keeping what can be searched behind what was written.

use sqlx::PgPool;

use crate::Error;
use crate::housekeeping::{Duty, begin};

/// Sessions read in one transaction.
const BATCH: i64 = 200;
/// Transactions of one look, so that another worker gets a turn.
const MOST: usize = 50;

/// Read new and newly ended sessions into the search table until there are none.
pub(crate) async fn index(pool: &PgPool) -> Result<(), Error> {
    for _ in 0..MOST {
        let Some(mut tx) = begin(pool, Duty::Index).await? else {
            return Ok(());
        };
        let read = tarsy_store::index_for_search(&mut tx, BATCH).await?;
        tx.commit().await?;
        if read < BATCH.unsigned_abs() {
            return Ok(());
        }
    }
    Ok(())
}
