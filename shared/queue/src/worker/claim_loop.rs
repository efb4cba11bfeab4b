//! The claim loop: one per process, it takes jobs when there are free slots and a reason.

use std::any::Any;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rand::Rng as _;
use sqlx::{Connection as _, PgConnection};
use tarsy_failpoint::reached;
use tarsy_postgres::{Moves, Primary};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

use crate::backoff::Backoff;
use crate::claim::{Claimed, Suspects, claim, first_claimable, promote, release_orphaned_claims};
use crate::cost_throttle::CostThrottle;
use crate::deadline::within_deadline;
use crate::loop_clock::LoopClock;
use crate::plans::steady_plans;
use crate::session_name;
use crate::shortage::current_shortage;
use crate::sweep::{EXPIRY_SHARE, GRACE, Lost, free};
use crate::worker::claim_cursor::ClaimCursor;
use crate::worker::isolation::{Isolation, deliver_alone};
use crate::worker::shared::Shared;
use crate::worker::stop::StopSignal;

/// A claimed job on its way to a handler, with the slot it occupies.
pub(crate) struct Delivery {
    pub(crate) claimed: Claimed,
    pub(crate) stop: StopSignal,
    /// What the job before it in its slot hands to its handler.
    pub(crate) prefetched: Option<Arc<dyn Any + Send + Sync>>,
    /// Taken by the layer that settles the job, which keeps it until then.
    pub(crate) permit: Option<OwnedSemaphorePermit>,
}

/// Re-check after a wake-up that found nothing: what it announced may have been locked by
/// another worker's choice for a moment.
const RECHECK: Duration = Duration::from_millis(10);
/// Largest claim; more gains nothing and locks longer.
const MAX_CLAIM: usize = 256;

/// Time between two looks for expired jobs of these queues.
const SWEEP: Duration = Duration::from_secs(1);
/// How long a saturated worker lets slots gather before it claims again, so that it does
/// not claim its jobs one by one.
const GATHER: Duration = Duration::from_millis(1);

/// What the loop does next, once a slot is free.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    /// The last claim came back full: there may be more.
    Claim,
    /// Look without having been woken, with the chores of [`tick`].
    Poll,
    /// Wait for a wake-up, or for the next poll.
    Wait,
    /// A wake-up found nothing: look once more after [`RECHECK`].
    Recheck,
}

/// Claim until the worker drains. Its sender is dropped then, which ends the backend's stream.
pub(crate) async fn run(
    shared: &Arc<Shared>,
    direct: &Primary,
    jobs: &mpsc::UnboundedSender<Delivery>,
) {
    let (slots, mut failures) = (&shared.slots, 0);
    while !shared.drain.is_cancelled() {
        let session = async {
            let mut moves = direct.moves();
            let mut conn = connect(shared, direct).await?;
            claim_until_drained(shared, &mut conn, &mut moves, slots, jobs, &mut failures).await?;
            conn.close().await
        };
        let Err(error) = session.await else { return };
        shared.health.claimed(false);
        tracing::debug!(?error, "claim connection lost");
        let pause = tokio::time::sleep(Backoff::CONNECTION.delay(failures));
        failures = failures.saturating_add(1).min(16);
        let _ = shared.drain.run_until_cancelled(pause).await;
    }
}

/// A connection for claims only.
///
/// `synchronous_commit` off: a claim need not survive a Postgres crash. If it is undone, the
/// job is ready again and a new claim has another owner (or is this one, see
/// [`InFlight::insert`](crate::worker::in_flight::InFlight::insert)); what the first had
/// recorded was committed synchronously after the claim, and so made it durable too.
async fn connect(shared: &Shared, direct: &Primary) -> Result<PgConnection, sqlx::Error> {
    let options = steady_plans(direct.options())
        .application_name(&session_name(&shared.settings.role, "claim"))
        .options([("synchronous_commit", "off")]);
    let work = async {
        let mut conn = direct.connect(options).await?;
        // A claim whose reply was lost with the last connection is not known here.
        give_orphaned_claims_back(shared, &mut conn).await?;
        Ok(conn)
    };
    within_deadline(work).await
}

/// Also wakes others: this worker may have no slot for them.
async fn give_orphaned_claims_back(
    shared: &Shared,
    conn: &mut PgConnection,
) -> Result<(), sqlx::Error> {
    let knows = |id| shared.in_flight.knows(id);
    let orphaned = release_orphaned_claims(conn, shared.owner, knows).await?;
    if !orphaned.is_empty() {
        let jobs = orphaned.len();
        tracing::info!(jobs, "released jobs whose claim reply was lost");
    }
    orphaned
        .iter()
        .for_each(|queue| shared.waker.wake_for_returned(queue));
    Ok(())
}

async fn claim_until_drained(
    shared: &Arc<Shared>,
    conn: &mut PgConnection,
    moves: &mut Moves,
    slots: &Arc<Semaphore>,
    jobs: &mpsc::UnboundedSender<Delivery>,
    failures: &mut u32,
) -> Result<(), sqlx::Error> {
    let mut next = Next::Poll;
    let mut sweeps = Sweeps::new(shared.settings.poll);
    let mut cursor = ClaimCursor::default();
    let mut isolation = Isolation::new();
    let mut advertised = shared.settings.advertised.clone();
    loop {
        let free = Arc::clone(slots).acquire_owned();
        let Some(Ok(first)) = shared.drain.run_until_cancelled(free).await else {
            return Ok(());
        };
        if moves.has_moved() {
            return Err(sqlx::Error::PoolClosed);
        }
        let woken = match next {
            Next::Claim | Next::Poll => false,
            Next::Wait | Next::Recheck => match wait(shared, &mut next).await {
                Some(woken) => woken,
                None => return Ok(()),
            },
        };
        if shared.is_stale() {
            // Nothing may be claimed that can't be renewed. What can't be given back over the connections of
            // jobs is given back over this one.
            let pause = match shared.in_flight.misses_any(shared.settings.lease.expiry()) {
                true => {
                    within_deadline(give_orphaned_claims_back(shared, conn)).await?;
                    shared.settings.poll
                }
                false => RECHECK,
            };
            tokio::time::sleep(pause).await;
            next = Next::Poll;
            continue;
        }
        if shared.in_flight.misses_any(shared.settings.lease.expiry()) {
            within_deadline(give_orphaned_claims_back(shared, conn)).await?;
        }
        if current_shortage().is_some() {
            let pause = tokio::time::sleep(shared.settings.poll);
            let _ = shared.drain.run_until_cancelled(pause).await;
            next = Next::Poll;
            continue;
        }
        if next == Next::Poll {
            within_deadline(tick(shared, conn, &mut sweeps)).await?;
        } else if next == Next::Claim && slots.available_permits() + 1 < shared.settings.slots / 4 {
            tokio::time::sleep(GATHER).await;
        }
        let permits = take_permits(slots, first);
        let wanted = permits.len();
        let limit = i64::try_from(wanted).unwrap_or(i64::MAX);
        let (owner, ttl) = (shared.owner, shared.settings.lease.expiry());
        if advertised.has_changed().unwrap_or(false) {
            // Jobs that were passed over may be for this worker now.
            cursor = ClaimCursor::default();
        }
        let offers = advertised.borrow_and_update().offers.clone();
        let started = Instant::now();
        let takes = isolation.takes(shared.in_flight.is_empty(), started);
        let from_front = shared.bell.take_returned()
            || takes.from_front
            || cursor.is_front_due(next != Next::Claim, started);
        let lanes = cursor.lanes(&shared.settings.queues, from_front);
        let suspects = Suspects {
            taken: takes.suspects,
            lone_crashes: shared.settings.lone_crashes,
        };
        let offers = offers.as_deref();
        let claiming = claim(&mut *conn, owner, &lanes, limit, ttl, suspects, offers);
        let mut claimed = within_deadline(claiming).await?;
        let took = started.elapsed();
        cursor.claimed(&claimed, from_front, started);
        if !claimed.is_empty() {
            reached("queue.claim.after_commit");
        }
        *failures = 0;
        shared.health.claimed(true);

        next = match claimed.len() {
            n if n == wanted => Next::Claim,
            // It stood alone before the rest.
            _ if claimed.iter().any(|job| job.isolated) => Next::Claim,
            0 if woken || takes.passed_over => Next::Recheck,
            _ => Next::Wait,
        };
        match claimed.iter().position(|job| job.isolated) {
            Some(at) => {
                isolation.took_one();
                deliver_alone(shared, slots, jobs, claimed.swap_remove(at), permits).await;
            }
            None => deliver(shared, jobs, claimed, permits),
        }
        if let Some(offers) = offers
            && cursor.is_skip_due(took, Instant::now())
        {
            let started = Instant::now();
            let lanes = cursor.lanes(&shared.settings.queues, false);
            let firsts = within_deadline(first_claimable(&mut *conn, &lanes, offers)).await?;
            cursor.skipped(&firsts, started);
        }
    }
}

/// Wait for a reason to look, and note what to do then; whether it was a wake-up, or `None` if
/// the worker drains.
async fn wait(shared: &Shared, next: &mut Next) -> Option<bool> {
    let recheck = *next == Next::Recheck;
    let pause = match recheck {
        true => RECHECK,
        false => shared
            .settings
            .poll
            .mul_f64(rand::rng().random_range(0.4..1.0)),
    };
    tokio::select! {
        biased;
        () = shared.drain.cancelled() => None,
        () = shared.bell.rung() => Some(true),
        () = tokio::time::sleep(pause) => {
            if !recheck {
                *next = Next::Poll;
            }
            Some(false)
        }
    }
}

/// What a poll does besides claiming, so that no queue depends on a sweeper elsewhere.
async fn tick(
    shared: &Shared,
    conn: &mut PgConnection,
    sweeps: &mut Sweeps,
) -> Result<(), sqlx::Error> {
    let queues = Some(shared.settings.queues.as_slice());
    let promoted = promote(&mut *conn, queues).await?;
    let mut freed = Vec::new();
    let now = Instant::now();
    if sweeps.is_due(now) {
        freed = free(&mut *conn, Lost::Expired(queues)).await?;
        freed.iter().for_each(|_| tarsy_metrics::jobs::recovered());
        sweeps.throttle.done(now);
    }
    // This worker claims right after; others may have free slots for the rest.
    let others = promoted
        .into_iter()
        .chain(freed.into_iter().map(|job| job.queue));
    others.for_each(|queue| shared.waker.wake_for_returned(&queue));
    Ok(())
}

/// Looks for expired jobs over one connection: none in its first seconds, in which live workers renew what ran out
/// while Postgres was away.
struct Sweeps {
    clock: LoopClock,
    poll: Duration,
    throttle: CostThrottle,
}

impl Sweeps {
    fn new(poll: Duration) -> Self {
        Self {
            clock: LoopClock::new(Instant::now()),
            poll,
            throttle: CostThrottle::new(EXPIRY_SHARE),
        }
    }

    fn is_due(&mut self, now: Instant) -> bool {
        self.clock.advance(self.poll, now);
        self.clock.elapsed() >= GRACE && self.throttle.is_due(SWEEP, now)
    }
}

/// The first permit and whatever else is free now.
fn take_permits(slots: &Arc<Semaphore>, first: OwnedSemaphorePermit) -> Vec<OwnedSemaphorePermit> {
    let more = std::iter::from_fn(|| Arc::clone(slots).try_acquire_owned().ok());
    std::iter::once(first).chain(more).take(MAX_CLAIM).collect()
}

fn deliver(
    shared: &Shared,
    jobs: &mpsc::UnboundedSender<Delivery>,
    claimed: Vec<Claimed>,
    permits: Vec<OwnedSemaphorePermit>,
) {
    for (claimed, permit) in claimed.into_iter().zip(permits) {
        let Some(stop) = shared.in_flight.insert(&claimed) else {
            continue;
        };
        let delivery = Delivery {
            claimed,
            stop,
            prefetched: None,
            permit: Some(permit),
        };
        // Fails only if apalis has ended, which it does after this loop.
        let _ = jobs.send(delivery);
    }
}
