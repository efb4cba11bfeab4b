//! Keeping the search documents behind the sessions.

use sqlx::PgConnection;

use crate::Error;

/// Sessions commit up to this long after the time they carry: looked at again, in µs.
const OVERLAP_US: i64 = 10_000_000;

/// Read up to `limit` new and up to `limit` newly ended sessions into the search table;
/// answers how many were read. Call again at once while that is `limit` or more.
///
/// Ended sessions are read in the order of their ends, none left out. A live one may be left
/// out while this lags behind by more than 10 s; it is read when it ends. Safe to call from
/// several processes and to call twice.
///
/// # Errors
///
/// [`Error::Database`].
pub async fn index_for_search(conn: &mut PgConnection, limit: i64) -> Result<u64, Error> {
    let done = sqlx::query!(
        r#"
        with fresh as (
            select s.session_id from alert_sessions s
            where s.status in ('pending', 'in_progress') and s.completed_at_us is null
              and s.started_at_us >= coalesce((select max(started_at_us) from session_search), 0) - $2
              and not exists (select from session_search d where d.session_id = s.session_id)
            order by s.started_at_us limit $1
        ), ended as (
            select s.session_id from alert_sessions s
            where s.completed_at_us >= coalesce((select max(completed_at_us) from session_search), 0) - $2
              and s.completed_at_us is not null
              and not exists (select from session_search d
                              where d.session_id = s.session_id and d.completed_at_us = s.completed_at_us)
            order by s.completed_at_us limit $1
        )
        insert into session_search as d (session_id, started_at_us, completed_at_us, document)
        select s.session_id, s.started_at_us, s.completed_at_us,
               left(fold_case(concat_ws(E'\n', s.session_id, s.alert_type, s.severity, s.alert_data,
                                        s.error_message, s.final_analysis, s.runbook_error, e.errors)), 65536)
        from (select session_id from fresh union select session_id from ended) wanted
        join alert_sessions s using (session_id)
        cross join lateral (
            select string_agg(error_message, E'\n') as errors from stage_executions where session_id = s.session_id
        ) e
        order by s.session_id
        on conflict (session_id) do update
            set completed_at_us = excluded.completed_at_us, document = excluded.document
            where d.completed_at_us is distinct from excluded.completed_at_us
        "#,
        limit,
        OVERLAP_US,
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected())
}
