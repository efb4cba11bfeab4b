//! Frees the jobs of dead processes, and jobs whose lease has expired.

use sqlx::PgExecutor;
use uuid::Uuid;

use crate::claim::SHARED_CRASHES;

/// If other processes were lost within this time before a crash, the job may not be its cause.
const SURROUNDINGS_SECONDS: f64 = 60.0;
/// Maximum number of crashes of an isolated job that are forgiven for that reason.
const FORGIVEN: i32 = 4;
/// Longest wait of a suspect before its next run. The first wait is one second; each crash doubles it.
const LONGEST_WAIT_SECONDS: f64 = 30.0;

/// A job taken from a process that is dead or did not renew its lease.
#[derive(Debug)]
pub(crate) struct Freed {
    pub(crate) id: Uuid,
    pub(crate) queue: String,
    pub(crate) crashes: i32,
}

/// The jobs to free.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Lost<'a> {
    /// Jobs of these workers, whose processes are dead.
    Of(&'a [Uuid]),
    /// Jobs with an expired lease, of these queues, or of all queues if `None`.
    Expired(Option<&'a [String]>),
}

/// Frees lost jobs and counts a crash for each.
///
/// The epoch rises, so that the old holder's writes match no row. The rank stays, so that the job is near the front of
/// its queue. Rows that the holder has locked at this moment ([`lock_claim`](crate::lock_claim),
/// [`complete`](crate::complete)) are skipped.
///
/// Each crash records its process. If that process was not dead, it takes the crash back ([`take_back`]). A crash of a
/// job that ran alone in its worker is counted separately, unless other processes were lost around that time. At most
/// [`FORGIVEN`] crashes are forgiven for this reason, so that a poison job fails eventually, even during an outage.
///
/// A suspect waits before it runs again, twice as long after each crash. Meanwhile an outage can pass, or become
/// visible by the loss of other processes.
pub(crate) async fn free(
    executor: impl PgExecutor<'_>,
    lost: Lost<'_>,
) -> Result<Vec<Freed>, sqlx::Error> {
    let (owners, queues, error) = match lost {
        Lost::Of(dead) => (Some(dead), None, "the worker died"),
        Lost::Expired(queues) => (None, queues, "the lease ran out"),
    };
    sqlx::query_as!(
        Freed,
        "with lost as (
            select j.id, coalesce(w.process_id, j.owner) as process,
                   coalesce(j.isolated_epoch = j.epoch, false) as isolated
            from jobs j left join workers w on w.id = any(array[j.owner])
            where j.owner is not null
              and case when $1::uuid[] is not null then j.owner = any($1)
                  else j.expires_at < clock_timestamp() and ($2::text[] is null or j.queue = any($2)) end
            for update of j skip locked
         ), noted as (
            insert into lost_processes as p (process_id, jobs)
            select process, array_agg(id) from lost group by process
            on conflict (process_id) do update
            set lost_at = clock_timestamp(), jobs = p.jobs || excluded.jobs
         ), surroundings as materialized (
            select process from lost
            union
            select process_id from lost_processes where lost_at > clock_timestamp() - make_interval(secs => $3)
         ), counted as (
            select l.*, l.isolated and not (
                j.crashes - $4 - coalesce(cardinality(j.crashed_alone_by), 0) < $5
                and exists (select from surroundings s
                            where s.process <> l.process and s.process <> all(coalesce(j.crashed_by, '{}')))
            ) as counts
            from lost l join jobs j on j.id = any(array[l.id])
         )
         update jobs j
         set state = case when j.crashes + 1 < $4 then 'ready'::job_state else 'scheduled' end,
             run_at = case when j.crashes + 1 < $4 then j.run_at
                           else clock_timestamp() + make_interval(secs => least(2::float8 ^ (j.crashes + 1 - $4), $6::float8)) end,
             owner = null, expires_at = null, epoch = j.epoch + 1,
             crashes = j.crashes + 1, last_error = $7, crashed_by = array_append(j.crashed_by, c.process),
             crashed_alone_by = case when c.counts then array_append(j.crashed_alone_by, c.process)
                                     else j.crashed_alone_by end
         from counted c where j.id = any(array[c.id])
         returning j.id, j.queue, j.crashes",
        owners,
        queues,
        SURROUNDINGS_SECONDS,
        SHARED_CRASHES,
        FORGIVEN,
        LONGEST_WAIT_SECONDS,
        error,
    )
    .fetch_all(executor)
    .await
}

/// Records that the processes of these workers are lost, including workers that held no jobs.
pub(crate) async fn note_lost(
    executor: impl PgExecutor<'_>,
    dead: &[Uuid],
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "insert into lost_processes (process_id, jobs)
         select distinct coalesce(process_id, id), '{}'::uuid[] from workers where id = any($1)
         on conflict (process_id) do nothing",
        dead,
    )
    .execute(executor)
    .await?;
    Ok(())
}

/// Takes back the crashes that were counted for a process that is still alive. Returns their number.
pub(crate) async fn take_back(
    executor: impl PgExecutor<'_>,
    process: Uuid,
) -> Result<u64, sqlx::Error> {
    let done = sqlx::query!(
        "with back as (delete from lost_processes where process_id = $1 returning jobs)
         update jobs j
         set crashes = greatest(crashes - cardinality(array_positions(crashed_by, $1)), 0),
             crashed_by = array_remove(crashed_by, $1), crashed_alone_by = array_remove(crashed_alone_by, $1)
         where id = any(array(select unnest(jobs) from back)) and $1 = any(crashed_by)",
        process,
    )
    .execute(executor)
    .await?;
    Ok(done.rows_affected())
}

/// Deletes lost processes that are older than an hour.
pub(crate) async fn prune_lost_processes(executor: impl PgExecutor<'_>) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "delete from lost_processes where lost_at < clock_timestamp() - interval '1 hour'"
    )
    .execute(executor)
    .await?;
    Ok(())
}
