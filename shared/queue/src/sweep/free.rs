//! Frees the jobs of dead processes, and jobs whose lease has expired.

use sqlx::PgExecutor;
use uuid::Uuid;

use crate::claim::SHARED_CRASHES;

/// Losses of other processes within this time before a crash show that it may not be the job's doing.
const SURROUNDINGS_SECONDS: f64 = 60.0;
/// Crashes of an isolated job that are forgiven for that reason.
const FORGIVEN: i32 = 4;
/// Longest wait of a suspect before its next run. The first wait is one second; each crash doubles it.
const LONGEST_WAIT_SECONDS: f64 = 30.0;

/// A job taken away from a process that is dead or did not renew its lease.
#[derive(Debug)]
pub(crate) struct Freed {
    pub(crate) id: Uuid,
    pub(crate) queue: String,
    pub(crate) crashes: i32,
}

/// Which jobs are freed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Lost<'a> {
    /// Those of these workers, whose processes are dead.
    Of(&'a [Uuid]),
    /// Those whose lease has run out, of these queues or of all.
    Expired(Option<&'a [String]>),
}

/// Free lost jobs and count a crash for each.
///
/// The epoch rises, so the old holder's writes match nothing; the rank stays, so the job is
/// near the front of its queue. Rows that the holder has locked right now
/// ([`lock_claim`](crate::lock_claim), [`complete`](crate::complete)) are passed by.
///
/// Each crash names its process, which takes it back if it was not dead ([`take_back`]). A crash of a job that ran
/// alone in its worker is counted apart, unless other processes were lost around that time: [`FORGIVEN`] crashes
/// at most are forgiven, so that poison in the middle of an outage ends too.
///
/// A suspect waits before it runs again, twice as long after each crash: an outage passes meanwhile, or shows itself
/// by the loss of other processes.
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

/// Note that the processes of these workers are lost, also where they held nothing.
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

/// Take back the crashes that were counted for a process that lives; how many there were.
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
