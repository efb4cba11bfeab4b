//! Streams answers while models write them, from stage workers to the sockets that subscribe to
//! their session.
//!
//! The pieces are not stored. Workers send only pieces of sessions that have subscribers, so this
//! process announces which sessions those are.

use std::time::Duration;

use axum::extract::ws::Utf8Bytes;
use serde_json::json;
use sqlx::PgPool;
use tarsy_model::{
    AnswerPiece, SessionId, WATCHING_CHANNEL, WATCHING_SECONDS, WATCHING_SESSIONS, Watching,
};
use tarsy_queue::{broadcast, within_deadline};
use tokio_util::sync::CancellationToken;

use crate::live::channel::Channel;
use crate::live::hub::Hub;
use crate::server::clock;

/// Interval of the announcements of all sessions with subscribers.
const EVERY: Duration = Duration::from_secs(WATCHING_SECONDS / 10);
/// Pause after an announcement of new subscriptions, so that those of the next moment are announced together.
const REST: Duration = Duration::from_millis(100);

/// Renders a piece as sockets receive it.
pub(super) fn message(piece: &AnswerPiece) -> Utf8Bytes {
    let session_id = piece.session_id;
    let body = json!({
        "type": "answer_piece", "session_id": session_id, "channel": Channel::Session(session_id).to_string(),
        "timestamp_us": clock::now_us(),
        "data": {
            "stage_execution_id": piece.stage_execution_id, "interaction_id": piece.interaction_id,
            "epoch": piece.epoch, "attempt": piece.attempt, "part": piece.part, "offset": piece.offset,
            "text": piece.text,
        },
    });
    body.to_string().into()
}

/// Announces to stage workers which sessions have subscribers in this process, until `stop`.
pub(super) async fn announce(hub: &Hub, pool: &PgPool, stop: &CancellationToken) {
    let work = async {
        let mut again = tokio::time::interval(EVERY);
        again.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                _ = again.tick() => broadcast_watched(pool, false, hub.watched_sessions()).await,
                joined = hub.joined() => {
                    broadcast_watched(pool, true, joined).await;
                    tokio::time::sleep(REST).await;
                }
            }
        }
    };
    Box::pin(stop.run_until_cancelled(work)).await;
}

async fn broadcast_watched(pool: &PgPool, joined: bool, sessions: Vec<SessionId>) {
    let payloads: Vec<String> = sessions
        .chunks(WATCHING_SESSIONS)
        .map(|sessions| {
            json!(Watching {
                joined,
                sessions: sessions.to_vec()
            })
            .to_string()
        })
        .collect();
    if payloads.is_empty() {
        return;
    }
    let broadcasting = async {
        let mut conn = pool.acquire().await?;
        broadcast(&mut conn, WATCHING_CHANNEL, &payloads).await
    };
    if let Err(error) = within_deadline(broadcasting).await {
        tracing::debug!(?error, "failed to say which sessions are watched");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_announcement_fits() {
        let sessions = vec![SessionId::generate(); WATCHING_SESSIONS];
        let text = json!(Watching {
            joined: false,
            sessions
        })
        .to_string();
        assert!(
            text.len() <= tarsy_queue::LONGEST_BROADCAST,
            "{}",
            text.len()
        );
    }
}
