//! Ends claims. Each statement matches job, owner and epoch, so it changes nothing if the claim is lost.
//!
//! Owners are compared with `is not distinct from`, which can't use an index, so that the job is found by its id.
//! Under load the index on owners holds thousands of dead entries of the same owner. A plan that uses that index reads
//! them all for each job.

use std::collections::HashSet;
use std::time::Duration;

use sqlx::PgConnection;
use tarsy_model::{ClaimRef, words};
use uuid::Uuid;

use crate::Error;

/// Why a job is dead.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeadReason {
    /// The job has used up its attempts.
    Exhausted,
    /// The handler reported that the job can't succeed.
    Cancelled,
    /// Its kind or payload could not be understood.
    Undecodable,
}

words!(DeadReason {
    Exhausted => "exhausted",
    Cancelled => "cancelled",
    Undecodable => "undecodable",
});

/// Result of [`retry`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Retried {
    /// The job runs again after the delay.
    Scheduled,
    /// That was its last attempt. The job is dead now.
    Exhausted,
}

/// Deletes the jobs of `claims`, which are done, on the caller's connection in one statement. Returns the claims that
/// were still held. Any other claim was lost, so work done under it must not be recorded.
///
/// Use it as the first statement of a transaction that then writes the results of the held claims and enqueues the
/// next jobs. The deleted rows stay locked until the commit, so no other worker can take over in between.
pub async fn complete(
    conn: &mut PgConnection,
    claims: &[ClaimRef],
) -> Result<HashSet<ClaimRef>, Error> {
    let (ids, owners, epochs) = columns(claims);
    let ended = sqlx::query_as!(
        ClaimRef,
        r#"delete from jobs j using unnest($1::uuid[], $2::uuid[], $3::bigint[]) c(id, owner, epoch)
           where j.id = any(array[c.id]) and j.owner is not distinct from c.owner and j.epoch = c.epoch
           returning j.id as job_id, j.owner as "owner!", j.epoch"#,
        &ids,
        &owners,
        &epochs,
    )
    .fetch_all(conn)
    .await?;
    Ok(ended.into_iter().collect())
}

/// Checks that `claims` are held, and keeps them held until the caller's transaction ends. Returns those that are
/// held.
///
/// Locks the rows `FOR KEY SHARE`. A takeover (`FOR UPDATE SKIP LOCKED`) skips them until the transaction ends.
/// Renewals change no key, so they don't wait.
pub async fn lock_claims(
    conn: &mut PgConnection,
    claims: &[ClaimRef],
) -> Result<HashSet<ClaimRef>, Error> {
    let (ids, owners, epochs) = columns(claims);
    let held = sqlx::query_as!(
        ClaimRef,
        r#"select j.id as job_id, j.owner as "owner!", j.epoch
           from unnest($1::uuid[], $2::uuid[], $3::bigint[]) c(id, owner, epoch)
           join jobs j on j.id = any(array[c.id]) and j.owner is not distinct from c.owner and j.epoch = c.epoch
           for key share of j"#,
        &ids,
        &owners,
        &epochs,
    )
    .fetch_all(conn)
    .await?;
    Ok(held.into_iter().collect())
}

/// Does the same as [`lock_claims`], for one claim.
///
/// # Errors
///
/// [`Error::ClaimLost`] if the claim is no longer held; [`Error::Database`].
pub async fn lock_claim(conn: &mut PgConnection, claim: &ClaimRef) -> Result<(), Error> {
    match lock_claims(conn, &[*claim]).await?.is_empty() {
        true => Err(Error::ClaimLost(*claim)),
        false => Ok(()),
    }
}

/// Schedules the job to run again after `delay`. This costs an attempt; after the last one the job is dead.
///
/// # Errors
///
/// [`Error::ClaimLost`], [`Error::Database`].
pub async fn retry(
    conn: &mut PgConnection,
    claim: &ClaimRef,
    delay: Duration,
    error: &str,
) -> Result<Retried, Error> {
    let spent = sqlx::query_scalar!(
        r#"
        with held as (
            select id, attempts + 1 >= max_attempts as spent from jobs
            where id = $1 and owner is not distinct from $2 and epoch = $3
            for update
        ), again as (
            update jobs j
            set state = case when $4::float8 > 0 then 'scheduled'::job_state else 'ready' end,
                run_at = clock_timestamp() + make_interval(secs => $4::float8),
                rank = job_rank(priority, clock_timestamp() + make_interval(secs => $4::float8)),
                owner = null, expires_at = null, attempts = attempts + 1, last_error = $5
            from held h where j.id = h.id and not h.spent
        ), deleted as (
            delete from jobs j using held h where j.id = h.id and h.spent returning j.*
        ), buried as (
            insert into dead_jobs (id, queue, kind, subject, unique_key, payload, priority, attempts,
                max_attempts, crashes, snoozes, epoch, traceparent, created_at, reason, error)
            select id, queue, kind, subject, unique_key, payload, priority, attempts + 1,
                max_attempts, crashes, snoozes, epoch, traceparent, created_at, 'exhausted', $5
            from deleted
        )
        select spent as "spent!" from held
        "#,
        claim.job_id,
        claim.owner,
        claim.epoch,
        delay.as_secs_f64(),
        error,
    )
    .fetch_optional(conn)
    .await?;
    match spent {
        Some(true) => Ok(Retried::Exhausted),
        Some(false) => Ok(Retried::Scheduled),
        None => Err(Error::ClaimLost(*claim)),
    }
}

/// Schedules the job to run again, not before `delay` has passed. Costs no attempt.
///
/// # Errors
///
/// [`Error::ClaimLost`], [`Error::Database`].
pub async fn snooze(
    conn: &mut PgConnection,
    claim: &ClaimRef,
    delay: Duration,
) -> Result<(), Error> {
    run_after(conn, claim, delay, 1).await
}

/// Does the same as [`snooze`], without counting a snooze.
pub(crate) async fn postpone(
    conn: &mut PgConnection,
    claim: &ClaimRef,
    delay: Duration,
) -> Result<(), Error> {
    run_after(conn, claim, delay, 0).await
}

async fn run_after(
    conn: &mut PgConnection,
    claim: &ClaimRef,
    delay: Duration,
    snoozes: i32,
) -> Result<(), Error> {
    let done = sqlx::query!(
        "update jobs
         set state = 'scheduled', owner = null, expires_at = null, snoozes = snoozes + $1,
             run_at = clock_timestamp() + make_interval(secs => $2::float8),
             rank = job_rank(priority, clock_timestamp() + make_interval(secs => $2::float8))
         where id = $3 and owner is not distinct from $4 and epoch = $5",
        snoozes,
        delay.as_secs_f64(),
        claim.job_id,
        claim.owner,
        claim.epoch,
    )
    .execute(conn)
    .await?;
    ensure_held(claim, done.rows_affected())
}

/// Releases the job as if it had never been claimed: ready at once, at its old rank, with attempts and crashes
/// unchanged. Returns its queue, which the caller wakes.
///
/// # Errors
///
/// [`Error::ClaimLost`], [`Error::Database`].
pub async fn release(conn: &mut PgConnection, claim: &ClaimRef) -> Result<String, Error> {
    sqlx::query_scalar!(
        "update jobs set state = 'ready', owner = null, expires_at = null
         where id = $1 and owner is not distinct from $2 and epoch = $3 returning queue",
        claim.job_id,
        claim.owner,
        claim.epoch,
    )
    .fetch_optional(conn)
    .await?
    .ok_or(Error::ClaimLost(*claim))
}

/// Releases the job like [`release`] and adds `requires` to its requirements, for a worker that offers them.
///
/// # Errors
///
/// [`Error::ClaimLost`], [`Error::Database`].
pub(crate) async fn pass_on(
    conn: &mut PgConnection,
    claim: &ClaimRef,
    requires: &[String],
) -> Result<String, Error> {
    sqlx::query_scalar!(
        "update jobs set state = 'ready', owner = null, expires_at = null,
             requires = array(select unnest(requires) union select unnest($1::text[]) order by 1)
         where id = $2 and owner is not distinct from $3 and epoch = $4 returning queue",
        requires,
        claim.job_id,
        claim.owner,
        claim.epoch,
    )
    .fetch_optional(conn)
    .await?
    .ok_or(Error::ClaimLost(*claim))
}

/// Moves the job to the dead-letter table, where operators see it.
///
/// # Errors
///
/// [`Error::ClaimLost`], [`Error::Database`].
pub async fn dead_letter(
    conn: &mut PgConnection,
    claim: &ClaimRef,
    reason: DeadReason,
    error: &str,
) -> Result<(), Error> {
    let done = sqlx::query!(
        "with deleted as (
            delete from jobs where id = $1 and owner is not distinct from $2 and epoch = $3 returning *
         )
         insert into dead_jobs (id, queue, kind, subject, unique_key, payload, priority, attempts,
             max_attempts, crashes, snoozes, epoch, traceparent, created_at, reason, error)
         select id, queue, kind, subject, unique_key, payload, priority, attempts,
             max_attempts, crashes, snoozes, epoch, traceparent, created_at,
             $4::text::dead_reason, $5
         from deleted",
        claim.job_id,
        claim.owner,
        claim.epoch,
        reason.as_str(),
        error,
    )
    .execute(conn)
    .await?;
    ensure_held(claim, done.rows_affected())
}

fn ensure_held(claim: &ClaimRef, rows: u64) -> Result<(), Error> {
    match rows {
        0 => Err(Error::ClaimLost(*claim)),
        _ => Ok(()),
    }
}

fn columns(claims: &[ClaimRef]) -> (Vec<Uuid>, Vec<Uuid>, Vec<i64>) {
    let ids = claims.iter().map(|c| c.job_id).collect();
    let owners = claims.iter().map(|c| c.owner).collect();
    (ids, owners, claims.iter().map(|c| c.epoch).collect())
}
