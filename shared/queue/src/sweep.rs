//! The sweeper: frees what dead and frozen processes hold, and promotes scheduled jobs.

use std::collections::{BTreeSet, HashMap};
use std::time::{Duration, Instant};

use sqlx::postgres::PgConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _, PgConnection, PgExecutor};
use tarsy_failpoint::reached;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::Error;
use crate::backoff::Backoff;
use crate::claim::promote;
use crate::plans::steady_plans;
use crate::registry;
use crate::sparing::Sparing;
use crate::wake::{self, Call};

/// Time between two sweeps of one process.
const INTERVAL: Duration = Duration::from_millis(110);
/// A process counts as dead when its lock was missing at two looks this far apart: one that
/// merely lost its connection has it back by then.
const CONFIRM: Duration = Duration::from_millis(100);
/// Looks for expired leases take one part in so many of a process' time at most: a frozen worker is to be found
/// soon even beside a forgotten transaction.
pub(crate) const EXPIRY_SHARE: u32 = 40;
/// A sweep that takes longer than this is on a dead connection.
const SWEEP_TIMEOUT: Duration = Duration::from_secs(5);

/// A job taken away from a process that is dead or did not renew its lease.
#[derive(Debug)]
pub(crate) struct Freed {
    pub(crate) id: Uuid,
    pub(crate) queue: String,
    pub(crate) crashes: i32,
}

/// Watches over all workers of the database.
///
/// Run one in every chain worker. They take turns, sweep by sweep, under a transaction-level
/// advisory lock, so a frozen sweeper holds nobody up. A process whose session-level lock is
/// gone is dead within a few hundred milliseconds; a lock that is still held never prolongs
/// a lease, so a frozen process loses its jobs when they expire.
#[derive(Debug, Clone)]
pub struct Sweeper {
    direct: PgConnectOptions,
}

impl Sweeper {
    /// A sweeper with a direct connection (not through PgBouncer) to `direct_url`.
    ///
    /// # Errors
    ///
    /// [`Error::DirectUrl`].
    pub fn new(direct_url: &str) -> Result<Self, Error> {
        let direct: PgConnectOptions = direct_url.parse().map_err(Error::DirectUrl)?;
        Ok(Self {
            // Not durable on purpose: a sweep that Postgres forgets in a crash is done again.
            // One that is frozen in the middle loses its session, and with it its turn.
            direct: steady_plans(direct)
                .application_name("tarsy sweeper")
                .options([
                    ("synchronous_commit", "off"),
                    ("idle_in_transaction_session_timeout", "1000"),
                ]),
        })
    }

    /// Sweep until `stop` fires. Trouble with Postgres is waited out.
    pub async fn run(&self, stop: &CancellationToken) {
        let mut failures = 0;
        while !stop.is_cancelled() {
            let swept = stop.run_until_cancelled(self.sweep_until_lost(&mut failures));
            let Some(Err(error)) = swept.await else {
                return;
            };
            tracing::warn!(?error, "sweeping failed; trying again");
            let pause = tokio::time::sleep(Backoff::CONNECTION.delay(failures));
            failures = failures.saturating_add(1).min(16);
            let _ = stop.run_until_cancelled(pause).await;
        }
    }

    async fn sweep_until_lost(&self, failures: &mut u32) -> Result<(), sqlx::Error> {
        let mut conn = self.direct.connect().await?;
        let mut suspects = Suspects::default();
        let mut expiry = Sparing::new(EXPIRY_SHARE);
        let mut tick = tokio::time::interval(INTERVAL);
        tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            tick.tick().await;
            let sweep = sweep(&mut conn, &mut suspects, &mut expiry);
            match tokio::time::timeout(SWEEP_TIMEOUT, sweep).await {
                Ok(result) => result?,
                Err(_) => return Err(sqlx::Error::PoolTimedOut),
            }
            *failures = 0;
        }
    }
}

async fn sweep(
    conn: &mut PgConnection,
    suspects: &mut Suspects,
    expiry: &mut Sparing,
) -> Result<(), sqlx::Error> {
    let mut tx = conn.begin().await?;
    if !registry::try_sweep_lock(&mut *tx).await? {
        return tx.rollback().await;
    }
    let missing = registry::workers_without_lock(&mut *tx).await?;
    let dead = suspects.confirm(&missing, Instant::now());
    let mut freed = Vec::new();
    let now = Instant::now();
    if expiry.is_due(Duration::ZERO, now) {
        freed = free_expired(&mut *tx, None).await?;
        expiry.done(now);
    }
    if !dead.is_empty() {
        freed.extend(free_dead(&mut *tx, &dead).await?);
        registry::forget(&mut *tx, &dead).await?;
    }
    let promoted = promote(&mut *tx, None).await?;
    reached("queue.sweep.before_commit");
    tx.commit().await?;
    reached("queue.sweep.after_commit");

    for job in &freed {
        let (id, crashes) = (job.id, job.crashes);
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

/// Workers whose lock was missing at every look since the time noted.
#[derive(Debug, Default)]
struct Suspects(HashMap<Uuid, Instant>);

impl Suspects {
    /// Take in a look; which processes it shows to be dead.
    fn confirm(&mut self, missing: &[Uuid], now: Instant) -> Vec<Uuid> {
        self.0.retain(|id, _| missing.contains(id));
        let dead = |id: &&Uuid| now - *self.0.entry(**id).or_insert(now) >= CONFIRM;
        missing.iter().filter(dead).copied().collect()
    }
}

async fn free_dead(
    executor: impl PgExecutor<'_>,
    dead: &[Uuid],
) -> Result<Vec<Freed>, sqlx::Error> {
    sqlx::query_as!(
        Freed,
        "with lost as (select id from jobs where owner = any($1) for update skip locked)
         update jobs
         set state = 'ready', owner = null, expires_at = null, epoch = epoch + 1,
             crashes = crashes + 1, last_error = 'the worker died'
         where id = any(array(select id from lost))
         returning id, queue, crashes",
        dead,
    )
    .fetch_all(executor)
    .await
}

/// Free the jobs (of `queues`, or all) whose lease has run out; not in the first seconds of a
/// Postgres server, while live workers renew what ran out during its downtime.
///
/// The epoch rises, so the old holder's writes match nothing; the rank stays, so the job is
/// near the front of its queue. Rows that the holder has locked right now
/// ([`hold`](crate::hold), [`complete`](crate::complete)) are passed by.
pub(crate) async fn free_expired(
    executor: impl PgExecutor<'_>,
    queues: Option<&[String]>,
) -> Result<Vec<Freed>, sqlx::Error> {
    sqlx::query_as!(
        Freed,
        "with lost as (
            select id from jobs
            where owner is not null and expires_at < clock_timestamp()
              and ($1::text[] is null or queue = any($1))
              and pg_postmaster_start_time() < clock_timestamp() - interval '3 seconds'
            for update skip locked
         )
         update jobs
         set state = 'ready', owner = null, expires_at = null, epoch = epoch + 1,
             crashes = crashes + 1, last_error = 'the lease ran out'
         where id = any(array(select id from lost))
         returning id, queue, crashes",
        queues,
    )
    .fetch_all(executor)
    .await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_missing_look_proves_nothing_and_two_apart_do() {
        let (id, start) = (Uuid::now_v7(), Instant::now());
        let mut suspects = Suspects::default();
        assert!(suspects.confirm(&[id], start).is_empty());
        assert!(suspects.confirm(&[id], start + CONFIRM / 2).is_empty());
        assert_eq!(suspects.confirm(&[id], start + CONFIRM), [id]);
    }

    #[test]
    fn a_process_that_got_its_lock_back_starts_afresh() {
        let (id, start) = (Uuid::now_v7(), Instant::now());
        let mut suspects = Suspects::default();
        suspects.confirm(&[id], start);
        suspects.confirm(&[], start + CONFIRM / 2);
        assert!(suspects.confirm(&[id], start + CONFIRM).is_empty());
    }
}
