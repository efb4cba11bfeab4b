//! Recent stages of each worker pool: waits, throughput, and recoveries after lost workers.
//!
//! No index covers the start or end of a stage, because it would make every stage more expensive. Stages are found by
//! their newest model calls, whose ids are UUIDv7. This finds stages that began after a long wait, no matter how many
//! wait after them. The newest executions are read too, because some end before they call a model.

use sqlx::PgConnection;

use crate::Error;
use crate::gauges::first_id_of;

/// Number of newest model calls that are read.
const NEWEST_CALLS: i64 = 5_000;
/// Number of newest executions that are read.
const NEWEST_STAGES: i64 = 1_000;

/// Stages of one pool.
#[derive(Clone, Debug)]
pub struct PoolFigures {
    /// The pool's name.
    pub pool: String,
    /// Number of stages that began.
    pub begun: i64,
    /// Number of stages that ended, with any status.
    pub ended: i64,
    /// Median time that the stages that began had waited for a worker, in ms.
    pub wait_p50_ms: Option<i64>,
    /// 95th percentile of that time, in ms.
    pub wait_p95_ms: Option<i64>,
}

/// Stages of one pool that were continued after a worker was lost.
#[derive(Clone, Debug)]
pub struct Recovered {
    /// The pool's name.
    pub pool: String,
    /// Number of takeovers.
    pub times: i64,
}

/// Returns figures of each pool since `since_us`. On a busy system the period may begin only at the oldest of the
/// newest calls. Also returns the actual start of the period.
pub async fn pool_figures(
    conn: &mut PgConnection,
    since_us: i64,
) -> Result<(i64, Vec<PoolFigures>), Error> {
    let rows = sqlx::query!(
        r#"with called as materialized (
               select stage_execution_id, timestamp_us from llm_interactions order by interaction_id desc limit $1
           ), span as materialized (
               select greatest($2, case when count(*) = $1 then min(timestamp_us) end) as since_us from called
           ), found as (
               select stage_execution_id as execution_id from called
               union
               (select execution_id from stage_executions order by execution_id desc limit $3)
           ), figures as (
               select e.pool, count(*) filter (where e.started_at_us >= since_us) as begun,
                      count(*) filter (where e.completed_at_us >= since_us) as ended,
                      percentile_disc(array[0.5, 0.95]) within group (order by e.started_at_us - e.created_at_us)
                          filter (where e.started_at_us >= since_us) as waits
               from found join stage_executions e using (execution_id) cross join span group by e.pool
           )
           select since_us as "since_us!", pool as "pool?", begun, ended, waits[1] / 1000 as wait_p50_ms, waits[2] / 1000 as wait_p95_ms
           from span left join figures on true order by pool"#,
        NEWEST_CALLS,
        since_us,
        NEWEST_STAGES,
    )
    .fetch_all(conn)
    .await?;
    let since_us = rows.first().map_or(since_us, |row| row.since_us);
    let figures = rows.into_iter().filter_map(|row| {
        Some(PoolFigures {
            pool: row.pool?,
            begun: row.begun.unwrap_or_default(),
            ended: row.ended.unwrap_or_default(),
            wait_p50_ms: row.wait_p50_ms,
            wait_p95_ms: row.wait_p95_ms,
        })
    });
    Ok((since_us, figures.collect()))
}

/// Counts the takeovers of stages, by pool, among stages that became due since `since_us`.
pub async fn recovered_stages(
    conn: &mut PgConnection,
    since_us: i64,
) -> Result<Vec<Recovered>, Error> {
    Ok(sqlx::query_as!(
        Recovered,
        r#"select pool, sum(crash_count) as "times!" from stage_executions
           where crash_count > 0 and execution_id >= $1 group by pool order by pool"#,
        first_id_of(since_us)
    )
    .fetch_all(conn)
    .await?)
}
