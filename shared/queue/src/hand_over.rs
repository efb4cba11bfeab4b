//! Hands a job over to another worker if this one lacks what the job needs.

use sqlx::PgConnection;
use tarsy_model::ClaimRef;

/// Number of workers that may try a job. The last of them keeps it, whatever the result.
const MOST_WORKERS: i32 = 3;

/// Maximum age of a worker's heartbeat, in seconds, to hand a job over to it: five intervals.
const SILENT_AFTER_SECONDS: f64 = 15.0;

/// Releases a job for a worker that has not tried it, with attempts and crashes unchanged. Returns its queue, which
/// the caller wakes.
///
/// Returns `None` if the caller keeps the job: no other live worker can run it, this is the third worker that tried
/// it, or the claim was lost. The caller's next write shows a lost claim.
///
/// Workers that tried the job skip it for ten seconds (see `claim`). After that they may take it again, because the
/// other worker may have died.
///
/// # Errors
///
/// [`sqlx::Error`] if Postgres refuses or can't be reached.
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
