//! Queue statistics for operators.

use chrono::{DateTime, Utc};
use sqlx::PgConnection;

use crate::Error;

/// State of one queue at this moment.
#[derive(Debug, Clone, serde::Serialize)]
pub struct QueueStats {
    /// The queue's name.
    pub queue: String,
    /// Jobs that could run now.
    pub ready: i64,
    /// Jobs that are scheduled for later.
    pub scheduled: i64,
    /// Jobs that a worker holds.
    pub running: i64,
    /// Dead jobs that no operator has requeued or discarded.
    pub dead: i64,
    /// Time since the oldest ready job became due, in seconds; `None` if no job is ready.
    pub oldest_ready_seconds: Option<f64>,
    /// Live worker processes that claim from the queue. Draining workers don't count.
    pub workers: i64,
    /// Slots of those workers, shared by all their queues.
    pub slots: i64,
    /// When the queue was paused; `None` if it is not paused.
    pub paused_at: Option<DateTime<Utc>>,
    /// Name of the operator who paused the queue; `None` if it is not paused.
    pub paused_by: Option<String>,
    /// Reason for the pause.
    pub pause_reason: Option<String>,
}

/// Returns all queues that hold a job, are paused or have a worker, ordered by name.
///
/// Reads all of `jobs` once. Meant for a page or a scrape, not for a hot path.
pub async fn queue_stats(conn: &mut PgConnection) -> Result<Vec<QueueStats>, Error> {
    let rows = sqlx::query_as!(
        QueueStats,
        r#"
        with live as (
            select queue,
                   count(*) filter (where state = 'ready') as ready,
                   count(*) filter (where state = 'scheduled') as scheduled,
                   count(*) filter (where state = 'running') as running,
                   min(run_at) filter (where state = 'ready') as oldest
            from jobs group by queue
        ), dead as (select queue, count(*) as dead from dead_jobs group by queue),
        names as (
            select queue from live union select queue from dead
            union select queue from queue_state union select unnest(queues) from workers
        )
        select n.queue as "queue!", coalesce(l.ready, 0) as "ready!",
               coalesce(l.scheduled, 0) as "scheduled!", coalesce(l.running, 0) as "running!",
               coalesce(d.dead, 0) as "dead!",
               case when l.oldest is not null
                    then greatest(extract(epoch from clock_timestamp() - l.oldest), 0)::float8 end as "oldest_ready_seconds",
               w.workers as "workers!", w.slots as "slots!",
               s.paused_at as "paused_at?", s.paused_by as "paused_by?", s.reason as "pause_reason?"
        from names n left join live l using (queue) left join dead d using (queue)
             left join queue_state s using (queue)
             cross join lateral (
                 select count(*) as workers, coalesce(sum(slots), 0) as slots from workers
                 where n.queue = any(queues) and not draining and not drain_requested
                   and heartbeat_at >= clock_timestamp() - make_interval(secs => 15)
             ) w
        order by n.queue
        "#
    )
    .fetch_all(conn)
    .await?;
    Ok(rows)
}
