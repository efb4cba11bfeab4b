//! The sweeper: frees the jobs of dead and frozen processes, and promotes scheduled jobs.

mod free;
mod liveness;
mod scan;

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use rand::Rng as _;
use sqlx::postgres::PgConnectOptions;
use sqlx::{Connection as _, PgConnection};
use tarsy_failpoint::reached;
use tarsy_postgres::Primary;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::backoff::Backoff;
use crate::claim::promote;
use crate::cost_throttle::CostThrottle;
use crate::loop_clock::LoopClock;
use crate::plans::steady_plans;
use crate::wake::{self, Call};
use crate::{Error, registry, session_name};

pub(crate) use free::{Lost, free, take_back};
pub(crate) use liveness::GRACE;
use liveness::{CONFIRM, LivenessTracker};
use scan::{Scan, scan};

/// Mean time between two scans, over all sweepers together.
const INTERVAL: Duration = Duration::from_millis(75);
/// Longest mean time between two scans of one sweeper, for any number of sweepers.
const LONGEST_PAUSE: Duration = Duration::from_secs(10);
/// Scans for expired leases take at most 1 part in this many of a process's time. It is not smaller because a frozen
/// worker must be found soon, even while a forgotten transaction makes the scans expensive.
pub(crate) const EXPIRY_SHARE: u32 = 40;
/// If a sweep takes longer than this, its connection is considered dead.
const SWEEP_TIMEOUT: Duration = Duration::from_secs(5);

/// Watches all workers of the database.
///
/// Run one in every process. The more sweepers there are, the more rarely each one scans, so many cost as much as one.
/// Sweepers that find something to do take turns under a transaction-level advisory lock, so a frozen sweeper does not
/// block the others.
///
/// A process is found dead within a few hundred milliseconds after its session-level lock and all its other sessions
/// are gone. Holding the lock never prolongs a lease, so a frozen process loses its jobs when their leases expire.
///
/// In the first seconds of the sweeper's session, a worker that has shown no sign of life in that session is not
/// considered dead, and no lease is considered expired. This period is longer if the sweeper itself runs late.
#[derive(Debug, Clone)]
pub struct Sweeper {
    direct: Primary,
    options: PgConnectOptions,
}

impl Sweeper {
    /// Creates a sweeper with a direct connection (not through PgBouncer) to `direct_url`.
    ///
    /// # Errors
    ///
    /// [`Error::DirectUrl`].
    pub fn new(direct_url: &str) -> Result<Self, Error> {
        let direct = Primary::from_url(direct_url).map_err(Error::DirectUrl)?;
        Ok(Self {
            // Not durable on purpose: a sweep that Postgres forgets in a crash is repeated. A sweeper that freezes
            // during a transaction loses its session, and with it the sweep lock.
            options: steady_plans(direct.options())
                .application_name(&session_name("tarsy", "sweeper"))
                .options([
                    ("synchronous_commit", "off"),
                    ("idle_in_transaction_session_timeout", "1000"),
                ]),
            direct,
        })
    }

    /// Sweeps until `stop` fires. Retries when Postgres fails.
    pub async fn run(&self, stop: &CancellationToken) {
        let mut failures = 0;
        while !stop.is_cancelled() {
            let swept = stop.run_until_cancelled(self.sweep_until_lost(&mut failures));
            let Some(Err(error)) = swept.await else {
                return;
            };
            tracing::warn!(?error, "sweep failed; retrying");
            let pause = tokio::time::sleep(Backoff::CONNECTION.delay(failures));
            failures = failures.saturating_add(1).min(16);
            let _ = stop.run_until_cancelled(pause).await;
        }
    }

    async fn sweep_until_lost(&self, failures: &mut u32) -> Result<(), sqlx::Error> {
        let mut moves = self.direct.moves();
        let connecting = self.direct.connect(self.options.clone());
        let connecting = tokio::time::timeout(SWEEP_TIMEOUT, connecting);
        let mut conn = connecting.await.map_err(|_| sqlx::Error::PoolTimedOut)??;
        let start = Instant::now();
        let mut session = Session {
            clock: LoopClock::new(start),
            pause: Duration::ZERO,
            liveness: LivenessTracker::new(start),
            expiry: CostThrottle::new(EXPIRY_SHARE),
        };
        loop {
            let sweep = tokio::time::timeout(SWEEP_TIMEOUT, session.sweep(&mut conn));
            let pause = sweep.await.map_err(|_| sqlx::Error::PoolTimedOut)??;
            *failures = 0;
            tokio::time::sleep(pause).await;
            if moves.has_moved() {
                return Err(sqlx::Error::PoolClosed);
            }
        }
    }
}

/// State of a sweeper while its connection lasts.
struct Session {
    /// The clock for all decisions that depend on time.
    clock: LoopClock,
    /// Pause before the next scan.
    pause: Duration,
    liveness: LivenessTracker,
    expiry: CostThrottle,
}

impl Session {
    /// Scans and acts on what it finds. Returns the time until the next scan.
    async fn sweep(&mut self, conn: &mut PgConnection) -> Result<Duration, sqlx::Error> {
        let started = Instant::now();
        let now = self.clock.advance(self.pause, started);
        let in_grace = self.liveness.in_grace(now);
        let for_expired = !in_grace && self.expiry.is_due(Duration::ZERO, started);
        let scanned = scan(&mut *conn, in_grace, for_expired).await?;
        let sweepers = u32::try_from(scanned.sweepers).unwrap_or(1).max(1);
        if for_expired {
            self.expiry.done(started);
            self.expiry.share_among(EXPIRY_SHARE, sweepers);
        }
        let dead = self.liveness.update(&scanned.alive, &scanned.missing, now);
        if scanned.expired || scanned.due || !dead.is_empty() {
            act(conn, &scanned, &dead).await?;
        }
        self.pause = match self.liveness.has_suspects() {
            true => CONFIRM,
            false => pause(sweepers),
        };
        Ok(self.pause)
    }
}

/// Returns the pause before the next scan, with jitter to spread the scans of the sweepers.
fn pause(sweepers: u32) -> Duration {
    let mean = INTERVAL.saturating_mul(sweepers).min(LONGEST_PAUSE);
    mean.mul_f64(rand::rng().random_range(0.5..1.5))
}

/// Frees and promotes jobs and deletes dead workers, unless another sweeper is doing so.
async fn act(conn: &mut PgConnection, scanned: &Scan, dead: &[Uuid]) -> Result<(), sqlx::Error> {
    let mut tx = conn.begin().await?;
    if !registry::try_sweep_lock(&mut *tx).await? {
        return tx.rollback().await;
    }
    let mut freed = Vec::new();
    if !dead.is_empty() {
        free::note_lost(&mut *tx, dead).await?;
        freed = free(&mut *tx, Lost::Of(dead)).await?;
        registry::delete_dead_workers(&mut *tx, dead).await?;
        free::prune_lost_processes(&mut *tx).await?;
    }
    if scanned.expired {
        freed.extend(free(&mut *tx, Lost::Expired(None)).await?);
    }
    let promoted = promote(&mut *tx, None).await?;
    reached("queue.sweep.before_commit");
    tx.commit().await?;
    reached("queue.sweep.after_commit");

    for job in &freed {
        let (id, crashes) = (job.id, job.crashes);
        tarsy_metrics::jobs::recovered();
        tracing::warn!(job.id = %id, job.queue = job.queue, job.crashes = crashes, "took a job from a dead or frozen worker");
    }
    let freed = freed.into_iter().map(|job| job.queue);
    let queues: BTreeSet<String> = freed.chain(promoted).collect();
    let calls: Vec<_> = queues.into_iter().map(Call::Returned).collect();
    if !calls.is_empty() {
        wake::notify(conn, &calls).await?;
    }
    Ok(())
}
