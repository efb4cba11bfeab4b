//! Claims ready jobs in one statement.

use std::time::Duration;

use sqlx::{PgConnection, PgExecutor};
use tarsy_model::ClaimRef;
use uuid::Uuid;

/// A job as returned by a claim.
#[derive(Debug, Clone)]
pub(crate) struct Claimed {
    pub(crate) claim: ClaimRef,
    pub(crate) queue: String,
    pub(crate) kind: String,
    pub(crate) subject: Uuid,
    pub(crate) payload: String,
    pub(crate) attempts: i32,
    pub(crate) max_attempts: i32,
    pub(crate) crashes: i32,
    /// Crashes that count against the job, because it ran alone. Included in `crashes`.
    pub(crate) lone_crashes: i32,
    /// Whether the job must run alone in its worker.
    pub(crate) isolated: bool,
    pub(crate) snoozes: i32,
    pub(crate) traceparent: Option<String>,
    pub(crate) waited: Duration,
    pub(crate) priority: i16,
    pub(crate) rank_us: i64,
}

/// The ready jobs of one priority of a queue, starting at a rank.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Lane {
    pub(crate) queue: String,
    pub(crate) priority: i16,
    /// Lowest rank to consider, in Unix microseconds.
    pub(crate) from_us: i64,
}

/// Crashes after which a job is a suspect. From then on it runs alone, so that a poison job does not use up the
/// crashes of the jobs that run next to it. Only crashes while it runs alone count against it
/// (docs/decisions/0012-a-crash-counts-for-a-stage-that-ran-alone.md).
pub(crate) const SHARED_CRASHES: i32 = 2;

/// How long a worker leaves a job that it has handed over to other workers, in seconds.
const LEFT_TO_OTHERS_SECONDS: f64 = 10.0;

/// The suspects that a claim may take.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Suspects {
    /// Whether the claim may take a suspect.
    pub(crate) taken: bool,
    /// Crashes while alone after which a job is no longer a suspect: it is not run again, only failed.
    pub(crate) lone_crashes: i32,
}

/// Claims at most `limit` ready jobs of `lanes` for `owner`, lowest rank first. Skips paused queues.
///
/// The lateral join lets the index `jobs_ready` serve each lane in order. The statement therefore touches `lanes ×
/// limit` live entries, no matter how long the backlog is. `ANY(ARRAY(...))` fixes the chosen ids before the update; a
/// join could repeat the choice and take more.
///
/// If the claim may take suspects and finds one, it takes only that one, to run alone ([`Claimed::isolated`]). It
/// skips jobs that require something that `offers` lacks; `None` offers everything. It also skips, for a while, jobs
/// that `owner` has [handed over](crate::hand_over).
///
/// Payloads are read as text, so that one body that can't be parsed does not fail the whole claim.
pub(crate) async fn claim(
    executor: impl PgExecutor<'_>,
    owner: Uuid,
    lanes: &[Lane],
    limit: i64,
    ttl: Duration,
    suspects: Suspects,
    offers: Option<&[String]>,
) -> Result<Vec<Claimed>, sqlx::Error> {
    let rows = sqlx::query!(
        r#"
        with best as (
            select c.id, c.rank, c.suspect
            from unnest($1::text[], $2::smallint[], $3::bigint[]) lane(queue, priority, from_us)
            cross join lateral (
                select j.id, j.rank,
                       j.crashes >= $4 and coalesce(cardinality(j.crashed_alone_by), 0) < $5 as suspect
                from jobs j
                where j.queue = lane.queue and j.priority = lane.priority and j.state = 'ready'
                  and j.rank >= timestamptz 'epoch' + lane.from_us * interval '1 microsecond'
                  and (j.crashes < $4 or $6 or cardinality(j.crashed_alone_by) >= $5)
                  and (j.requires is null or $7::text[] is null or j.requires <@ $7)
                  and (j.tried_by is null or $8 <> all(j.tried_by)
                       or j.tried_at < clock_timestamp() - make_interval(secs => $9))
                order by j.rank, j.id
                limit $10
                for update skip locked
            ) c
            where not exists (
                select from queue_state s where s.queue = lane.queue and s.paused_at is not null
            )
            order by c.rank, c.id
            limit $10
        )
        update jobs
        set state = 'running', owner = $8, epoch = epoch + 1,
            expires_at = clock_timestamp() + make_interval(secs => $11),
            isolated_epoch = case when exists (select from best where suspect) then epoch + 1 end
        where id = any(array(select id from best where not exists (select from best where suspect))
                       || array(select id from best where suspect order by rank, id limit 1))
        returning id, queue, kind, subject, payload::text as "payload!", rank, epoch, attempts,
                  max_attempts, crashes, coalesce(cardinality(crashed_alone_by), 0) as "lone_crashes!",
                  isolated_epoch is not null as "isolated!", snoozes, traceparent, priority,
                  (extract(epoch from rank) * 1000000)::bigint as "rank_us!",
                  greatest(extract(epoch from clock_timestamp() - run_at), 0)::float8 as "waited!"
        "#,
        &column(lanes, |l| l.queue.as_str()) as &[&str],
        &column(lanes, |l| l.priority),
        &column(lanes, |l| l.from_us),
        SHARED_CRASHES,
        suspects.lone_crashes,
        suspects.taken,
        offers,
        owner,
        LEFT_TO_OTHERS_SECONDS,
        limit,
        ttl.as_secs_f64(),
    )
    .fetch_all(executor)
    .await?;

    let mut rows = rows;
    rows.sort_by_key(|row| (row.rank, row.id));
    let claimed = rows.into_iter().map(|row| Claimed {
        claim: ClaimRef {
            job_id: row.id,
            owner,
            epoch: row.epoch,
        },
        queue: row.queue,
        kind: row.kind,
        subject: row.subject,
        payload: row.payload,
        attempts: row.attempts,
        max_attempts: row.max_attempts,
        crashes: row.crashes,
        lone_crashes: row.lone_crashes,
        isolated: row.isolated,
        snoozes: row.snoozes,
        traceparent: row.traceparent,
        waited: Duration::from_secs_f64(row.waited),
        priority: row.priority,
        rank_us: row.rank_us,
    });
    Ok(claimed.collect())
}

/// Returns, for each lane, the lowest rank of a job that a worker with these `offers` can run, in Unix microseconds.
/// All jobs before it are for other workers. If there is no such job, returns the lowest rank of future jobs.
///
/// Jobs locked by other workers count too: a claim that skipped them is no reason to move past them.
pub(crate) async fn first_claimable(
    executor: impl PgExecutor<'_>,
    lanes: &[Lane],
    offers: &[String],
) -> Result<Vec<Lane>, sqlx::Error> {
    sqlx::query_as!(
        Lane,
        r#"
        select lane.queue as "queue!", lane.priority as "priority!",
               (extract(epoch from coalesce(first.rank,
                    job_rank(lane.priority, statement_timestamp()))) * 1000000)::bigint
                   as "from_us!"
        from unnest($1::text[], $2::smallint[], $3::bigint[]) lane(queue, priority, from_us)
        left join lateral (
            select j.rank from jobs j
            where j.queue = lane.queue and j.priority = lane.priority and j.state = 'ready'
              and j.rank >= timestamptz 'epoch' + lane.from_us * interval '1 microsecond'
              and (j.requires is null or j.requires <@ $4)
            order by j.rank, j.id limit 1
        ) first on true
        "#,
        &column(lanes, |l| l.queue.as_str()) as &[&str],
        &column(lanes, |l| l.priority),
        &column(lanes, |l| l.from_us),
        offers,
    )
    .fetch_all(executor)
    .await
}

fn column<'a, T>(lanes: &'a [Lane], field: impl Fn(&'a Lane) -> T) -> Vec<T> {
    lanes.iter().map(field).collect()
}

/// Releases the orphaned claims of `owner`: claims that it does not know of, because their reply was lost with the
/// connection. Counts neither as an attempt nor as a crash. Returns the queues of the released jobs.
///
/// Calls `knows` after it has read the rows. Each job that it finds was therefore claimed, or expected, before the
/// call.
pub(crate) async fn release_orphaned_claims(
    conn: &mut PgConnection,
    owner: Uuid,
    knows: impl Fn(Uuid) -> bool,
) -> Result<Vec<String>, sqlx::Error> {
    let held = sqlx::query_scalar!("select id from jobs where owner = $1", owner)
        .fetch_all(&mut *conn)
        .await?;
    let orphaned: Vec<Uuid> = held.into_iter().filter(|id| !knows(*id)).collect();
    if orphaned.is_empty() {
        return Ok(Vec::new());
    }
    sqlx::query_scalar!(
        "update jobs set state = 'ready', owner = null, expires_at = null, epoch = epoch + 1
         where owner = $1 and id = any($2) returning queue",
        owner,
        &orphaned,
    )
    .fetch_all(conn)
    .await
}

/// Makes due jobs of `queues` ready; all queues if `None`. Returns the queues of those jobs.
pub(crate) async fn promote(
    executor: impl PgExecutor<'_>,
    queues: Option<&[String]>,
) -> Result<Vec<String>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        with due as (
            select id from jobs
            -- In a subquery the clock is read once, so the index scan stops after the jobs that are due.
            where state = 'scheduled' and run_at <= (select clock_timestamp())
              and ($1::text[] is null or queue = any($1))
            order by run_at limit 1000
            for update skip locked
        ), promoted as (
            update jobs set state = 'ready' where id = any(array(select id from due))
            returning queue
        )
        select distinct queue from promoted
        "#,
        queues,
    )
    .fetch_all(executor)
    .await
}
