//! The lease thread: renews claims, sends heartbeats, listens for notifications.

mod connect;
mod renewal;
mod session;

use std::sync::Arc;
use std::time::Duration;

use tarsy_postgres::Primary;
use tokio::sync::oneshot;

use self::session::End;
use crate::worker::shared::Shared;
use crate::worker::stop::StopCause;
use crate::{Error, supervise};

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

/// Stop all work when others may soon take it over, as no renewal has got an answer for too long.
async fn watch(shared: &Shared) {
    let pause = shared.settings.lease.patience();
    loop {
        let left = shared.lease.time_left();
        if left.is_zero() || shared.is_cut_off() {
            let stopped = shared.in_flight.stop_all(StopCause::ClaimLost);
            if stopped > 0 {
                tracing::debug!(
                    stopped,
                    "leases could not be renewed; their work is stopped"
                );
            }
        }
        // When the time is up, not at the next tick: what is left until the takeover is for stopping.
        let next = match left.is_zero() {
            true => pause,
            false => left.min(pause),
        };
        let waited = shared.done.run_until_cancelled(tokio::time::sleep(next));
        if waited.await.is_none() {
            return;
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
        () = keep_session(shared, direct) => {}
        () = deregister_timeout => tracing::warn!("Postgres does not answer; this worker's row is left to the sweepers"),
    }
}

/// Holds a session, and gets a new one at once whenever it is lost.
async fn keep_session(shared: &Shared, direct: &Primary) {
    let mut moves = direct.moves();
    let mut session = connect::connect(shared, direct).await;
    loop {
        session = match session.serve(shared, direct, &mut moves).await {
            End::Left => return session.close(shared.settings.lease.outage() / 3).await,
            End::Replaced(fresh) => *fresh,
            End::Lost(error) => {
                tracing::warn!(?error, "lease connection lost; reconnecting");
                drop(session);
                connect::connect(shared, direct).await
            }
        };
    }
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
