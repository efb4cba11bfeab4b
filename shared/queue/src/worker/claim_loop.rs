//! The claim loop, one per worker. It claims jobs when there are free slots and a reason to claim.
//!
//! A round waits for a slot and a reason ([`Rounds::reason`]), checks whether the worker may claim
//! ([`Rounds::may_claim`]), claims ([`Rounds::claim_once`]), and hands the jobs over ([`Rounds::deliver`]).

mod chores;

use std::any::Any;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rand::Rng as _;
use sqlx::{Connection as _, PgConnection};
use tarsy_failpoint::reached;
use tarsy_postgres::{Moves, Primary};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, watch};

use crate::Advertised;
use crate::backoff::Backoff;
use crate::claim::{Claimed, Suspects, claim, first_claimable, release_orphaned_claims};
use crate::deadline::within_deadline;
use crate::plans::steady_plans;
use crate::session_name;
use crate::shortage::current_shortage;
use crate::worker::claim_cursor::ClaimCursor;
use crate::worker::claim_loop::chores::Chores;
use crate::worker::isolation::{Isolation, deliver_alone};
use crate::worker::shared::Shared;
use crate::worker::stop::StopSignal;

/// A claimed job on its way to a handler, with the slot it occupies.
pub(crate) struct Delivery {
    pub(crate) claimed: Claimed,
    pub(crate) stop: StopSignal,
    /// Data that the handler of the previous job in the same slot prefetched for this one.
    pub(crate) prefetched: Option<Arc<dyn Any + Send + Sync>>,
    /// The slot's permit. The layer that settles the job takes it, and keeps it until then.
    pub(crate) permit: Option<OwnedSemaphorePermit>,
}

/// Delay before the second claim after a wake-up that found nothing. The announced job may have been locked for a
/// moment by the claim of another worker.
const RECHECK: Duration = Duration::from_millis(10);
/// Maximum number of jobs per claim. A larger claim gains nothing and holds locks longer.
const MAX_CLAIM: usize = 256;

/// How long a saturated worker waits for more free slots before it claims again, so that it does not claim jobs one by
/// one.
const GATHER: Duration = Duration::from_millis(1);

/// The next step of the loop, once a slot is free.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    /// Claim at once: the last claim was full, so there may be more jobs.
    Claim,
    /// Claim without a wake-up, and run the [`Chores`] of a poll.
    Poll,
    /// Wait for a wake-up, or for the next poll.
    Wait,
    /// Claim once more after [`RECHECK`], because a wake-up found nothing.
    Recheck,
}

/// Claims until the worker drains. Then the caller drops `jobs`, which ends the backend's stream.
pub(crate) async fn run(
    shared: &Arc<Shared>,
    direct: &Primary,
    jobs: &mpsc::UnboundedSender<Delivery>,
) {
    let mut failures = 0;
    while !shared.drain.is_cancelled() {
        let session = async {
            let mut moves = direct.moves();
            let mut conn = connect(shared, direct).await?;
            let mut rounds = Rounds::new(shared, jobs);
            rounds.run(&mut conn, &mut moves, &mut failures).await?;
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

/// Opens a connection for claims only.
///
/// `synchronous_commit` is off because a claim need not survive a crash of Postgres. If the claim is undone, the job
/// is ready again. The next claim has another owner, or this process claims it again (see
/// [`InFlight::insert`](crate::worker::in_flight::InFlight::insert)). Results that were recorded under the first claim
/// were committed synchronously after it, which made the claim durable too.
async fn connect(shared: &Shared, direct: &Primary) -> Result<PgConnection, sqlx::Error> {
    let options = steady_plans(direct.options())
        .application_name(&session_name(&shared.settings.role, "claim"))
        .options([("synchronous_commit", "off")]);
    let work = async {
        let mut conn = direct.connect(options).await?;
        // If the reply to a claim was lost with the last connection, this worker doesn't know that claim.
        give_orphaned_claims_back(shared, &mut conn).await?;
        Ok(conn)
    };
    within_deadline(work).await
}

/// Releases claims that this worker does not know. Also wakes other workers, because this one may have no free slot.
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

/// The rounds over one connection, with the state that they share.
struct Rounds<'a> {
    shared: &'a Arc<Shared>,
    jobs: &'a mpsc::UnboundedSender<Delivery>,
    next: Next,
    chores: Chores,
    cursor: ClaimCursor,
    isolation: Isolation,
    advertised: watch::Receiver<Advertised>,
}

/// Result of one claim.
struct ClaimedBatch {
    jobs: Vec<Claimed>,
    /// Whether suspects were skipped. If so, an empty result does not mean that there are none.
    passed_over: bool,
    took: Duration,
}

impl<'a> Rounds<'a> {
    fn new(shared: &'a Arc<Shared>, jobs: &'a mpsc::UnboundedSender<Delivery>) -> Self {
        Self {
            shared,
            jobs,
            next: Next::Poll,
            chores: Chores::new(shared.settings.poll),
            cursor: ClaimCursor::default(),
            isolation: Isolation::new(),
            advertised: shared.settings.advertised.clone(),
        }
    }

    /// Runs until the worker drains. Resets `failures` to 0 after each successful claim.
    async fn run(
        &mut self,
        conn: &mut PgConnection,
        moves: &mut Moves,
        failures: &mut u32,
    ) -> Result<(), sqlx::Error> {
        let shared = self.shared;
        loop {
            // Waits for a slot first: a worker without one leaves jobs to workers that have one.
            let slot = Arc::clone(&shared.slots).acquire_owned();
            let Some(Ok(slot)) = shared.drain.run_until_cancelled(slot).await else {
                return Ok(());
            };
            // The primary is another server now, and this connection goes to the former one.
            if moves.has_moved() {
                return Err(sqlx::Error::PoolClosed);
            }
            let Some(is_woken) = self.reason().await else {
                return Ok(());
            };
            if !self.may_claim(conn).await? {
                self.next = Next::Poll;
                continue;
            }
            if self.next == Next::Poll {
                within_deadline(self.chores.run(shared, conn)).await?;
            } else if self.next == Next::Claim
                && shared.slots.available_permits() + 1 < shared.settings.slots / 4
            {
                tokio::time::sleep(GATHER).await;
            }
            let permits = take_permits(&shared.slots, slot);
            let taken = self.claim_once(conn, permits.len()).await?;
            *failures = 0;
            shared.health.claimed(true);
            self.next = next(&taken, permits.len(), is_woken);
            let took = taken.took;
            self.deliver(taken.jobs, permits).await;
            self.skip_jobs_of_others(conn, took).await?;
        }
    }

    /// Waits until there is a reason to claim. Returns whether it was a wake-up; `None` if the worker drains.
    async fn reason(&mut self) -> Option<bool> {
        let pause = match self.next {
            Next::Claim | Next::Poll => return Some(false),
            Next::Recheck => RECHECK,
            // Jitter, so that workers that started together don't poll together.
            Next::Wait => {
                let share = rand::rng().random_range(0.4..1.0);
                self.shared.settings.poll.mul_f64(share)
            }
        };
        tokio::select! {
            biased;
            () = self.shared.drain.cancelled() => None,
            () = self.shared.bell.rung() => Some(true),
            () = tokio::time::sleep(pause) => {
                if self.next == Next::Wait {
                    self.next = Next::Poll;
                }
                Some(false)
            }
        }
    }

    /// Returns whether this worker may claim. If not, it has already waited for a while.
    async fn may_claim(&self, conn: &mut PgConnection) -> Result<bool, sqlx::Error> {
        let shared = self.shared;
        let misses_any = shared.in_flight.misses_any(shared.settings.lease.expiry());
        if misses_any {
            // Jobs whose claim is held but that no handler runs, e.g. after their lease ended. If they can't be
            // released over the connections of jobs, this connection releases them.
            within_deadline(give_orphaned_claims_back(shared, conn)).await?;
        }
        if shared.is_stale() {
            // A claim that can't be renewed must not be made.
            let pause = if misses_any {
                shared.settings.poll
            } else {
                RECHECK
            };
            tokio::time::sleep(pause).await;
            return Ok(false);
        }
        if current_shortage().is_some() {
            // Every job would meet the same shortage. Other workers may not have it.
            let pause = tokio::time::sleep(shared.settings.poll);
            let _ = shared.drain.run_until_cancelled(pause).await;
            return Ok(false);
        }
        Ok(true)
    }

    /// Claims at most `wanted` jobs.
    async fn claim_once(
        &mut self,
        conn: &mut PgConnection,
        wanted: usize,
    ) -> Result<ClaimedBatch, sqlx::Error> {
        let shared = self.shared;
        if self.advertised.has_changed().unwrap_or(false) {
            // The worker may now be able to run jobs that it skipped before.
            self.cursor = ClaimCursor::default();
        }
        let offers = self.advertised.borrow_and_update().offers.clone();
        let started = Instant::now();
        let takes = self.isolation.takes(shared.in_flight.is_empty(), started);
        // Jobs that came back are at the front, before the cursor.
        let from_front = shared.bell.take_returned()
            || takes.from_front
            || self.cursor.is_front_due(self.next != Next::Claim, started);
        let lanes = self.cursor.lanes(&shared.settings.queues, from_front);
        let suspects = Suspects {
            taken: takes.suspects,
            lone_crashes: shared.settings.lone_crashes,
        };
        let limit = i64::try_from(wanted).unwrap_or(i64::MAX);
        let (owner, ttl) = (shared.owner, shared.settings.lease.expiry());
        let claiming = claim(
            &mut *conn,
            owner,
            &lanes,
            limit,
            ttl,
            suspects,
            offers.as_deref(),
        );
        let jobs = within_deadline(claiming).await?;
        let took = started.elapsed();
        self.cursor.claimed(&jobs, from_front, started);
        if !jobs.is_empty() {
            reached("queue.claim.after_commit");
        }
        Ok(ClaimedBatch {
            jobs,
            passed_over: takes.passed_over,
            took,
        })
    }

    /// Hands each job over with a slot. A suspect is the only job of its claim, and is handed over once all slots are
    /// free.
    async fn deliver(&mut self, mut jobs: Vec<Claimed>, permits: Vec<OwnedSemaphorePermit>) {
        let shared = self.shared;
        if let Some(at) = jobs.iter().position(|job| job.isolated) {
            self.isolation.took_one();
            let suspect = jobs.swap_remove(at);
            return deliver_alone(shared, &shared.slots, self.jobs, suspect, permits).await;
        }
        for (claimed, permit) in jobs.into_iter().zip(permits) {
            let Some(stop) = shared.in_flight.insert(&claimed) else {
                continue;
            };
            let delivery = Delivery {
                claimed,
                stop,
                prefetched: None,
                permit: Some(permit),
            };
            // Fails only if apalis has ended, which happens only after this loop has ended.
            let _ = self.jobs.send(delivery);
        }
    }

    /// After a slow claim, finds the first job of each lane that this worker can run, so that the next claim starts
    /// there.
    async fn skip_jobs_of_others(
        &mut self,
        conn: &mut PgConnection,
        took: Duration,
    ) -> Result<(), sqlx::Error> {
        let Some(offers) = self.advertised.borrow().offers.clone() else {
            return Ok(());
        };
        let started = Instant::now();
        if self.cursor.is_skip_due(took, started) {
            let lanes = self.cursor.lanes(&self.shared.settings.queues, false);
            let firsts = within_deadline(first_claimable(&mut *conn, &lanes, &offers)).await?;
            self.cursor.skipped(&firsts, started);
        }
        Ok(())
    }
}

/// Returns the step after a claim of at most `wanted` jobs.
fn next(taken: &ClaimedBatch, wanted: usize, is_woken: bool) -> Next {
    match taken.jobs.len() {
        count if count == wanted => Next::Claim,
        // A suspect is the only job of its claim, even if others are ready.
        _ if taken.jobs.iter().any(|job| job.isolated) => Next::Claim,
        0 if is_woken || taken.passed_over => Next::Recheck,
        _ => Next::Wait,
    }
}

/// Takes the first permit and all others that are free now, up to [`MAX_CLAIM`].
fn take_permits(slots: &Arc<Semaphore>, first: OwnedSemaphorePermit) -> Vec<OwnedSemaphorePermit> {
    let more = std::iter::from_fn(|| Arc::clone(slots).try_acquire_owned().ok());
    std::iter::once(first).chain(more).take(MAX_CLAIM).collect()
}
