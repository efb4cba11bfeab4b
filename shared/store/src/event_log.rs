//! Reading events, as they become visible and again later.
//!
//! Ids are given out when a row is inserted and become visible when its transaction
//! commits, so a lower id may appear after a higher one. A reader that must not miss any
//! keeps the gaps it has seen, and finds out with [`event_writers`] when a gap stays empty.

mod alert_ids;

use sqlx::{PgConnection, PgExecutor};
use tarsy_model::SessionId;

pub use alert_ids::add_alert_ids;

use crate::Error;

/// Kinds that `dashboard_updates` does not hear.
const SESSION_ONLY: [&str; 3] = ["llm_interaction", "mcp_interaction", "mcp_tool_list"];

/// An event that has happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventRecord {
    /// Rises, with gaps.
    pub id: i64,
    /// The session it is about, if any.
    pub session_id: Option<SessionId>,
    /// Word of the event, e.g. `stage_progress`.
    pub kind: String,
    /// What a client receives as `data`, as JSON text.
    pub payload: String,
    /// When its transaction began, Unix microseconds.
    pub created_at_us: i64,
}

impl EventRecord {
    /// Whether only those hear it who watch its session.
    #[must_use]
    pub fn is_detail(&self) -> bool {
        SESSION_ONLY.contains(&self.kind.as_str())
    }
}

/// The newest id there is, 0 without any, and those of the last `span` ids that are there.
pub async fn newest_events(conn: impl PgExecutor<'_>, span: i64) -> Result<Vec<i64>, Error> {
    let ids = sqlx::query_scalar!(
        "select id from events where id > (select coalesce(max(id), 0) from events) - $1 order by id",
        span
    )
    .fetch_all(conn)
    .await?;
    Ok(ids)
}

/// The first `limit` events within these ranges of ids, both ends included, by id; as they were written,
/// without what [`add_alert_ids`] adds.
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

/// The transactions that hold a lock to write events now.
///
/// A transaction takes that lock before its first event gets an id and keeps it until its
/// end is visible. So of an id that was missing before this was asked, everybody who might
/// still bring it is in the answer.
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

/// Give events new ids, so that readers who have passed them by meet them again.
pub async fn renumber_events(conn: impl PgExecutor<'_>, ids: &[i64]) -> Result<u64, Error> {
    let moved = sqlx::query!("update events set id = default where id = any($1)", ids)
        .execute(conn)
        .await?;
    Ok(moved.rows_affected())
}

/// Pass by as many ids as a primary can have given out that its successor has not heard of: sequences are logged
/// when the transaction is, and some are committed before the log is sent.
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

/// Events of all sessions that `dashboard_updates` hears, after `after` and up to `through`,
/// the first `limit` of them.
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

/// Events of one session, after `after` and up to `through`, the first `limit` of them.
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

/// The oldest id that is kept, if any event is.
pub async fn oldest_event(conn: &mut PgConnection) -> Result<Option<i64>, Error> {
    Ok(sqlx::query_scalar!("select min(id) from events")
        .fetch_one(conn)
        .await?)
}
