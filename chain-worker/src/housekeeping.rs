//! Background work of chain workers, one worker at a time: repair, search index, rollups, retention. The table of
//! duties is [`duty::DUTIES`].

mod background_throttle;
mod duty;
mod hourly_rollups;
mod incidents;
mod keeper;
mod repair;
mod retention;
mod schedule;
mod scores;
mod search;
mod session_rollups;
mod traits;
mod usage;

use std::sync::atomic::AtomicI64;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::join_all;
use sqlx::{PgPool, Postgres, Transaction};
use tarsy_queue::Waker;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use self::duty::DUTIES;
use self::keeper::Keeper;
pub(crate) use background_throttle::BackgroundThrottle;
pub use repair::repair;
pub use retention::{RetentionPolicy, prune};
pub use schedule::fail_unschedulable;

use crate::Error;
use crate::setup::ChainSetup;

/// Performs all duties until `stop` fires. Errors of Postgres are logged and retried.
pub(crate) async fn run(
    pool: &PgPool,
    waker: &Waker,
    setup: &watch::Receiver<Arc<ChainSetup>>,
    schedule_timeout: Duration,
    throttle: &BackgroundThrottle,
    stop: &CancellationToken,
) {
    let keeper = Keeper {
        pool,
        waker,
        setup,
        schedule_timeout,
        throttle,
        repaired_until: AtomicI64::new(0),
        rewritten_until: Mutex::new(Uuid::nil()),
    };
    for duty in &DUTIES {
        tarsy_metrics::housekeeping::started(duty.name, duty.longest_age());
    }
    let loops = DUTIES.iter().map(|duty| keeper.perform(duty).boxed());
    stop.run_until_cancelled(join_all(loops)).await;
}

/// Work that only one worker does at a time. The number is the key of an advisory lock.
#[derive(Clone, Copy)]
enum Turn {
    Repair = 0x7461_7201,
    Index = 0x7461_7202,
    Prune = 0x7461_7203,
    HourlyRollups = 0x7461_7204,
    SessionRollups = 0x7461_7205,
    Schedule = 0x7461_7206,
    Traits = 0x7461_7207,
    Usage = 0x7461_7208,
    Scores = 0x7461_7209,
    /// Operators' actions on incidents take this lock too.
    Incidents = tarsy_store::incidents::INCIDENTS_LOCK as isize,
}

/// Begins a transaction that holds the lock of this turn. Returns `None` while another worker holds it.
async fn begin(pool: &PgPool, turn: Turn) -> Result<Option<Transaction<'static, Postgres>>, Error> {
    let mut tx = pool.begin().await?;
    let lock = turn as i64;
    let free = sqlx::query_scalar!(r#"select pg_try_advisory_xact_lock($1) as "free!""#, lock)
        .fetch_one(&mut *tx)
        .await?;
    Ok(free.then_some(tx))
}
