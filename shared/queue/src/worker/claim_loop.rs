//! The claim loop: one per process, it takes jobs when there are free slots and a reason.
//!
//! A round is: wait for a slot and a reason ([`Rounds::reason`]), see whether the worker may claim
//! ([`Rounds::may_claim`]), claim ([`Rounds::claim_once`]), hand over ([`Rounds::deliver`]).

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

/// How long a saturated worker lets slots gather before it claims again, so that it does
/// not claim its jobs one by one.
const GATHER: Duration = Duration::from_millis(1);

/// What the loop does next, once a slot is free.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    /// The last claim came back full: there may be more.
    Claim,
    /// Look without having been woken, with the [`Chores`] of a poll.
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

/// The rounds over one connection, and what the next round knows of those before it.
struct Rounds<'a> {
    shared: &'a Arc<Shared>,
    jobs: &'a mpsc::UnboundedSender<Delivery>,
    next: Next,
    chores: Chores,
    cursor: ClaimCursor,
    isolation: Isolation,
    advertised: watch::Receiver<Advertised>,
}

/// What one claim took.
struct ClaimedBatch {
    jobs: Vec<Claimed>,
    /// Suspects were passed over, so a claim that came back empty says nothing about them.
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

    /// Runs until the worker drains; `failures` is 0 again after a claim that Postgres answered.
    async fn run(
        &mut self,
        conn: &mut PgConnection,
        moves: &mut Moves,
        failures: &mut u32,
    ) -> Result<(), sqlx::Error> {
        let shared = self.shared;
        loop {
            // A slot first: a worker without one leaves each job to those that have one.
            let slot = Arc::clone(&shared.slots).acquire_owned();
            let Some(Ok(slot)) = shared.drain.run_until_cancelled(slot).await else {
                return Ok(());
            };
            // The primary is another server now: this connection claims from a former one.
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

    /// Waits until there is a reason to claim. Whether it was a wake-up; `None` if the worker drains.
    async fn reason(&mut self) -> Option<bool> {
        let pause = match self.next {
            Next::Claim | Next::Poll => return Some(false),
            Next::Recheck => RECHECK,
            // Workers that began together poll apart.
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

    /// Whether this worker may take more. If not, it has waited a while.
    async fn may_claim(&self, conn: &mut PgConnection) -> Result<bool, sqlx::Error> {
        let shared = self.shared;
        let misses_any = shared.in_flight.misses_any(shared.settings.lease.expiry());
        if misses_any {
            // Jobs that nobody here runs, after a lease that ran out. What can't be given back over the
            // connections of jobs is given back over this one.
            within_deadline(give_orphaned_claims_back(shared, conn)).await?;
        }
        if shared.is_stale() {
            // Nothing may be claimed that can't be renewed.
            let pause = if misses_any {
                shared.settings.poll
            } else {
                RECHECK
            };
            tokio::time::sleep(pause).await;
            return Ok(false);
        }
        if current_shortage().is_some() {
            // Each job would meet the same shortage; other workers may have none.
            let pause = tokio::time::sleep(shared.settings.poll);
            let _ = shared.drain.run_until_cancelled(pause).await;
            return Ok(false);
        }
        Ok(true)
    }

    /// Claims at most this many jobs.
    async fn claim_once(
        &mut self,
        conn: &mut PgConnection,
        wanted: usize,
    ) -> Result<ClaimedBatch, sqlx::Error> {
        let shared = self.shared;
        if self.advertised.has_changed().unwrap_or(false) {
            // Jobs that were passed over may be for this worker now.
            self.cursor = ClaimCursor::default();
        }
        let offers = self.advertised.borrow_and_update().offers.clone();
        let started = Instant::now();
        let takes = self.isolation.takes(shared.in_flight.is_empty(), started);
        // Jobs that came back stand at the front, before the cursor.
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

    /// Hands the jobs over, each with a slot. A suspect comes alone and is handed over once all slots are free.
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
            // Fails only if apalis has ended, which it does after this loop.
            let _ = self.jobs.send(delivery);
        }
    }

    /// After a claim that took long, looks where the jobs end that only other workers can run, so that the next claim starts there.
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

/// What follows a claim of at most `wanted` jobs.
fn next(taken: &ClaimedBatch, wanted: usize, is_woken: bool) -> Next {
    match taken.jobs.len() {
        count if count == wanted => Next::Claim,
        // A suspect is the only job of its claim, whatever else is ready.
        _ if taken.jobs.iter().any(|job| job.isolated) => Next::Claim,
        0 if is_woken || taken.passed_over => Next::Recheck,
        _ => Next::Wait,
    }
}

/// The first permit and whatever else is free now.
fn take_permits(slots: &Arc<Semaphore>, first: OwnedSemaphorePermit) -> Vec<OwnedSemaphorePermit> {
    let more = std::iter::from_fn(|| Arc::clone(slots).try_acquire_owned().ok());
    std::iter::once(first).chain(more).take(MAX_CLAIM).collect()
}
