//! Maintains the traits of sessions: values from their alerts by which lists are filtered.

use std::time::Duration;

use sqlx::PgConnection;
use tarsy_model::SessionField;

use crate::Error;
use crate::clock_step::STEP_BACK_US;
use crate::late_commits::{LATE_US, micros};

/// Number of characters of a value that are used, as in `traits_of`.
const LONGEST_VALUE: usize = 200;

/// Formats a field and its value in the same way as `traits_of`.
pub(super) fn of_row(field: SessionField, value: &str) -> String {
    let value: String = value.chars().take(LONGEST_VALUE).collect();
    format!("{}={value}", field.name())
}

/// Returns the start time up to which sessions have their traits in the table, in Unix microseconds.
pub(super) async fn traits_written_until(conn: &mut PgConnection) -> Result<i64, Error> {
    Ok(
        sqlx::query_scalar!("select started_at_us from session_traits_cursor")
            .fetch_one(conn)
            .await?,
    )
}

/// Writes the traits of up to `limit` sessions, in the order of their starts, and moves the cursor. Returns how many.
/// Call it again at once while that is `limit` or more. Only one caller may run at a time.
///
/// Sessions younger than `min_age` are left for later, so that most sessions that commit out of order are visible by
/// then. [`late_session_traits`] finds the others.
pub async fn write_session_traits(
    conn: &mut PgConnection,
    limit: i64,
    min_age: Duration,
) -> Result<u64, Error> {
    let written = sqlx::query_scalar!(
        r#"
        with cursor_now as materialized (
            select case when started_at_us > now_us() then now_us() - $1 else started_at_us end as started_at_us
            from session_traits_cursor
        ), fresh as (
            select session_id, started_at_us from alert_sessions
            where started_at_us > (select started_at_us from cursor_now) and started_at_us <= now_us() - $2
            order by started_at_us
            fetch first ($3::bigint) rows with ties
        ), moved as (
            update session_traits_cursor c
            set started_at_us = coalesce((select max(started_at_us) from fresh), b.started_at_us)
            from cursor_now b
            where exists (select from fresh) or c.started_at_us <> b.started_at_us
        ), kept as (
            insert into session_traits (trait, started_at_us, session_id)
            select t.trait, s.started_at_us, s.session_id
            from fresh join alert_sessions s using (session_id)
            cross join unnest(traits_of(s.source, s.alert_data, s.chain_definition)) t (trait)
            on conflict do nothing
        )
        select count(*) as "settled!" from fresh
        "#,
        STEP_BACK_US,
        micros(min_age),
        limit,
    )
    .fetch_one(conn)
    .await?;
    Ok(written.unsigned_abs())
}

/// Writes the traits of up to `limit` sessions that committed after the cursor had passed their start. Searches the
/// last five minutes before the cursor for sessions without traits. Returns how many it wrote.
pub async fn late_session_traits(conn: &mut PgConnection, limit: i64) -> Result<u64, Error> {
    // Each session has the trait `source`, so its absence shows that none were written.
    let late = sqlx::query_scalar!(
        r#"
        with late as (
            select s.session_id from alert_sessions s
            where s.started_at_us > (select started_at_us from session_traits_cursor) - $1
              and s.started_at_us <= (select started_at_us from session_traits_cursor)
              and not exists (select from session_traits t where t.trait = left('source=' || s.source, 207)
                              and t.started_at_us = s.started_at_us and t.session_id = s.session_id)
            limit $2
        ), kept as (
            insert into session_traits (trait, started_at_us, session_id)
            select t.trait, s.started_at_us, s.session_id
            from late join alert_sessions s using (session_id)
            cross join unnest(traits_of(s.source, s.alert_data, s.chain_definition)) t (trait)
            on conflict do nothing
        )
        select count(*) as "late!" from late
        "#,
        LATE_US,
        limit,
    )
    .fetch_one(conn)
    .await?;
    Ok(late.unsigned_abs())
}

/// Deletes traits of sessions that started before the oldest existing one, up to `limit` of each trait.
pub async fn prune_session_traits(conn: &mut PgConnection, limit: i64) -> Result<u64, Error> {
    let pruned = sqlx::query!(
        r#"
        with recursive names as (
            (select trait from session_traits order by trait limit 1)
            union all
            select (select t.trait from session_traits t where t.trait > n.trait order by t.trait limit 1)
            from names n where n.trait is not null
        ), old as (
            select o.* from names n cross join lateral (
                select trait, started_at_us, session_id from session_traits t
                where t.trait = n.trait
                  and t.started_at_us < coalesce((select min(started_at_us) from alert_sessions), now_us() - $1)
                order by started_at_us limit $2
            ) o where n.trait is not null
        )
        delete from session_traits t using old o
        where t.trait = o.trait and t.started_at_us = o.started_at_us and t.session_id = o.session_id
        "#,
        LATE_US,
        limit,
    )
    .execute(conn)
    .await?;
    Ok(pruned.rows_affected())
}

/// Returns all values of a field of `session_traits`, up to 500. Each value takes one index jump.
pub async fn trait_values(
    conn: &mut PgConnection,
    field: SessionField,
) -> Result<Vec<String>, Error> {
    let prefix = of_row(field, "");
    Ok(sqlx::query_scalar!(
        r#"with recursive found as (
               (select trait from session_traits where trait >= $1 order by trait limit 1)
               union all
               select (select t.trait from session_traits t where t.trait > f.trait order by t.trait limit 1)
               from found f where starts_with(f.trait, $1)
           ) select substr(trait, length($1) + 1) as "value!" from found where starts_with(trait, $1) limit 500"#,
        prefix,
    )
    .fetch_all(conn)
    .await?)
}

/// Returns all assignees of sessions, up to 200. Each takes one index jump.
pub async fn assignees(conn: &mut PgConnection) -> Result<Vec<String>, Error> {
    Ok(sqlx::query_scalar!(
        r#"with recursive found as (
               (select assignee as value from session_care where assignee is not null order by assignee limit 1)
               union all
               select (select c.assignee from session_care c where c.assignee > f.value order by c.assignee limit 1)
               from found f where f.value is not null
           ) select value as "value!" from found where value is not null limit 200"#
    )
    .fetch_all(conn)
    .await?)
}
