//! The claim loop: one per process, it takes jobs when there are free slots and a reason.

use std::any::Any;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rand::Rng as _;
use sqlx::postgres::PgConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _, PgConnection};
use tarsy_failpoint::reached;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

use crate::backoff::Backoff;
use crate::claim::{Claimed, claim, first_claimable, promote, release_strays};
use crate::plans::steady_plans;
use crate::sparing::Sparing;
use crate::sweep::{EXPIRY_SHARE, free_expired};
use crate::worker::reach::Reach;
use crate::worker::shared::Shared;
use crate::worker::stop::StopSignal;

/// A claimed job on its way to a handler, with the slot it occupies.
pub(crate) struct Delivery {
    pub(crate) claimed: Claimed,
    pub(crate) stop: StopSignal,
    /// What the job before it in its slot hands to its handler.
    pub(crate) handed: Option<Arc<dyn Any + Send + Sync>>,
    /// Taken by the layer that settles the job, which keeps it until then.
    pub(crate) permit: Option<OwnedSemaphorePermit>,
}

/// A claim statement that takes longer than this is on a dead connection.
const STATEMENT_TIMEOUT: Duration = Duration::from_secs(5);
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
    direct: &PgConnectOptions,
    slots: &Arc<Semaphore>,
    jobs: &mpsc::UnboundedSender<Delivery>,
) {
    let mut failures = 0;
    while !shared.drain.is_cancelled() {
        let session = async {
            let mut conn = connect(shared, direct).await?;
            claim_until_drained(shared, &mut conn, slots, jobs, &mut failures).await?;
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
async fn connect(shared: &Shared, direct: &PgConnectOptions) -> Result<PgConnection, sqlx::Error> {
    let options = steady_plans(direct.clone())
        .application_name(&format!("{} claim", shared.settings.role))
        .options([("synchronous_commit", "off")]);
    let work = async {
        let mut conn = options.connect().await?;
        // A claim whose reply was lost with the last connection is not known here.
        give_strays_back(shared, &mut conn).await?;
        Ok(conn)
    };
    timed(work).await
}

/// Also wakes others: this worker may have no slot for them.
async fn give_strays_back(shared: &Shared, conn: &mut PgConnection) -> Result<(), sqlx::Error> {
    let knows = |id| shared.in_flight.knows(id);
    let strays = release_strays(conn, shared.owner, knows).await?;
    if !strays.is_empty() {
        let jobs = strays.len();
        tracing::info!(jobs, "gave back jobs whose claim was lost on the way");
    }
    strays
        .iter()
        .for_each(|queue| shared.waker.wake_for_returned(queue));
    Ok(())
}

async fn claim_until_drained(
    shared: &Arc<Shared>,
    conn: &mut PgConnection,
    slots: &Arc<Semaphore>,
    jobs: &mpsc::UnboundedSender<Delivery>,
    failures: &mut u32,
) -> Result<(), sqlx::Error> {
    let mut next = Next::Poll;
    let mut sweeps = Sparing::new(EXPIRY_SHARE);
    let mut reach = Reach::default();
    loop {
        let free = Arc::clone(slots).acquire_owned();
        let Some(Ok(first)) = shared.drain.run_until_cancelled(free).await else {
            return Ok(());
        };
        let woken = match next {
            Next::Claim | Next::Poll => false,
            Next::Wait | Next::Recheck => match wait(shared, &mut next).await {
                Some(woken) => woken,
                None => return Ok(()),
            },
        };
        if shared.lease.is_stale() {
            // Nothing may be claimed that can't be renewed.
            tokio::time::sleep(RECHECK).await;
            next = Next::Poll;
            continue;
        }
        if shared.in_flight.misses_any(shared.settings.lease_ttl) {
            timed(give_strays_back(shared, conn)).await?;
        }
        if next == Next::Poll {
            timed(tick(shared, conn, &mut sweeps)).await?;
        } else if next == Next::Claim && slots.available_permits() + 1 < shared.settings.slots / 4 {
            tokio::time::sleep(GATHER).await;
        }
        let permits = take_permits(slots, first);
        let wanted = permits.len();
        let limit = i64::try_from(wanted).unwrap_or(i64::MAX);
        let (owner, ttl) = (shared.owner, shared.settings.lease_ttl);
        let started = Instant::now();
        let from_front =
            shared.bell.take_returned() || reach.is_front_due(next != Next::Claim, started);
        let lanes = reach.lanes(&shared.settings.queues, from_front);
        let holds_suspect = shared.in_flight.holds_suspect();
        let offers = shared.settings.offers.as_deref();
        let claiming = claim(&mut *conn, owner, &lanes, limit, ttl, holds_suspect, offers);
        let claimed = timed(claiming).await?;
        let took = started.elapsed();
        reach.claimed(&claimed, from_front, started);
        if !claimed.is_empty() {
            reached("queue.claim.after_commit");
        }
        *failures = 0;
        shared.health.claimed(true);

        next = match claimed.len() {
            n if n == wanted => Next::Claim,
            // Others like it stood before the rest.
            _ if claimed.iter().any(Claimed::is_suspect) => Next::Claim,
            0 if woken => Next::Recheck,
            _ => Next::Wait,
        };
        deliver(shared, jobs, claimed, permits);
        if let Some(offers) = offers
            && reach.is_skip_due(took, Instant::now())
        {
            let started = Instant::now();
            let lanes = reach.lanes(&shared.settings.queues, false);
            let firsts = timed(first_claimable(&mut *conn, &lanes, offers)).await?;
            reach.skipped(&firsts, started);
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
    sweeps: &mut Sparing,
) -> Result<(), sqlx::Error> {
    let queues = Some(shared.settings.queues.as_slice());
    let promoted = promote(&mut *conn, queues).await?;
    let mut freed = Vec::new();
    let now = Instant::now();
    if sweeps.is_due(SWEEP, now) {
        freed = free_expired(&mut *conn, queues).await?;
        sweeps.done(now);
    }
    // This worker claims right after; others may have free slots for the rest.
    let others = promoted
        .into_iter()
        .chain(freed.into_iter().map(|job| job.queue));
    others.for_each(|queue| shared.waker.wake_for_returned(&queue));
    Ok(())
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
            handed: None,
            permit: Some(permit),
        };
        // Fails only if apalis has ended, which it does after this loop.
        let _ = jobs.send(delivery);
    }
}

async fn timed<T>(work: impl Future<Output = Result<T, sqlx::Error>>) -> Result<T, sqlx::Error> {
    match tokio::time::timeout(STATEMENT_TIMEOUT, work).await {
        Ok(result) => result,
        Err(_) => Err(sqlx::Error::PoolTimedOut),
    }
}
