//! Hands a job over to another worker, where this one lacks what the job takes.

use sqlx::PgConnection;
use tarsy_model::ClaimRef;

/// Workers that may try a job before it is left to the last of them, however that ends.
const MOST_WORKERS: i32 = 3;

/// Age of a heartbeat, in seconds, beyond which nothing is handed to a worker: five intervals.
const SILENT_AFTER_SECONDS: f64 = 15.0;

/// Gives a job back for a worker that has not tried it, with attempts and crashes unchanged. Returns its queue, to be
/// woken; `None` if the caller keeps the job: no other worker lives that could run it, three have tried it, or the
/// claim was lost, which the caller's next write shows.
///
/// Those that tried it leave it alone for ten seconds (see `claim`): the other worker may die before it
/// takes the job.
///
/// # Errors
///
/// [`sqlx::Error`] when Postgres refuses or can't be reached.
pub async fn hand_over(
    conn: &mut PgConnection,
    claim: &ClaimRef,
) -> Result<Option<String>, sqlx::Error> {
    sqlx::query_scalar!(
        "update jobs j
         set state = 'ready', owner = null, expires_at = null, tried_at = clock_timestamp(),
             tried_by = array_append(array_remove(coalesce(j.tried_by, '{}'), $1), $1)
         where j.id = $2 and j.owner is not distinct from $1 and j.epoch = $3
           and cardinality(array_remove(coalesce(j.tried_by, '{}'), $1)) + 1 < $4
           and exists (
               select from workers w
               where w.id <> $1 and w.id <> all(coalesce(j.tried_by, '{}')) and j.queue = any(w.queues)
                 and (w.offers is null or j.requires is null or j.requires <@ w.offers)
                 and not w.draining and w.trouble is null
                 and w.heartbeat_at > clock_timestamp() - make_interval(secs => $5)
           )
         returning j.queue",
        claim.owner,
        claim.job_id,
        claim.epoch,
        MOST_WORKERS,
        SILENT_AFTER_SECONDS,
    )
    .fetch_optional(conn)
    .await
}
