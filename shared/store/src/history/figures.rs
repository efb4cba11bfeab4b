//! Reads figures and filter values over many sessions.

use sqlx::PgConnection;
use tarsy_model::{SessionId, SessionStatus};

use super::hours::HOUR_US;
use crate::Error;

/// Figures of sessions with the same hour, status and alert type.
#[derive(Clone, Debug)]
pub struct HourFigures {
    /// Start of the hour, Unix microseconds.
    pub hour_us: i64,
    /// Status of these sessions.
    pub status: SessionStatus,
    /// Alert type of these sessions.
    pub alert_type: String,
    /// Number of sessions.
    pub sessions: i64,
    /// Total duration of the sessions that have ended, in ms.
    pub duration_ms: i64,
    /// Number of these sessions that have ended.
    pub ended: i64,
    /// Number of duplicates of these sessions.
    pub duplicates: i64,
}

/// Returns figures of the sessions started since `from_us`, one row per hour, status and alert type.
///
/// Reads past hours from their stored sums ([`sum_up_hours`](super::sum_up_hours)). Reads sessions themselves for the
/// incomplete hours at both ends, for hours without sums yet, and for hours with a live session, whose sums are
/// outdated.
pub async fn figures_by_hour(
    conn: &mut PgConnection,
    from_us: i64,
) -> Result<Vec<HourFigures>, Error> {
    let whole_us = from_us.div_euclid(HOUR_US) * HOUR_US + HOUR_US;
    let rolled_us = sqlx::query_scalar!("select rolled_until_us from session_hours_state")
        .fetch_one(&mut *conn)
        .await?;
    let moved = sqlx::query_scalar!(
        r#"select distinct started_at_us / $1 * $1 as "hour_us!" from alert_sessions
           where status in ('pending', 'in_progress') and started_at_us >= $2 and started_at_us < $3"#,
        HOUR_US,
        whole_us,
        rolled_us,
    )
    .fetch_all(&mut *conn)
    .await?;
    let mut figures = sqlx::query_as!(
        HourFigures,
        r#"select hour_us, status as "status: SessionStatus", alert_type, sessions, duration_ms, ended, duplicates
           from session_hours where hour_us >= $1 and hour_us < $2 and not hour_us = any($3)"#,
        whole_us,
        rolled_us,
        &moved,
    )
    .fetch_all(&mut *conn)
    .await?;
    let mut spans = vec![(from_us, whole_us), (whole_us.max(rolled_us), i64::MAX)];
    spans.extend(moved.iter().map(|hour_us| (*hour_us, hour_us + HOUR_US)));
    figures.extend(read(conn, &spans).await?);
    Ok(figures)
}

/// Computes figures from the sessions. Each span includes its start and excludes its end.
async fn read(conn: &mut PgConnection, spans: &[(i64, i64)]) -> Result<Vec<HourFigures>, Error> {
    let (from_us, until_us): (Vec<i64>, Vec<i64>) = spans.iter().copied().unzip();
    Ok(sqlx::query_as!(
        HourFigures,
        r#"select f.hour_us as "hour_us!", f.status as "status!: SessionStatus", f.alert_type as "alert_type!",
                  f.sessions as "sessions!", f.duration_ms as "duration_ms!", f.ended as "ended!", f.duplicates as "duplicates!"
           from unnest($1::bigint[], $2::bigint[]) as span (from_us, until_us)
           cross join lateral (
               select started_at_us / $3 * $3 as hour_us, status, alert_type, count(*) as sessions,
                      coalesce(sum((completed_at_us - started_at_us) / 1000), 0)::bigint as duration_ms,
                      count(completed_at_us) as ended, sum(duplicate_count)::bigint as duplicates
               from alert_sessions where started_at_us >= span.from_us and started_at_us < span.until_us
                 and parent_session_id is null
               group by 1, 2, 3
           ) f"#,
        &from_us,
        &until_us,
        HOUR_US,
    )
    .fetch_all(conn)
    .await?)
}

/// Filter values of ended sessions.
#[derive(Clone, Debug, Default)]
pub struct Facets {
    /// Alert types of ended sessions.
    pub alert_types: Vec<String>,
    /// Chains of ended sessions.
    pub chain_ids: Vec<String>,
    /// Severities of ended sessions.
    pub severities: Vec<String>,
}

/// Reads the filter values of ended sessions, with one index jump per value.
pub async fn facets(conn: &mut PgConnection) -> Result<Facets, Error> {
    let alert_types = sqlx::query_scalar!(
        r#"with recursive found as (
               (select alert_type as value from alert_sessions where completed_at_us is not null order by alert_type limit 1)
               union all
               select (select s.alert_type from alert_sessions s
                       where s.completed_at_us is not null and s.alert_type > f.value order by s.alert_type limit 1)
               from found f where f.value is not null
           ) select value as "value!" from found where value is not null limit 500"#
    )
    .fetch_all(&mut *conn)
    .await?;
    let chain_ids = sqlx::query_scalar!(
        r#"with recursive found as (
               (select chain_id as value from alert_sessions where completed_at_us is not null and chain_id not in ('follow-up', 'sub-agent') order by chain_id limit 1)
               union all
               select (select s.chain_id from alert_sessions s
                       where s.completed_at_us is not null and s.chain_id > f.value and s.chain_id not in ('follow-up', 'sub-agent') order by s.chain_id limit 1)
               from found f where f.value is not null
           ) select value as "value!" from found where value is not null limit 500"#
    )
    .fetch_all(&mut *conn)
    .await?;
    let severities = sqlx::query_scalar!(
        r#"with recursive found as (
               (select severity as value from alert_sessions where completed_at_us is not null order by severity limit 1)
               union all
               select (select s.severity from alert_sessions s
                       where s.completed_at_us is not null and s.severity > f.value order by s.severity limit 1)
               from found f where f.value is not null
           ) select value as "value!" from found where value is not null limit 100"#
    )
    .fetch_all(conn)
    .await?;
    Ok(Facets {
        alert_types,
        chain_ids,
        severities,
    })
}

/// Numbers of one session's interactions.
#[derive(Clone, Copy, Debug, Default)]
pub struct SessionFigures {
    /// Model calls.
    pub llm_interactions: i64,
    /// Tool calls and tool lists.
    pub mcp_communications: i64,
    /// Number of both that failed.
    pub errors: i64,
}

/// Counts one session's interactions.
pub async fn session_figures(
    conn: &mut PgConnection,
    session_id: SessionId,
) -> Result<SessionFigures, Error> {
    Ok(sqlx::query_as!(
        SessionFigures,
        r#"select l.number as "llm_interactions!", m.number as "mcp_communications!", l.errors + m.errors as "errors!"
           from (select count(*) as number, count(*) filter (where success is false) as errors
                 from llm_interactions where session_id = $1) l,
                (select count(*) as number, count(*) filter (where success is false) as errors
                 from mcp_interactions where session_id = $1) m"#,
        session_id.as_uuid(),
    )
    .fetch_one(conn)
    .await?)
}
