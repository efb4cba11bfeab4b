//! Repeats events for a client that was disconnected or too slow.

use axum::extract::ws::Utf8Bytes;
use sqlx::{PgConnection, PgPool};
use tarsy_store::event_log::EventRecord;

use crate::live::channel::Channel;
use crate::live::{protocol, render};

/// Maximum number of events of one catch-up. The client requests further ones itself.
const MOST: usize = 1_000;

/// Returns the messages after event `seen`, up to event `through`, that a client lacks.
pub(crate) async fn catch_up(
    pool: &PgPool,
    channel: Channel,
    seen: i64,
    through: i64,
) -> Result<Vec<Utf8Bytes>, tarsy_store::Error> {
    if seen >= through || !channel.is_recorded() {
        return Ok(vec![protocol::caught_up(
            channel,
            0,
            seen.max(through),
            true,
        )]);
    }
    let mut conn = pool.acquire().await?;
    let mut messages = Vec::new();
    // Older events were pruned. Report the gap instead of leaving it unnoticed.
    let oldest = tarsy_store::event_log::oldest_event(&mut conn)
        .await?
        .unwrap_or(through + 1);
    if seen > 0 && seen + 1 < oldest {
        messages.push(protocol::missed(channel, (seen + 1, oldest - 1)));
    }
    let mut events = read(&mut conn, channel, seen, through).await?;
    let is_whole = events.len() <= MOST;
    events.truncate(MOST);
    let last = if is_whole {
        through
    } else {
        events.last().map_or(seen, |event| event.id)
    };
    messages.extend(
        events
            .iter()
            .flat_map(|event| render::messages(event, channel)),
    );
    messages.push(protocol::caught_up(channel, events.len(), last, is_whole));
    Ok(messages)
}

async fn read(
    conn: &mut PgConnection,
    channel: Channel,
    seen: i64,
    through: i64,
) -> Result<Vec<EventRecord>, tarsy_store::Error> {
    let limit = i64::try_from(MOST + 1).unwrap_or(i64::MAX);
    match channel {
        Channel::Health => Ok(Vec::new()),
        Channel::Dashboard => {
            tarsy_store::event_log::overview_events(conn, seen, through, limit).await
        }
        Channel::Session(id) => {
            tarsy_store::event_log::session_events(conn, id, seen, through, limit).await
        }
    }
}
