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

/// Keep-alive of a blocking thread: longer than any process lives.
const FOR_EVER: Duration = Duration::from_secs(100 * 365 * 24 * 60 * 60);

/// Time limit for a worker that has ended to delete its row.
const DEREGISTER_TIMEOUT: Duration = Duration::from_secs(3);

/// Starts the lease thread. The receiver resolves when the thread has ended.
///
/// It is a separate thread with its own runtime, so that handlers that block or saturate the main runtime can't
/// prevent a lease renewal. One direct connection carries everything that needs a session: the advisory lock, LISTEN,
/// and the renewals, which also serve as its ping.
pub(crate) fn start(shared: Arc<Shared>, direct: Primary) -> Result<oneshot::Receiver<()>, Error> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .thread_keep_alive(FOR_EVER)
        .build()
        .map_err(Error::Thread)?;
    // Starts the thread for DNS lookups of the database's host now. Without one, tokio panics if it can't create a
    // thread later.
    runtime.spawn_blocking(|| ());
    let (ended, end) = oneshot::channel();
    let work = move || {
        let keeping = supervise("the lease", async || keep(&shared, &direct).await);
        let watching = supervise("the watch over the lease", async || watch(&shared).await);
        runtime.block_on(async { tokio::join!(keeping, watching) });
        // Connections that are dropped here (by the listener, or because this is their last holder) are returned to
        // their pool by spawned tasks. Spawning panics outside a runtime's context.
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

/// Stops all work shortly before other workers may take it over, if no renewal has succeeded for too long.
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
        // Checks when the time is up, not at the next tick: the handlers need the rest of the time until the takeover
        // to stop.
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

/// Keeps a session until the worker has ended.
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

/// Keeps a session, and replaces it at once whenever it is lost.
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
