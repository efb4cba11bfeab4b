//! Keeping the search documents behind the sessions.

use std::time::Duration;

use sqlx::PgConnection;

use crate::Error;

/// How far behind its cursor [`index_late_for_search`] looks: longer than any transaction may be
/// frozen between its write and its commit, in µs.
const LATE_US: i64 = 300_000_000;

/// Read up to `limit` new and up to `limit` newly ended sessions into the search table, in the
/// order of their starts and ends, and remember how far that went; answers how many were looked
/// at. Call again at once while that is `limit` or more.
///
/// Sessions younger than `settle` are left for later, so that most of those that commit out of
/// order are there. Of the others, [`index_late_for_search`] finds those that have ended; one that
/// was accepted late is read when it ends. One caller at a time.
///
/// # Errors
///
/// [`Error::Database`].
pub async fn index_for_search(
    conn: &mut PgConnection,
    limit: i64,
    settle: Duration,
) -> Result<u64, Error> {
    let looked = sqlx::query_scalar!(
        r#"
        with fresh as (
            select session_id, started_at_us, completed_at_us from alert_sessions
            where started_at_us > (select started_at_us from search_cursor) and started_at_us <= now_us() - $2
            order by started_at_us
            fetch first ($1::bigint) rows with ties
        ), ended as (
            select session_id, completed_at_us from alert_sessions
            where completed_at_us > (select completed_at_us from search_cursor) and completed_at_us <= now_us() - $2
            order by completed_at_us
            fetch first ($1::bigint) rows with ties
        ), moved as (
            update search_cursor set
                started_at_us = coalesce((select max(started_at_us) from fresh), started_at_us),
                completed_at_us = coalesce((select max(completed_at_us) from ended), completed_at_us)
            where exists (select from fresh) or exists (select from ended)
        ), read as (
            insert into session_search as d (session_id, started_at_us, completed_at_us, document)
            select t.* from search_documents(array(
                select session_id from fresh where completed_at_us is null union select session_id from ended)) t
            on conflict (session_id) do update
                set completed_at_us = excluded.completed_at_us, document = excluded.document
                where d.completed_at_us is distinct from excluded.completed_at_us
        )
        select (select count(*) from fresh) + (select count(*) from ended) as "looked!"
        "#,
        limit,
        i64::try_from(settle.as_micros()).unwrap_or(i64::MAX),
    )
    .fetch_one(conn)
    .await?;
    Ok(looked.unsigned_abs())
}

/// Read up to `limit` sessions that ended within the last five minutes before the cursor of
/// [`index_for_search`] and that it has not seen, because they committed after it had passed;
/// answers how many there were.
///
/// # Errors
///
/// [`Error::Database`].
pub async fn index_late_for_search(conn: &mut PgConnection, limit: i64) -> Result<u64, Error> {
    let done = sqlx::query!(
        r#"
        insert into session_search as d (session_id, started_at_us, completed_at_us, document)
        select t.* from search_documents(array(
            select session_id from (
                select session_id, completed_at_us from alert_sessions
                where completed_at_us > (select completed_at_us from search_cursor) - $2
                  and completed_at_us <= (select completed_at_us from search_cursor)
                except
                select session_id, completed_at_us from session_search
                where completed_at_us > (select completed_at_us from search_cursor) - $2
                  and completed_at_us <= (select completed_at_us from search_cursor)
            ) missed limit $1)) t
        on conflict (session_id) do update
            set completed_at_us = excluded.completed_at_us, document = excluded.document
        "#,
        limit,
        LATE_US,
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected())
}
