//! Recent stages of each worker pool: waits, throughput, and recoveries after lost workers.
//!
//! No index holds when a stage began or ended: each would make every stage more expensive. Stages are
//! found by their newest calls of a model, whose ids are UUIDv7, so those that began after a
//! long wait are found however many wait behind them. The newest executions are looked at too:
//! some end before they call anybody.

use sqlx::PgConnection;

use crate::Error;
use crate::gauges::first_id_of;

/// Newest calls of models that are read.
const NEWEST_CALLS: i64 = 5_000;
/// Newest executions that are read.
const NEWEST_STAGES: i64 = 1_000;

/// Stages of one pool.
#[derive(Clone, Debug)]
pub struct PoolFigures {
    /// The pool's name.
    pub pool: String,
    /// Stages that began.
    pub begun: i64,
    /// Stages that ended, however.
    pub ended: i64,
    /// Half of those that began had waited for a worker at most this long, in ms.
    pub wait_p50_ms: Option<i64>,
    /// 19 of 20 had waited at most this long, in ms.
    pub wait_p95_ms: Option<i64>,
}

/// Stages of one pool that went on after a worker was lost.
#[derive(Clone, Debug)]
pub struct Recovered {
    /// The pool's name.
    pub pool: String,
    /// Times that a stage was taken over and begun again.
    pub times: i64,
}

/// How pools did since `since_us`, or, on a busy fleet, since the oldest of the newest calls:
/// the answer says since when.
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

/// Orphans that were taken over, by pool, among stages that became due since.
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
