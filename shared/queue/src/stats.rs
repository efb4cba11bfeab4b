//! Queue statistics for operators.

use chrono::{DateTime, Utc};
use sqlx::PgConnection;

use crate::Error;

/// One queue at this moment.
#[derive(Debug, Clone, serde::Serialize)]
pub struct QueueStats {
    /// The queue's name.
    pub queue: String,
    /// Jobs that could run now.
    pub ready: i64,
    /// Jobs that wait for their time.
    pub scheduled: i64,
    /// Jobs that are held by a worker.
    pub running: i64,
    /// Dead jobs that nobody has dealt with.
    pub dead: i64,
    /// How long the oldest ready job has been due, in seconds; `None` if none is.
    pub oldest_ready_seconds: Option<f64>,
    /// Live worker processes that claim from it, those that drain left out.
    pub workers: i64,
    /// Jobs that those run at the same time, of all their queues together.
    pub slots: i64,
    /// Since when the queue is paused.
    pub paused_at: Option<DateTime<Utc>>,
    /// Name of the operator who paused the queue; `None`: it is not paused.
    pub paused_by: Option<String>,
    /// Why it is paused.
    pub pause_reason: Option<String>,
}

/// All queues that hold a job, are paused or are worked by somebody, by name.
///
/// Reads all of `jobs` once: meant for a page or a scrape, not for a hot path.
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
