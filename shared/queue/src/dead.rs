//! Dead jobs: operators list, requeue or delete them.

use chrono::{DateTime, Utc};
use sqlx::PgConnection;
use uuid::Uuid;

use crate::Error;
use crate::settle::DeadReason;

/// A job that will not run again by itself.
#[derive(Debug, Clone, serde::Serialize)]
pub struct DeadJob {
    /// The id that the job had while it was live.
    pub id: Uuid,
    /// Queue of the job.
    pub queue: String,
    /// Kind of the job.
    pub kind: String,
    /// The session or stage execution that the job was about.
    pub subject: Uuid,
    /// Payload of the job, for its handler.
    pub payload: serde_json::Value,
    /// Failed attempts. Snoozes and releases don't count.
    pub attempts: i32,
    /// Number of failed attempts after which the job is dead.
    pub max_attempts: i32,
    /// Workers that died or froze while running it.
    pub crashes: i32,
    /// Snoozes, which cost no attempt.
    pub snoozes: i32,
    /// Why it is dead.
    pub reason: DeadReason,
    /// The error that ended it.
    pub error: String,
    /// When it was first queued.
    pub created_at: DateTime<Utc>,
    /// When it died.
    pub died_at: DateTime<Utc>,
}

/// Filter for dead jobs. All given conditions must hold.
#[derive(Debug, Clone, Default)]
pub struct DeadFilter {
    /// Only jobs of this queue.
    pub queue: Option<String>,
    /// Only jobs that died for this reason.
    pub reason: Option<DeadReason>,
    /// Only this job.
    pub id: Option<Uuid>,
    /// Only jobs after this one (time of death and id) in the order of the list.
    pub after: Option<(DateTime<Utc>, Uuid)>,
}

/// Returns the latest dead jobs that match, newest first.
pub async fn list_dead(
    conn: &mut PgConnection,
    filter: &DeadFilter,
    limit: i64,
) -> Result<Vec<DeadJob>, Error> {
    let (died_at, after) = filter.after.unzip();
    let rows = sqlx::query!(
        r#"select id, queue, kind, subject, payload, attempts, max_attempts, crashes, snoozes,
                  reason::text as "reason!", error, created_at, died_at
           from dead_jobs
           where ($1::text is null or queue = $1) and ($2::text is null or reason::text = $2)
             and ($3::uuid is null or id = $3)
             and ($4::timestamptz is null or died_at < $4 or (died_at = $4 and id > $5))
           order by died_at desc, id limit $6"#,
        filter.queue,
        filter.reason.map(DeadReason::as_str),
        filter.id,
        died_at,
        after,
        limit,
    )
    .fetch_all(conn)
    .await?;
    let dead = rows.into_iter().map(|row| DeadJob {
        id: row.id,
        queue: row.queue,
        kind: row.kind,
        subject: row.subject,
        payload: row.payload,
        attempts: row.attempts,
        max_attempts: row.max_attempts,
        crashes: row.crashes,
        snoozes: row.snoozes,
        reason: DeadReason::from_word(&row.reason).unwrap_or(DeadReason::Exhausted),
        error: row.error,
        created_at: row.created_at,
        died_at: row.died_at,
    });
    Ok(dead.collect())
}

/// Makes a dead job ready again, with counts reset and a higher epoch. Returns its queue, which the caller wakes after
/// the commit. The caller writes the audit row (who, why) in the same transaction.
///
/// # Errors
///
/// [`Error::NoSuchDeadJob`]; [`Error::KeyTaken`] if a live job holds its unique key (the dead job then stays);
/// [`Error::Database`].
pub async fn requeue_dead(conn: &mut PgConnection, id: Uuid) -> Result<String, Error> {
    let row = sqlx::query!(
        r#"
        with dead as (select * from dead_jobs where id = $1 for update),
        back as (
            insert into jobs (id, queue, kind, subject, unique_key, payload, priority, rank, max_attempts, epoch, traceparent,
                              created_at)
            select id, queue, kind, subject, unique_key, payload, priority, job_rank(priority, clock_timestamp()),
                   max_attempts, epoch + 1, traceparent, created_at
            from dead
            on conflict do nothing
            returning id
        ), deleted as (
            delete from dead_jobs where id in (select id from back)
        )
        select queue, unique_key, exists (select from back) as "back!" from dead
        "#,
        id,
    )
    .fetch_optional(conn)
    .await?
    .ok_or(Error::NoSuchDeadJob(id))?;
    match row.back {
        true => Ok(row.queue),
        false => Err(Error::KeyTaken(row.unique_key.unwrap_or_default())),
    }
}

/// Deletes a dead job. The caller writes the audit row in the same transaction.
///
/// # Errors
///
/// [`Error::NoSuchDeadJob`], [`Error::Database`].
pub async fn discard_dead(conn: &mut PgConnection, id: Uuid) -> Result<(), Error> {
    let done = sqlx::query!("delete from dead_jobs where id = $1", id)
        .execute(conn)
        .await?;
    match done.rows_affected() {
        0 => Err(Error::NoSuchDeadJob(id)),
        _ => Ok(()),
    }
}

/// Returns whether a live job is about any of `subjects`.
pub async fn has_job(conn: &mut PgConnection, subjects: &[Uuid]) -> Result<bool, Error> {
    let found = sqlx::query_scalar!(
        r#"select exists (select from jobs where subject = any($1)) as "found!""#,
        subjects
    )
    .fetch_one(conn)
    .await?;
    Ok(found)
}
