//! The lease thread: renews claims, sends heartbeats, listens for notifications.

use std::sync::Arc;
use std::time::{Duration, Instant};

use sqlx::PgPool;
use sqlx::postgres::{PgListener, PgNotification, PgPoolOptions};
use tarsy_postgres::{Moves, Primary};
use tokio::sync::oneshot;
use tokio::time::MissedTickBehavior;

use crate::backoff::Backoff;
use crate::plans::steady_plans;
use crate::sweep::take_back;
use crate::worker::advertised::changed;
use crate::worker::shared::Shared;
use crate::worker::stop::StopCause;
use crate::{Error, cancel, process_id, registry, session_name, supervise, wake, worker_list};

/// Longer than a process lives.
const FOR_EVER: Duration = Duration::from_secs(100 * 365 * 24 * 60 * 60);

/// Longest time in which a worker that has ended deregisters.
const DEREGISTER_TIMEOUT: Duration = Duration::from_secs(3);

/// Start the thread; the receiver resolves when it has ended.
///
/// A thread and runtime of its own, so that handlers that block or saturate the main runtime
/// can't keep a lease from being renewed. One direct connection carries everything that
/// needs a session: the advisory lock, LISTEN, and the renewals, which double as its ping.
pub(crate) fn start(shared: Arc<Shared>, direct: Primary) -> Result<oneshot::Receiver<()>, Error> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .thread_keep_alive(FOR_EVER)
        .build()
        .map_err(Error::Thread)?;
    // The thread that looks up the database's name: without one, tokio panics when none can be made.
    runtime.spawn_blocking(|| ());
    let (ended, end) = oneshot::channel();
    let work = move || {
        let keeping = supervise("the lease", async || keep(&shared, &direct).await);
        let watching = supervise("the watch over the lease", async || watch(&shared).await);
        runtime.block_on(async { tokio::join!(keeping, watching) });
        // Connections that are dropped here, by the listener or as the last to hold them, are given back in tasks: that
        // panics without a runtime's context.
        let handle = runtime.handle().clone();
        let _context = handle.enter();
        drop(shared);
        let _ = ended.send(());
        drop(runtime);
    };
    std::thread::Builder::new()
        .name("tarsy-lease".to_owned())
        .spawn(work)
        .map_err(Error::Thread)?;
    Ok(end)
}

/// Stop all work when the leases could not be renewed for two thirds of their time.
async fn watch(shared: &Shared) {
    let mut tick = tokio::time::interval(shared.settings.lease_ttl / 12);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    while shared.done.run_until_cancelled(tick.tick()).await.is_some() {
        let stale = shared.is_stale();
        if stale {
            let stopped = shared.in_flight.stop_all(StopCause::ClaimLost);
            if stopped > 0 {
                tracing::debug!(
                    stopped,
                    "leases could not be renewed; their work is stopped"
                );
            }
        }
    }
}

/// Holds a session until the worker has ended.
async fn keep(shared: &Shared, direct: &Primary) {
    let deregister_timeout = async {
        shared.done.cancelled().await;
        tokio::time::sleep(DEREGISTER_TIMEOUT).await;
    };
    tokio::select! {
        () = hold(shared, direct) => {}
        () = deregister_timeout => tracing::warn!("Postgres does not answer; this worker's row is left to the sweepers"),
    }
}

/// Holds a session, and gets a new one at once whenever it is lost.
async fn hold(shared: &Shared, direct: &Primary) {
    let mut failures = 0;
    let mut moves = direct.moves();
    let third = shared.settings.lease_ttl / 3;
    let mut renewal_due = Instant::now() + third;
    while !shared.done.is_cancelled() {
        match session(shared, direct, &mut moves, &mut failures).await {
            Ok(()) => return,
            Err(error) => tracing::warn!(?error, "lease connection lost; reconnecting"),
        }
        if failures == 0 {
            renewal_due = Instant::now() + third;
        } else if Instant::now() >= renewal_due {
            // There was no connection that it could have been tried on.
            tarsy_metrics::jobs::renewed(false);
            renewal_due = Instant::now() + third;
        }
        let pause = Backoff::CONNECTION.delay(failures);
        failures = failures.saturating_add(1).min(16);
        tokio::select! {
            () = shared.done.cancelled() => {}
            () = moves.moved() => {}
            () = tokio::time::sleep(pause) => {}
        }
    }
}

async fn session(
    shared: &Shared,
    direct: &Primary,
    moves: &mut Moves,
    failures: &mut u32,
) -> Result<(), sqlx::Error> {
    let third = shared.settings.lease_ttl / 3;
    let mut advertised = shared.settings.advertised.clone();
    advertised.mark_unchanged();
    let (pool, mut listener) = tokio::select! {
        connected = timed(third, connect(shared, direct)) => connected?,
        // Elsewhere now, and the old one need not answer.
        () = moves.moved() => timed(third, connect(shared, direct)).await?,
    };
    *failures = 0;
    // Whatever was announced while nobody listened.
    shared.bell.ring_for_returned();

    let mut tick = tokio::time::interval(third);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            _ = tick.tick() => {
                let renewed = timed(third, renew(shared, &mut listener)).await;
                tarsy_metrics::jobs::renewed(renewed.is_ok());
                renewed?;
            }
            heard = listener.try_recv() => match heard? {
                Some(notification) => {
                    if hear(shared, &notification) == Heard::Drain {
                        // Tell others at once that nothing more is claimed here.
                        tick.reset_immediately();
                    }
                }
                None => return Err(sqlx::Error::PoolClosed),
            },
            () = changed(&mut advertised) => {
                timed(third, register(shared, &mut listener)).await?;
                // There may be jobs that it could not run before.
                shared.bell.ring_for_returned();
            }
            () = moves.moved() => return Err(sqlx::Error::PoolClosed),
            () = shared.done.cancelled() => {
                let left = timed(third, registry::deregister(&mut listener, shared.owner)).await;
                drop(listener);
                let _ = timed(third, async { pool.close().await; Ok(()) }).await;
                return left;
            }
        }
    }
}

/// Lock first, then register: a registered process without a lock counts as dead.
async fn connect(shared: &Shared, direct: &Primary) -> Result<(PgPool, PgListener), sqlx::Error> {
    let options = steady_plans(direct.options())
        .application_name(&session_name(&shared.settings.role, "lease"))
        // Renewals need not survive a Postgres crash: a lease that falls back only ends earlier.
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
    Ok((pool, listener))
}

async fn register(shared: &Shared, listener: &mut PgListener) -> Result<(), sqlx::Error> {
    let (owner, lock_key) = (shared.owner, shared.lock_key());
    registry::register(listener, owner, lock_key, &shared.settings).await
}

/// Take the lock that shows that this process lives.
///
/// While Postgres believes in a session of ours that is half open, it has the lock. It is not waited for: it gets
/// another key, and the old session is ended, as far as Postgres lets us, so that it does not outlive the process.
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

async fn renew(shared: &Shared, listener: &mut PgListener) -> Result<(), sqlx::Error> {
    let sent = Instant::now();
    if shared.is_stale() {
        // Frozen or cut off for too long: stop first, ask then.
        shared.in_flight.stop_all(StopCause::ClaimLost);
    }
    // A worker that can't write down what it does must not hold on to it.
    let (ids, epochs) = match shared.is_cut_off() {
        true => Default::default(),
        false => shared.in_flight.claims(),
    };
    if !ids.is_empty() {
        let (owner, ttl) = (shared.owner, shared.settings.lease_ttl);
        for claim in registry::renew(&mut *listener, owner, &ids, &epochs, ttl).await? {
            if !claim.held {
                shared
                    .in_flight
                    .stop(claim.id, claim.epoch, StopCause::ClaimLost);
            } else if claim.cancel_requested {
                shared
                    .in_flight
                    .stop(claim.id, claim.epoch, StopCause::Requested);
            }
        }
    }
    let draining = shared.drain.is_cancelled();
    let trouble = shared.health.trouble();
    let standing = registry::beat(&mut *listener, shared.owner, draining, trouble).await?;
    match &standing {
        Some(standing) if standing.drain_requested && !draining => drain(shared),
        Some(_) => {}
        None => register(shared, listener).await?,
    }
    if standing.is_none_or(|standing| standing.was_lost) {
        let jobs = take_back(listener, process_id()).await?;
        tracing::info!(
            jobs,
            "this process was taken for dead or frozen; its jobs' crashes are taken back"
        );
    }
    shared.lease.renewed(sent);
    Ok(())
}

/// What a notification asks of the lease thread itself.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Heard {
    Nothing,
    Drain,
}

fn hear(shared: &Shared, notification: &PgNotification) -> Heard {
    let payload = notification.payload();
    match notification.channel() {
        cancel::CHANNEL => {
            if let Ok(subject) = payload.parse() {
                shared.in_flight.stop_subject(subject, StopCause::Requested);
            }
        }
        worker_list::DRAIN_CHANNEL
            if payload.parse() == Ok(shared.owner) && !shared.drain.is_cancelled() =>
        {
            drain(shared);
            return Heard::Drain;
        }
        worker_list::DRAIN_CHANNEL => {}
        channel if shared.waker.take_broadcast(channel, payload) => {}
        channel if shared.settings.queues.iter().any(|queue| queue == payload) => {
            match channel == wake::RETURNED_CHANNEL {
                true => shared.bell.ring_for_returned(),
                false => shared.bell.ring(),
            }
        }
        _ => {}
    }
    Heard::Nothing
}

fn drain(shared: &Shared) {
    tracing::info!("an operator asked this worker to drain");
    shared.drain.cancel();
}

async fn timed<T>(
    limit: Duration,
    work: impl Future<Output = Result<T, sqlx::Error>>,
) -> Result<T, sqlx::Error> {
    match tokio::time::timeout(limit, work).await {
        Ok(result) => result,
        Err(_) => Err(sqlx::Error::PoolTimedOut),
    }
}
