//! The claim loop: one per process, it takes jobs when there are free slots and a reason.

use std::sync::Arc;
use std::time::Duration;

use rand::Rng as _;
use sqlx::postgres::PgConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _, PgConnection};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

use crate::backoff::Backoff;
use crate::claim::{Claimed, claim, promote, release_strays};
use crate::plans::steady_plans;
use crate::sweep::free_expired;
use crate::worker::shared::Shared;
use crate::worker::stop::StopSignal;

/// A claimed job on its way to a handler, with the slot it occupies.
pub(crate) struct Delivery {
    pub(crate) claimed: Claimed,
    pub(crate) stop: StopSignal,
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

/// Why the loop looks for work.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reason {
    /// The last claim came back full.
    More,
    /// A wake-up, or the re-check after one.
    Woken,
    Recheck,
    /// The net: also promotes scheduled jobs and frees expired ones of these queues.
    Poll,
}

/// Claim until the worker drains; then drop the sender, which ends the backend's stream.
pub(crate) async fn run(
    shared: Arc<Shared>,
    direct: PgConnectOptions,
    jobs: mpsc::UnboundedSender<Delivery>,
) {
    let slots = Arc::new(Semaphore::new(shared.settings.slots));
    let mut failures = 0;
    while !shared.drain.is_cancelled() {
        let session = async {
            let mut conn = connect(&shared, &direct).await?;
            claim_until_drained(&shared, &mut conn, &slots, &jobs, &mut failures).await?;
            conn.close().await
        };
        let Err(error) = session.await else { return };
        shared.polled(false);
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
        let (known, _) = shared.in_flight.claims();
        let strays = release_strays(&mut conn, shared.owner, &known).await?;
        if strays > 0 {
            tracing::info!(strays, "gave back jobs whose claim was lost on the way");
        }
        Ok(conn)
    };
    timed(work).await
}

async fn claim_until_drained(
    shared: &Arc<Shared>,
    conn: &mut PgConnection,
    slots: &Arc<Semaphore>,
    jobs: &mpsc::UnboundedSender<Delivery>,
    failures: &mut u32,
) -> Result<(), sqlx::Error> {
    let mut next = Reason::Poll;
    loop {
        let Some(first) = shared
            .drain
            .run_until_cancelled(Arc::clone(slots).acquire_owned())
            .await
        else {
            return Ok(());
        };
        let Ok(first) = first else { return Ok(()) };
        let reason = match next {
            Reason::More | Reason::Poll => next,
            Reason::Woken | Reason::Recheck => match wait(shared, next).await {
                Some(reason) => reason,
                None => return Ok(()),
            },
        };
        if shared.lease.is_stale() {
            // Nothing may be claimed that can't be renewed.
            tokio::time::sleep(RECHECK).await;
            next = Reason::Poll;
            continue;
        }
        if reason == Reason::Poll {
            timed(tick(shared, conn)).await?;
        }
        let permits = take_permits(slots, first);
        let wanted = permits.len();
        let limit = i64::try_from(wanted).unwrap_or(i64::MAX);
        let (owner, ttl) = (shared.owner, shared.settings.lease_ttl);
        let queues = &shared.settings.queues;
        let claimed = timed(claim(&mut *conn, owner, queues, limit, ttl)).await?;
        *failures = 0;
        shared.polled(true);

        next = match (claimed.len(), reason) {
            (n, _) if n == wanted => Reason::More,
            (0, Reason::Woken) => Reason::Recheck,
            _ => Reason::Woken,
        };
        deliver(shared, jobs, claimed, permits);
    }
}

/// Wait for a reason to look; `None` if the worker drains.
async fn wait(shared: &Shared, next: Reason) -> Option<Reason> {
    let (pause, then) = match next {
        Reason::Recheck => (RECHECK, Reason::Recheck),
        _ => (
            shared
                .settings
                .poll
                .mul_f64(rand::rng().random_range(0.4..1.0)),
            Reason::Poll,
        ),
    };
    tokio::select! {
        biased;
        () = shared.drain.cancelled() => None,
        () = shared.wake.notified() => Some(Reason::Woken),
        () = tokio::time::sleep(pause) => Some(then),
    }
}

/// What a poll does besides claiming, so that no queue depends on a sweeper elsewhere.
async fn tick(shared: &Shared, conn: &mut PgConnection) -> Result<(), sqlx::Error> {
    let queues = Some(shared.settings.queues.as_slice());
    let promoted = promote(&mut *conn, queues).await?;
    let freed = free_expired(&mut *conn, queues).await?;
    // This worker claims right after; others may have free slots for the rest.
    let others = promoted
        .into_iter()
        .chain(freed.into_iter().map(|job| job.queue));
    others.for_each(|queue| shared.waker.wake(&queue));
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
