//! Finds unschedulable jobs: no live worker serves their queue and offers what they require.

use chrono::{DateTime, Utc};
use sqlx::PgConnection;
use uuid::Uuid;

use crate::Error;

/// A group of ready jobs of one queue with the same requirements that no live worker can run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unschedulable {
    /// Id of the group's row in the table `unschedulable`, while it exists.
    pub id: i64,
    /// The queue they are in.
    pub queue: String,
    /// Capabilities and configured names that the jobs require. No live worker offers all of them.
    pub requires: Vec<String>,
    /// The requirements that no live worker of the queue offers. Empty if each is offered, but no single worker offers
    /// all.
    pub missing: Vec<String>,
    /// Whether the queue has any workers.
    pub has_worker: bool,
    /// Since when no live worker can run these jobs.
    pub since: DateTime<Utc>,
}

/// Finds ready jobs of this kind that no live worker can run, and records since when.
///
/// Jobs of a backlog that a worker can run are not included, nor are jobs of a paused queue. A draining worker counts
/// until it has ended, so that the time of jobs that it gives back starts only then. A worker with a heartbeat older
/// than ten minutes does not count, even if it holds its lock. If this function was not called for two minutes, the
/// time starts anew, because workers may have come and gone in between.
///
/// Reads all ready jobs once.
pub async fn note_unschedulable(
    conn: &mut PgConnection,
    kind: &str,
) -> Result<Vec<Unschedulable>, Error> {
    let noted = sqlx::query_as!(
        Unschedulable,
        r#"
        with waiting as materialized (
            select queue, coalesce(requires, '{}') as requires
            from jobs where state = 'ready' and kind = $1 group by 1, 2
        ),
        live as materialized (
            select queues, offers from workers
            where heartbeat_at > clock_timestamp() - interval '10 minutes'
        ),
        unserved as materialized (
            select w.queue, w.requires,
                   array(select name from unnest(w.requires) name
                         where not exists (select from live l
                                           where w.queue = any(l.queues) and name = any(l.offers))) as missing,
                   exists (select from live l where w.queue = any(l.queues)) as has_worker
            from waiting w
            where not exists (select from queue_state q where q.queue = w.queue and q.paused_at is not null)
              and not exists (select from live l
                              where w.queue = any(l.queues) and (l.offers is null or w.requires <@ l.offers))
        ),
        over as (
            delete from unschedulable u
            where not exists (select from unserved n where n.queue = u.queue and n.requires = u.requires)
        )
        insert into unschedulable as u (queue, requires, missing, has_worker)
        select queue, requires, missing, has_worker from unserved
        on conflict (queue, requires) do update
            set missing = excluded.missing, has_worker = excluded.has_worker, seen_at = clock_timestamp(),
                since = case when u.seen_at < clock_timestamp() - interval '2 minutes'
                             then clock_timestamp() else u.since end
        returning u.id, u.queue, u.requires, u.missing, u.has_worker, u.since
        "#,
        kind,
    )
    .fetch_all(conn)
    .await?;
    Ok(noted)
}

/// Returns the ready jobs about `subjects` that no live worker can run, as last recorded by [`note_unschedulable`].
pub async fn unschedulable_of(
    conn: &mut PgConnection,
    subjects: &[Uuid],
) -> Result<Vec<(Uuid, Unschedulable)>, Error> {
    let rows = sqlx::query!(
        "select j.subject, u.id, u.queue, u.requires, u.missing, u.has_worker, u.since
         from jobs j join unschedulable u on u.queue = j.queue and u.requires = coalesce(j.requires, '{}')
         where j.subject = any($1) and j.state = 'ready'",
        subjects,
    )
    .fetch_all(conn)
    .await?;
    let noted = rows.into_iter().map(|row| {
        let noted = Unschedulable {
            id: row.id,
            queue: row.queue,
            requires: row.requires,
            missing: row.missing,
            has_worker: row.has_worker,
            since: row.since,
        };
        (row.subject, noted)
    });
    Ok(noted.collect())
}
