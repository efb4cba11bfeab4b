//! Opens the session that holds a worker's lease. Attempts overlap, because a single attempt may wait for a packet
//! that was lost in the outage.

use std::pin::pin;
use std::time::Duration;

use futures::StreamExt as _;
use futures::stream::FuturesUnordered;
use sqlx::PgPool;
use sqlx::postgres::{PgListener, PgPoolOptions};
use tarsy_postgres::Primary;
use tokio::sync::watch;
use tokio::time::{Instant, interval_at, timeout};

use super::renewal::{register, renew, renew_claims};
use super::timed;
use crate::backoff::Backoff;
use crate::plans::steady_plans;
use crate::worker::Advertised;
use crate::worker::shared::Shared;
use crate::{cancel, registry, session_name, wake, worker_list};

pub(super) struct Session {
    pub(super) pool: PgPool,
    pub(super) listener: PgListener,
    /// The values advertised in the worker's row, and their changes.
    pub(super) advertised: watch::Receiver<Advertised>,
}

impl Session {
    /// Closes the connection cleanly, if Postgres answers in time.
    pub(super) async fn close(self, limit: Duration) {
        drop(self.listener);
        // The result doesn't matter.
        let _ = timeout(limit, self.pool.close()).await;
    }
}

/// Maximum number of attempts at the same time. When a silent Postgres recovers, it gets this many connections from
/// each worker.
const ATTEMPTS: u32 = 4;

/// Opens a session that holds this worker's lock, however long that takes. Counts renewals that are due meanwhile as
/// failed.
pub(super) async fn connect(shared: &Shared, direct: &Primary) -> Session {
    let third = shared.settings.lease.outage() / 3;
    let mut due = interval_at(Instant::now() + third, third);
    let mut connecting = pin!(connect_until_enlisted(shared, direct, third));
    loop {
        tokio::select! {
            biased;
            session = &mut connecting => return session,
            _ = due.tick() => tarsy_metrics::jobs::renewed(false),
        }
    }
}

async fn connect_until_enlisted(shared: &Shared, direct: &Primary, limit: Duration) -> Session {
    let mut failures = 0;
    loop {
        let opened = open(shared, direct, failures).await;
        match timed(limit, enlist(shared, opened)).await {
            Ok(session) => return session,
            Err(error) => tracing::warn!(?error, "failed to set up the lease connection"),
        }
        failures = failures.saturating_add(1).min(16);
    }
}

/// Returns the first connection that gets an answer. After an error, the next attempt waits for a backoff that grows
/// with the number of failures. If an attempt gets no answer, another one starts next to it after a while.
async fn open(shared: &Shared, direct: &Primary, mut failures: u32) -> (PgPool, PgListener) {
    let spacing = shared.settings.lease.patience();
    let mut attempts = FuturesUnordered::new();
    let mut next = pin!(tokio::time::sleep(delay(failures)));
    loop {
        tokio::select! {
            () = next.as_mut() => {
                attempts.push(timeout(spacing * ATTEMPTS, attempt(shared, direct)));
                next.as_mut().reset(Instant::now() + spacing);
            }
            Some(attempted) = attempts.next() => match attempted {
                Ok(Ok(opened)) => return opened,
                // Later attempts have started meanwhile.
                Err(_) => {}
                Ok(Err(error)) => {
                    tracing::debug!(?error, "no lease connection yet");
                    failures = failures.saturating_add(1).min(16);
                    let at = Instant::now() + delay(failures);
                    next.as_mut().reset(at);
                }
            },
        }
    }
}

/// Returns the wait before an attempt: none before the first one.
fn delay(failures: u32) -> Duration {
    match failures {
        0 => Duration::ZERO,
        _ => Backoff::CONNECTION.delay(failures - 1),
    }
}

async fn attempt(shared: &Shared, direct: &Primary) -> Result<(PgPool, PgListener), sqlx::Error> {
    let options = steady_plans(direct.options())
        .application_name(&session_name(&shared.settings.role, "lease"))
        // Renewals need not survive a crash of Postgres: if one is lost, the lease only ends earlier.
        .options([("synchronous_commit", "off")]);
    let pool = PgPoolOptions::new()
        .max_connections(1)
        .max_lifetime(None)
        .idle_timeout(None)
        .test_before_acquire(false)
        .connect_with(options)
        .await?;
    let mut listener = PgListener::connect_with(&pool).await?;
    listener.eager_reconnect(false);
    direct.admit(&mut listener).await?;
    Ok((pool, listener))
}

/// Makes a connection the session of this worker. Renews the claims first, which may have little time left. Takes the
/// lock before it registers, because a registered process without a lock counts as dead.
async fn enlist(
    shared: &Shared,
    (pool, mut listener): (PgPool, PgListener),
) -> Result<Session, sqlx::Error> {
    let mut advertised = shared.settings.advertised.clone();
    advertised.mark_unchanged();
    renew_claims(shared, &mut listener).await?;
    lock(shared, &mut listener).await?;
    register(shared, &mut listener).await?;
    let channels = [
        wake::CHANNEL,
        wake::RETURNED_CHANNEL,
        cancel::CHANNEL,
        worker_list::DRAIN_CHANNEL,
    ];
    let broadcasts = shared.waker.broadcast_channels();
    listener
        .listen_all(channels.into_iter().chain(broadcasts))
        .await?;
    renew(shared, &mut listener).await?;
    // For wake-ups that were sent while this worker did not listen.
    shared.bell.ring_for_returned();
    Ok(Session {
        pool,
        listener,
        advertised,
    })
}

/// Takes the lock that shows that this process is alive.
///
/// While Postgres has not noticed that an old session of this process is gone, that session holds the lock. This
/// function does not wait for it: it switches to another key. It also ends the old session, if Postgres permits, so
/// that the session does not outlive the process.
async fn lock(shared: &Shared, listener: &mut PgListener) -> Result<(), sqlx::Error> {
    while !registry::try_lock(&mut *listener, shared.lock_key()).await? {
        let stale = shared.lock_key();
        tracing::info!("an old session still has this worker's lock; taking another");
        shared.change_lock_key();
        if let Err(error) = registry::end_holder(&mut *listener, stale).await {
            tracing::debug!(?error, "failed to end the old session");
        }
    }
    Ok(())
}
