//! Reads events when they become visible, and again later.
//!
//! An id is assigned when a row is inserted, but the row becomes visible only when its transaction commits. A lower id
//! can therefore appear after a higher one. A reader that must not miss any event remembers the gaps it has seen, and
//! uses [`event_writers`] to find out when a gap will stay empty.

mod alert_ids;

use sqlx::{PgConnection, PgExecutor};
use tarsy_model::SessionId;

pub use alert_ids::add_alert_ids;

use crate::Error;

/// Kinds of events that `dashboard_updates` does not receive.
const SESSION_ONLY: [&str; 3] = ["llm_interaction", "mcp_interaction", "mcp_tool_list"];

/// An event that has happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventRecord {
    /// Id of the event. Rises, with gaps.
    pub id: i64,
    /// Session that the event is about, if any.
    pub session_id: Option<SessionId>,
    /// Kind of the event, e.g. `stage_progress`.
    pub kind: String,
    /// Payload that clients receive as `data`, as JSON text.
    pub payload: String,
    /// Time when its transaction began, in Unix microseconds.
    pub created_at_us: i64,
}

impl EventRecord {
    /// Returns whether only subscribers of its session receive the event.
    #[must_use]
    pub fn is_detail(&self) -> bool {
        SESSION_ONLY.contains(&self.kind.as_str())
    }
}

/// Returns the existing ids among the last `span` ids, in order. Empty if there are no events.
pub async fn newest_events(conn: impl PgExecutor<'_>, span: i64) -> Result<Vec<i64>, Error> {
    let ids = sqlx::query_scalar!(
        "select id from events where id > (select coalesce(max(id), 0) from events) - $1 order by id",
        span
    )
    .fetch_all(conn)
    .await?;
    Ok(ids)
}

/// Returns the first `limit` events within these ranges of ids (both ends included), ordered by id. They are returned
/// as written, without the ids that [`add_alert_ids`] adds.
pub async fn read_events(
    conn: impl PgExecutor<'_>,
    ranges: &[(i64, i64)],
    limit: i64,
) -> Result<Vec<EventRecord>, Error> {
    let rows = sqlx::query_as!(
        EventRecord,
        r#"
        select e.id as "id!", e.session_id as "session_id: SessionId", e.kind as "kind!",
               e.payload::text as "payload!",
               (extract(epoch from e.created_at) * 1000000)::bigint as "created_at_us!"
        from unnest($1::bigint[], $2::bigint[]) as r (first, last)
        cross join lateral (
            select * from events where id between r.first and r.last order by id limit $3
        ) e
        order by e.id
        limit $3
        "#,
        &ranges.iter().map(|range| range.0).collect::<Vec<_>>(),
        &ranges.iter().map(|range| range.1).collect::<Vec<_>>(),
        limit
    )
    .fetch_all(conn)
    .await?;
    Ok(rows)
}

/// Returns the transactions that hold a lock to write events at the moment.
///
/// A transaction takes this lock before its first event gets an id, and keeps it until its end is visible. If an id
/// was missing before this call, any transaction that may still write it is in the result.
pub async fn event_writers(conn: impl PgExecutor<'_>) -> Result<Vec<String>, Error> {
    let writers = sqlx::query_scalar!(
        r#"
        select distinct virtualtransaction as "writer!" from pg_locks
        where locktype = 'relation' and relation = 'events'::regclass and mode = 'RowExclusiveLock' and granted
          and database = (select oid from pg_database where datname = current_database())
        "#
    )
    .fetch_all(conn)
    .await?;
    Ok(writers)
}

/// Gives events new ids, so that readers that have already passed their old ids read them again.
pub async fn renumber_events(conn: impl PgExecutor<'_>, ids: &[i64]) -> Result<u64, Error> {
    let moved = sqlx::query!("update events set id = default where id = any($1)", ids)
        .execute(conn)
        .await?;
    Ok(moved.rows_affected())
}

/// Skips as many event ids as a former primary can have assigned without its successor knowing: sequences are logged
/// with the transaction, and some transactions commit before the log is sent.
///
/// # Errors
///
/// Those of the database.
pub async fn pass_by_event_ids(conn: &mut PgConnection) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "select count(nextval(pg_get_serial_sequence('events', 'id'))) from generate_series(1, 10000)"
    )
    .fetch_one(conn)
    .await?;
    Ok(())
}

/// Returns the first `limit` events of all sessions that `dashboard_updates` receives, after `after` and up to
/// `through`.
pub async fn overview_events(
    conn: &mut PgConnection,
    after: i64,
    through: i64,
    limit: i64,
) -> Result<Vec<EventRecord>, Error> {
    let mut rows = sqlx::query_as!(
        EventRecord,
        r#"
        select id, session_id as "session_id: SessionId", kind, payload::text as "payload!",
               (extract(epoch from created_at) * 1000000)::bigint as "created_at_us!"
        from events
        where id > $1 and id <= $2 and kind <> all($3) order by id limit $4
        "#,
        after,
        through,
        &SESSION_ONLY.map(str::to_owned) as &[String],
        limit
    )
    .fetch_all(&mut *conn)
    .await?;
    add_alert_ids(conn, &mut rows).await?;
    Ok(rows)
}

/// Returns the first `limit` events of one session, after `after` and up to `through`.
pub async fn session_events(
    conn: &mut PgConnection,
    session_id: SessionId,
    after: i64,
    through: i64,
    limit: i64,
) -> Result<Vec<EventRecord>, Error> {
    let mut rows = sqlx::query_as!(
        EventRecord,
        r#"
        select id, session_id as "session_id: SessionId", kind, payload::text as "payload!",
               (extract(epoch from created_at) * 1000000)::bigint as "created_at_us!"
        from events
        where session_id = $1 and id > $2 and id <= $3 order by id limit $4
        "#,
        session_id.as_uuid(),
        after,
        through,
        limit
    )
    .fetch_all(&mut *conn)
    .await?;
    add_alert_ids(conn, &mut rows).await?;
    Ok(rows)
}

/// Returns the oldest stored id, if there are any events.
pub async fn oldest_event(conn: &mut PgConnection) -> Result<Option<i64>, Error> {
    Ok(sqlx::query_scalar!("select min(id) from events")
        .fetch_one(conn)
        .await?)
}
