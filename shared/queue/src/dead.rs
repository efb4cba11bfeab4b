//! Dead jobs: operators list, requeue or delete them.

use chrono::{DateTime, Utc};
use sqlx::PgConnection;
use uuid::Uuid;

use crate::Error;
use crate::settle::DeadReason;

/// A job that will not run again by itself.
#[derive(Debug, Clone, serde::Serialize)]
pub struct DeadJob {
    /// Its id, kept from when it was alive.
    pub id: Uuid,
    /// The queue it ran in.
    pub queue: String,
    /// What it was to do.
    pub kind: String,
    /// The session or stage execution it was about.
    pub subject: Uuid,
    /// What its handler was given next to that.
    pub payload: serde_json::Value,
    /// Failed attempts, without snoozes and releases.
    pub attempts: i32,
    /// Errors it was allowed.
    pub max_attempts: i32,
    /// Workers that died or froze while running it.
    pub crashes: i32,
    /// Waits that cost no attempt.
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

/// Which dead jobs; all of it must hold.
#[derive(Debug, Clone, Default)]
pub struct DeadFilter {
    /// Only jobs of this queue.
    pub queue: Option<String>,
    /// Dead for this reason.
    pub reason: Option<DeadReason>,
    /// Only this job.
    pub id: Option<Uuid>,
    /// Behind this death and id in the list.
    pub after: Option<(DateTime<Utc>, Uuid)>,
}

/// The latest dead jobs that match, newest first.
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
        reason: DeadReason::parse(&row.reason),
        error: row.error,
        created_at: row.created_at,
        died_at: row.died_at,
    });
    Ok(dead.collect())
}

/// Put a dead job back, ready, with fresh counts and a higher epoch; returns its queue, to be
/// woken after the commit. The caller writes the audit row (who, why) in the same transaction.
///
/// # Errors
///
/// [`Error::NoSuchDeadJob`]; [`Error::KeyTaken`] if a live job holds its unique key (the dead
/// one then stays); [`Error::Database`].
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
        ), gone as (
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

/// Throw a dead job away. The caller writes the audit row in the same transaction.
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

/// Whether a live job is about any of `subjects`.
pub async fn has_job(conn: &mut PgConnection, subjects: &[Uuid]) -> Result<bool, Error> {
    let found = sqlx::query_scalar!(
        r#"select exists (select from jobs where subject = any($1)) as "found!""#,
        subjects
    )
    .fetch_one(conn)
    .await?;
    Ok(found)
}
