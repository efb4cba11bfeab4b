//! Writes the search documents of sessions, asynchronously.

use std::time::Duration;

use sqlx::PgConnection;
use uuid::Uuid;

use crate::Error;
use crate::clock_step::STEP_BACK_US;
use crate::late_commits::{LATE_US, micros};

/// Version of the documents that are written. Raise it when their text changes, e.g. because of new masking. Documents
/// of older versions are then rewritten ([`outdated_search_texts`]).
const DOCUMENT_VERSION: i16 = 1;

/// Searchable text of a session. The indexer masks it.
#[derive(Clone, Debug)]
pub struct SearchText {
    session_id: Uuid,
    started_at_us: i64,
    completed_at_us: Option<i64>,
    /// Text of alert, errors and analysis.
    pub text: String,
}

/// Reads up to `limit` new and up to `limit` newly ended sessions for the search table, in the order of their starts
/// and ends. Moves the cursor. Returns how many sessions it read, and the documents to write. Call it again at once
/// while that number is `limit` or more.
///
/// Sessions younger than `min_age` are left for later, so that most sessions that commit out of order are visible by
/// then. [`late_search_texts`] finds later ones that have ended. A session whose acceptance committed late is read
/// when it ends. Only one caller may run at a time.
pub async fn search_texts(
    conn: &mut PgConnection,
    limit: i64,
    min_age: Duration,
) -> Result<(u64, Vec<SearchText>), Error> {
    let rows = sqlx::query!(
        r#"
        with cursor_now as materialized (
            select case when started_at_us > now_us() then now_us() - $1 else started_at_us end as started_at_us,
                   case when completed_at_us > now_us() then now_us() - $1 else completed_at_us end as completed_at_us
            from search_cursor
        ), fresh as (
            select session_id, started_at_us, completed_at_us from alert_sessions
            where started_at_us > (select started_at_us from cursor_now) and started_at_us <= now_us() - $2
            order by started_at_us
            fetch first ($3::bigint) rows with ties
        ), ended as (
            select session_id, completed_at_us from alert_sessions
            where completed_at_us > (select completed_at_us from cursor_now) and completed_at_us <= now_us() - $2
            order by completed_at_us
            fetch first ($3::bigint) rows with ties
        ), moved as (
            update search_cursor c set
                started_at_us = coalesce((select max(started_at_us) from fresh), b.started_at_us),
                completed_at_us = coalesce((select max(completed_at_us) from ended), b.completed_at_us)
            from cursor_now b
            where exists (select from fresh) or exists (select from ended)
               or (c.started_at_us, c.completed_at_us) <> (b.started_at_us, b.completed_at_us)
        )
        select scanned.n as "scanned!", t.session_id as "session_id?", t.started_at_us as "started_at_us?",
               t.completed_at_us as "completed_at_us?", t.text as "text?"
        from (select (select count(*) from fresh) + (select count(*) from ended) as n) scanned
        left join search_texts(array(
            select session_id from fresh where completed_at_us is null union select session_id from ended)) t on true
        "#,
        STEP_BACK_US,
        micros(min_age),
        limit,
    )
    .fetch_all(conn)
    .await?;
    let scanned = rows.first().map_or(0, |row| row.scanned.unsigned_abs());
    let texts = rows.into_iter().filter_map(|row| {
        Some(SearchText {
            session_id: row.session_id?,
            started_at_us: row.started_at_us?,
            completed_at_us: row.completed_at_us,
            text: row.text?,
        })
    });
    Ok((scanned, texts.collect()))
}

/// Reads up to `limit` ended sessions that [`search_texts`] missed because they committed after its cursor had passed
/// their end. Searches the last five minutes before the cursor.
pub async fn late_search_texts(
    conn: &mut PgConnection,
    limit: i64,
) -> Result<Vec<SearchText>, Error> {
    Ok(sqlx::query_as!(
        SearchText,
        r#"
        select t.session_id as "session_id!", t.started_at_us as "started_at_us!", t.completed_at_us, t.text as "text!"
        from search_texts(array(
            select session_id from (
                select session_id, completed_at_us from alert_sessions
                where completed_at_us > (select completed_at_us from search_cursor) - $1
                  and completed_at_us <= (select completed_at_us from search_cursor)
                except
                select session_id, completed_at_us from session_search
                where completed_at_us > (select completed_at_us from search_cursor) - $1
                  and completed_at_us <= (select completed_at_us from search_cursor)
            ) missed limit $2)) t
        "#,
        LATE_US,
        limit,
    )
    .fetch_all(conn)
    .await?)
}

/// Checks the next `limit` documents after the session `after` for those of an older version. Returns the documents to
/// rewrite, and the session to continue from; `None` if there are no more documents.
pub async fn outdated_search_texts(
    conn: &mut PgConnection,
    after: Uuid,
    limit: i64,
) -> Result<(Vec<SearchText>, Option<Uuid>), Error> {
    let rows = sqlx::query!(
        r#"
        with scanned as (
            select session_id, version from session_search where session_id > $1 order by session_id limit $2
        )
        select last.session_id as "last?", t.session_id as "session_id?", t.started_at_us as "started_at_us?",
               t.completed_at_us as "completed_at_us?", t.text as "text?"
        from (select (select session_id from scanned order by session_id desc limit 1) as session_id) last
        left join search_texts(array(select session_id from scanned where version < $3)) t on true
        "#,
        after,
        limit,
        DOCUMENT_VERSION,
    )
    .fetch_all(conn)
    .await?;
    let next = rows.first().and_then(|row| row.last);
    let texts = rows.into_iter().filter_map(|row| {
        Some(SearchText {
            session_id: row.session_id?,
            started_at_us: row.started_at_us?,
            completed_at_us: row.completed_at_us,
            text: row.text?,
        })
    });
    Ok((texts.collect(), next))
}

/// Writes search documents. Folds their case.
pub async fn write_search_documents(
    conn: &mut PgConnection,
    texts: &[SearchText],
) -> Result<(), Error> {
    if texts.is_empty() {
        return Ok(());
    }
    let column = |of: fn(&SearchText) -> i64| texts.iter().map(of).collect::<Vec<_>>();
    let ends: Vec<_> = texts.iter().map(|text| text.completed_at_us).collect();
    let documents: Vec<_> = texts.iter().map(|text| text.text.clone()).collect();
    sqlx::query!(
        r#"
        insert into session_search as d (session_id, started_at_us, completed_at_us, document, version)
        select session_id, started_at_us, completed_at_us, left(fold_case(text), 65536), $1
        from unnest($2::uuid[], $3::bigint[], $4::bigint[], $5::text[])
            as t (session_id, started_at_us, completed_at_us, text)
        on conflict (session_id) do update
            set completed_at_us = excluded.completed_at_us, document = excluded.document, version = excluded.version
            where d.completed_at_us is distinct from excluded.completed_at_us or d.version < excluded.version
        "#,
        DOCUMENT_VERSION,
        &texts.iter().map(|text| text.session_id).collect::<Vec<_>>(),
        &column(|text| text.started_at_us),
        &ends as &[Option<i64>],
        &documents,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Runs [`search_texts`] and [`write_search_documents`]. Returns how many sessions were read.
pub async fn index_for_search(
    conn: &mut PgConnection,
    limit: i64,
    min_age: Duration,
    mask: fn(&str) -> String,
) -> Result<u64, Error> {
    let (scanned, mut texts) = search_texts(conn, limit, min_age).await?;
    for text in &mut texts {
        text.text = mask(&text.text);
    }
    write_search_documents(conn, &texts).await?;
    Ok(scanned)
}
