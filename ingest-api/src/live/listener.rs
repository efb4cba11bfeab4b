//! Receives notifications of new events, and pieces of answers, by LISTEN on a direct connection to Postgres.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rand::Rng as _;
use sqlx::postgres::{PgListener, PgPoolOptions};
use tarsy_model::{ANSWERS_CHANNEL, AnswerPiece};
use tarsy_postgres::{Moves, Primary};
use tarsy_queue::EVENTS_CHANNEL;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::live::answers;
use crate::live::hub::Hub;

/// Interval of the checks that the connection still works.
const PING: Duration = Duration::from_secs(5);
/// Timeout of a connection attempt or ping.
const PATIENCE: Duration = Duration::from_secs(3);
/// Longest pause before another connection attempt.
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// Notification that there are new events. One may be lost, so readers also poll.
#[derive(Clone, Debug, Default)]
pub(super) struct Calls {
    pub(super) new_events: Arc<Notify>,
    /// Whether notifications can be received now.
    pub(super) listening: Arc<AtomicBool>,
}

/// Listens until `stop`, and reconnects when the connection is lost.
pub(super) async fn listen(direct: Primary, hub: Hub, calls: Calls, stop: CancellationToken) {
    let mut moves = direct.moves();
    let mut failures = 0_u32;
    let work = async {
        loop {
            let ended = listen_once(&direct, &hub, &mut moves, &calls, &mut failures).await;
            if calls.listening.swap(false, Ordering::Relaxed) {
                tracing::info!(error = ?ended, "the listener for events was lost; looking by myself until it is back");
            }
            failures = failures.saturating_add(1);
            let pause = Duration::from_millis(50 << failures.min(8)).min(LONGEST_PAUSE);
            let pause = pause.mul_f64(rand::rng().random_range(0.5..1.0));
            tokio::select! {
                () = moves.moved() => {}
                () = tokio::time::sleep(pause) => {}
            }
        }
    };
    Box::pin(stop.run_until_cancelled(work)).await;
}

/// Listens over one connection until it ends.
async fn listen_once(
    direct: &Primary,
    hub: &Hub,
    moves: &mut Moves,
    calls: &Calls,
    failures: &mut u32,
) -> Result<(), tarsy_store::Error> {
    let mut listener = timed(connect(direct)).await?;
    *failures = 0;
    calls.listening.store(true, Ordering::Relaxed);
    // Has events read that were announced while no connection listened.
    calls.new_events.notify_one();
    let mut ping = tokio::time::interval(PING);
    ping.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            received = listener.try_recv() => match received.map_err(tarsy_store::Error::from)? {
                Some(answer) if answer.channel() == ANSWERS_CHANNEL => publish_piece(hub, answer.payload()),
                Some(_) => calls.new_events.notify_one(),
                None => return Ok(()),
            },
            () = moves.moved() => return Ok(()),
            _ = ping.tick() => timed(tarsy_store::overload::ping_over(&mut listener)).await?,
        }
    }
}

async fn connect(direct: &Primary) -> Result<PgListener, tarsy_store::Error> {
    let pool = PgPoolOptions::new()
        .max_connections(1)
        .max_lifetime(None)
        .idle_timeout(None)
        .connect_with(direct.options().application_name("ingest-api events"))
        .await?;
    let mut listener = PgListener::connect_with(&pool).await?;
    listener.eager_reconnect(false);
    direct.admit(&mut listener).await?;
    listener
        .listen_all([EVENTS_CHANNEL, ANSWERS_CHANNEL])
        .await?;
    Ok(listener)
}

/// Passes a piece of an answer to the subscribers of its session. A newer worker may send one that
/// this version can't parse.
fn publish_piece(hub: &Hub, payload: &str) {
    match serde_json::from_str::<AnswerPiece>(payload) {
        Ok(piece) => hub.publish_piece(&piece, || answers::message(&piece)),
        Err(error) => tracing::debug!(?error, "unreadable piece of an answer"),
    }
}

async fn timed<T>(
    work: impl Future<Output = Result<T, tarsy_store::Error>>,
) -> Result<T, tarsy_store::Error> {
    tokio::time::timeout(PATIENCE, work)
        .await
        .unwrap_or(Err(sqlx::Error::PoolTimedOut.into()))
}
