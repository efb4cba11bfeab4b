//! Deletes expired rows, in small batches.

use std::time::Duration;

use sqlx::PgPool;
use tarsy_config::Retention;
use tarsy_failpoint::reached;

use crate::Error;
use crate::housekeeping::{Duty, begin};

/// Sessions deleted in one transaction.
const SESSIONS: i64 = 200;
/// Events or interactions deleted in one transaction.
const ROWS: i64 = 5_000;
/// How long the sums of usage are kept, whatever becomes of their sessions: a year and a month to compare with.
const USAGE: Duration = Duration::from_secs(400 * 24 * 3_600);
/// Transactions of one run.
const MOST: usize = 100;

/// What is kept, and for how long.
#[derive(Clone, Copy, Debug)]
pub struct RetentionPolicy {
    /// Ended sessions with all they hold, and rejected alerts (`HISTORY_RETENTION_DAYS`).
    pub sessions: Duration,
    /// Events that reconnecting sockets can catch up on.
    pub events: Duration,
    /// Whether interactions outlive their session (`HISTORY_ENABLED`).
    pub interactions: bool,
}

impl RetentionPolicy {
    /// The configured policy.
    #[must_use]
    pub const fn of(retention: &Retention, history_enabled: bool) -> Self {
        Self {
            sessions: retention.history,
            events: retention.events,
            interactions: history_enabled,
        }
    }
}

/// Deletes expired rows, one batch after another. Returns how many.
///
/// # Errors
///
/// [`Error`]; the batches before it stay deleted.
pub async fn prune(pool: &PgPool, policy: &RetentionPolicy) -> Result<u64, Error> {
    let mut pruned = 0;
    for _ in 0..MOST {
        let Some(mut tx) = begin(pool, Duty::Prune).await? else {
            return Ok(pruned);
        };
        let sessions = tarsy_store::prune_sessions(&mut tx, policy.sessions, SESSIONS).await?;
        let events = tarsy_store::prune_events(&mut tx, policy.events, ROWS).await?;
        let rejections = tarsy_store::prune_rejections(&mut tx, policy.sessions, ROWS).await?;
        let interactions = match policy.interactions {
            true => 0,
            false => tarsy_store::drop_ended_interactions(&mut tx, ROWS).await?,
        };
        let usage = tarsy_store::prune_usage(&mut tx, USAGE, ROWS).await?;
        reached("housekeeping.prune.before_commit");
        tx.commit().await?;
        reached("housekeeping.prune.after_commit");
        pruned += sessions + events + rejections + interactions + usage;
        let full = sessions >= SESSIONS.unsigned_abs()
            || events >= ROWS.unsigned_abs()
            || rejections >= ROWS.unsigned_abs()
            || interactions >= ROWS.unsigned_abs()
            || usage >= ROWS.unsigned_abs();
        if !full {
            break;
        }
    }
    Ok(pruned)
}
