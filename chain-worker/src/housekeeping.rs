//! Background work of chain workers, one worker at a time: repair, search index, rollups, retention.

mod background_throttle;
mod hourly_rollups;
mod repair;
mod retention;
mod schedule;
mod search;
mod session_rollups;
mod traits;
mod usage;

use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use sqlx::{PgPool, Postgres, Transaction};
use tarsy_config::AlertMasker;
use tarsy_model::chain_queue;
use tarsy_queue::{Waker, within};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

pub(crate) use background_throttle::BackgroundThrottle;
pub use repair::repair;
pub use retention::{RetentionPolicy, prune};
pub use schedule::fail_unschedulable;

use crate::Error;
use crate::setup::ChainSetup;

/// Time between two looks at stranded sessions.
const REPAIR_EVERY: Duration = Duration::from_secs(15);
/// Time from the start to the first pruning: a process that is restarted every minute prunes too.
const FIRST_PRUNE: Duration = Duration::from_secs(10);
/// Time between two looks at what is not searchable yet.
const INDEX_EVERY: Duration = Duration::from_secs(1);
/// Time between two looks at what had been too late for that.
const INDEX_LATE_EVERY: Duration = Duration::from_secs(30);
/// Time between two walks through all documents for those of older versions: older workers may still write some.
const REWRITE_EVERY: Duration = Duration::from_secs(24 * 3_600);
/// Time between two looks at sessions that ended, for what lists show of them.
const SESSION_ROLLUPS_EVERY: Duration = Duration::from_secs(1);
/// Time between two looks at new sessions, for what lists are filtered by.
const TRAITS_EVERY: Duration = Duration::from_secs(1);
/// Time between two looks at sessions that ended, for what they used.
const USAGE_EVERY: Duration = Duration::from_secs(1);
/// Time between two looks at hours that are over.
const HOURLY_ROLLUPS_EVERY: Duration = Duration::from_secs(60);

/// Longest time for one piece of work, its rests included: one that takes longer is on a dead connection.
const DEADLINE: Duration = Duration::from_secs(300);

/// Runs all background work until `stop` fires. Errors of Postgres are logged and retried.
pub(crate) async fn run(
    pool: &PgPool,
    waker: &Waker,
    setup: &watch::Receiver<Arc<ChainSetup>>,
    schedule_timeout: Duration,
    throttle: &BackgroundThrottle,
    stop: &CancellationToken,
) {
    let repairing = boxed(move || async move {
        let mut after = 0;
        loop {
            pause(REPAIR_EVERY).await;
            match within(DEADLINE, repair(pool, after)).await {
                Ok((repaired, next)) => {
                    after = next.unwrap_or(0);
                    if repaired > 0 {
                        tracing::warn!(
                            repaired,
                            "enqueued missing jobs of live sessions; rows may have been changed by hand"
                        );
                        waker.wake(chain_queue());
                    }
                }
                Err(error) => complain("the repair of sessions", &error),
            }
        }
    });
    let indexing = boxed(move || async move {
        loop {
            pause(INDEX_EVERY).await;
            let masker = masker_of(setup);
            if let Err(error) = within(DEADLINE, search::index(pool, &masker, throttle)).await {
                complain("search indexing", &error);
            }
        }
    });
    let indexing_late = boxed(move || async move {
        loop {
            let masker = masker_of(setup);
            if let Err(error) = within(DEADLINE, search::index_late(pool, &masker)).await {
                complain("late search indexing", &error);
            }
            pause(INDEX_LATE_EVERY).await;
        }
    });
    let rewriting = boxed(move || async move {
        let mut after = Uuid::nil();
        loop {
            pause(INDEX_EVERY).await;
            let masker = masker_of(setup);
            match within(
                DEADLINE,
                search::rewrite_outdated(pool, &masker, throttle, after),
            )
            .await
            {
                Ok(Some(next)) => after = next,
                Ok(None) => {
                    after = Uuid::nil();
                    pause(REWRITE_EVERY).await;
                }
                Err(error) => complain("rewriting search documents", &error),
            }
        }
    });
    let rolling_up_sessions = boxed(move || async move {
        loop {
            pause(SESSION_ROLLUPS_EVERY).await;
            if let Err(error) = within(DEADLINE, session_rollups::roll_up(pool, throttle)).await {
                complain("rolling up ended sessions", &error);
            }
        }
    });
    let settling = boxed(move || async move {
        loop {
            pause(TRAITS_EVERY).await;
            if let Err(error) = traits::settle(pool, throttle).await {
                complain("writing session traits", &error);
            }
        }
    });
    let settling_late = boxed(move || async move {
        loop {
            pause(INDEX_LATE_EVERY).await;
            if let Err(error) = traits::settle_late(pool).await {
                complain("writing late session traits", &error);
            }
        }
    });
    let counting_usage = boxed(move || async move {
        loop {
            pause(USAGE_EVERY).await;
            if let Err(error) = within(DEADLINE, usage::count(pool, throttle)).await {
                complain("counting usage", &error);
            }
        }
    });
    let counting_late_usage = boxed(move || async move {
        loop {
            pause(INDEX_LATE_EVERY).await;
            if let Err(error) = within(DEADLINE, usage::count_late(pool)).await {
                complain("counting late usage", &error);
            }
        }
    });
    let rolling_up_hours = boxed(move || async move {
        loop {
            if let Err(error) = within(DEADLINE, hourly_rollups::roll_up(pool)).await {
                complain("rolling up hours", &error);
            }
            pause(HOURLY_ROLLUPS_EVERY).await;
        }
    });
    let pruning = boxed(move || async move {
        let mut wait = FIRST_PRUNE;
        loop {
            pause(wait).await;
            wait = tarsy_store::PRUNE_INTERVAL;
            let policy = setup.borrow().retention;
            match within(DEADLINE, prune(pool, &policy)).await {
                Ok(pruned) if pruned > 0 => {
                    tracing::info!(pruned, "deleted expired rows");
                }
                Ok(_) => {}
                Err(error) => complain("retention", &error),
            }
        }
    });
    let scheduling = boxed(move || async move {
        loop {
            let started = Instant::now();
            match fail_unschedulable(pool, schedule_timeout).await {
                Ok(failed) if failed > 0 => {
                    tracing::warn!(
                        failed,
                        "failed stages that no worker could run within their schedule timeout"
                    );
                    waker.wake(chain_queue());
                    waker.wake_watchers();
                }
                Ok(_) => {}
                Err(error) => complain("failing unschedulable stages", &error),
            }
            pause(schedule::pause_after(started)).await;
        }
    });
    tokio::select! {
        () = stop.cancelled() => {}
        () = async {
            tokio::join!(
                repairing, indexing, indexing_late, rewriting, rolling_up_sessions, settling, settling_late,
                counting_usage, counting_late_usage, rolling_up_hours, pruning, scheduling
            );
        } => {}
    }
}

/// The masker of the configuration as it is now.
fn masker_of(setup: &watch::Receiver<Arc<ChainSetup>>) -> AlertMasker {
    setup.borrow().masker.clone()
}

/// A loop of background work.
type Work<'a> = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

/// Makes a future on the heap. Ten of them side by side in one stack frame overflow the stack of a thread in a release build.
#[inline(never)]
fn boxed<'a, F: Future<Output = ()> + Send + 'a>(make: impl FnOnce() -> F) -> Work<'a> {
    Box::pin(make())
}

/// Jittered, so that several workers spread out.
async fn pause(time: Duration) {
    tokio::time::sleep(time.mul_f64(rand::random_range(0.7..=1.3))).await;
}

fn complain(what: &str, error: &Error) {
    tracing::warn!(?error, "{what} failed; retrying");
}

/// Background work that one worker at a time does; the number is its advisory lock.
#[derive(Clone, Copy)]
enum Duty {
    Repair = 0x7461_7201,
    Index = 0x7461_7202,
    Prune = 0x7461_7203,
    HourlyRollups = 0x7461_7204,
    SessionRollups = 0x7461_7205,
    Schedule = 0x7461_7206,
    Traits = 0x7461_7207,
    Usage = 0x7461_7208,
}

/// Begin a transaction of this duty; `None` while another worker is at it.
async fn begin(pool: &PgPool, duty: Duty) -> Result<Option<Transaction<'static, Postgres>>, Error> {
    let mut tx = pool.begin().await?;
    let lock = duty as i64;
    let free = sqlx::query_scalar!(r#"select pg_try_advisory_xact_lock($1) as "free!""#, lock)
        .fetch_one(&mut *tx)
        .await?;
    Ok(free.then_some(tx))
}
