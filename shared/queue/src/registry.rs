//! The `workers` table, and the advisory locks of live workers.

use std::time::Duration;

use sqlx::PgExecutor;
use uuid::Uuid;

use crate::process_id;
use crate::worker::Settings;

/// Advisory lock held during one sweep ("tarsy" in ASCII).
const SWEEP_LOCK: i64 = 0x0074_6172_7379;

/// Takes the advisory lock that shows that this worker lives. Returns false if another session holds it.
pub(crate) async fn try_lock(
    executor: impl PgExecutor<'_>,
    lock_key: i64,
) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(r#"select pg_try_advisory_lock($1) as "got!""#, lock_key)
        .fetch_one(executor)
        .await
}

/// Takes the sweep lock until the transaction ends. Returns false if another sweeper holds it.
pub(crate) async fn try_sweep_lock(executor: impl PgExecutor<'_>) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select pg_try_advisory_xact_lock($1) as "got!""#,
        SWEEP_LOCK
    )
    .fetch_one(executor)
    .await
}

/// Ends the session that holds a lock: an old session of this process that Postgres has not ended yet.
pub(crate) async fn end_holder(
    executor: impl PgExecutor<'_>,
    lock_key: i64,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "select pg_terminate_backend(l.pid) from pg_locks l
         where l.locktype = 'advisory' and l.objsubid = 1 and l.granted and l.pid <> pg_backend_pid()
           and l.database = (select oid from pg_database where datname = current_database())
           and (l.classid::bigint << 32) | l.objid::bigint = $1",
        lock_key,
    )
    .fetch_all(executor)
    .await?;
    Ok(())
}

/// Inserts this worker's row, or updates it after a sweeper considered the process dead or after the advertised values
/// changed.
pub(crate) async fn register(
    executor: impl PgExecutor<'_>,
    id: Uuid,
    lock_key: i64,
    settings: &Settings,
) -> Result<(), sqlx::Error> {
    let advertised = settings.advertised.borrow().clone();
    let slots = i32::try_from(settings.slots).unwrap_or(i32::MAX);
    let pid = i32::try_from(std::process::id()).unwrap_or(i32::MAX);
    sqlx::query!(
        "insert into workers (id, role, host, pid, version, queues, slots, lock_key, process_id, offers,
                              config_hash, config_since)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, clock_timestamp())
         on conflict (id) do update set heartbeat_at = clock_timestamp(), lock_key = excluded.lock_key,
             offers = excluded.offers, config_hash = excluded.config_hash,
             config_since = case when workers.config_hash is distinct from excluded.config_hash
                                 then clock_timestamp() else workers.config_since end",
        id,
        settings.role,
        settings.host,
        pid,
        settings.version,
        &settings.queues,
        slots,
        lock_key,
        process_id(),
        advertised.offers.as_deref(),
        advertised.config_hash,
    )
    .execute(executor)
    .await?;
    Ok(())
}

/// Deletes the row of a worker that has ended regularly.
pub(crate) async fn deregister(executor: impl PgExecutor<'_>, id: Uuid) -> Result<(), sqlx::Error> {
    sqlx::query!("delete from workers where id = $1", id)
        .execute(executor)
        .await?;
    Ok(())
}

/// State of a worker that others may have changed since its last heartbeat.
pub(crate) struct Standing {
    /// Whether an operator asked the worker to drain.
    pub(crate) drain_requested: bool,
    /// Whether its process was considered dead or frozen.
    pub(crate) was_lost: bool,
}

/// Updates the heartbeat, and records what prevents this worker from working. Returns `None` if the row is gone.
pub(crate) async fn beat(
    executor: impl PgExecutor<'_>,
    id: Uuid,
    draining: bool,
    trouble: Option<&str>,
) -> Result<Option<Standing>, sqlx::Error> {
    sqlx::query_as!(
        Standing,
        r#"update workers set heartbeat_at = clock_timestamp(), draining = $1, trouble = $2
           where id = $3
           returning drain_requested, exists (select from lost_processes where process_id = $4) as "was_lost!""#,
        draining,
        trouble,
        id,
        process_id(),
    )
    .fetch_optional(executor)
    .await
}

/// State of one claim at its renewal.
pub(crate) struct Renewed {
    pub(crate) id: Uuid,
    pub(crate) epoch: i64,
    pub(crate) held: bool,
    pub(crate) cancel_requested: bool,
}

/// Renews the leases of all claims of `owner` in one statement.
///
/// Skips rows that a transaction of this process has locked because it is completing them. Waiting for them could
/// deadlock with a transaction that ends many jobs. A locked row can't be taken over, so it needs no renewal.
pub(crate) async fn renew(
    executor: impl PgExecutor<'_>,
    owner: Uuid,
    ids: &[Uuid],
    epochs: &[i64],
    ttl: Duration,
) -> Result<Vec<Renewed>, sqlx::Error> {
    sqlx::query_as!(
        Renewed,
        r#"
        with claims as (select * from unnest($1::uuid[], $2::bigint[]) c(id, epoch)),
        free as (
            select j.id from jobs j join claims c on j.id = any(array[c.id]) and j.epoch = c.epoch
            where j.owner is not distinct from $3
            for no key update of j skip locked
        ), renewed as (
            update jobs set expires_at = clock_timestamp() + make_interval(secs => $4)
            where id = any(array(select id from free))
        )
        select c.id as "id!", c.epoch as "epoch!", j.id is not null as "held!",
               coalesce(j.cancel_requested, false) as "cancel_requested!"
        from claims c
        left join jobs j on j.id = any(array[c.id]) and j.epoch = c.epoch and j.owner is not distinct from $3
        "#,
        ids,
        epochs,
        owner,
        ttl.as_secs_f64(),
    )
    .fetch_all(executor)
    .await
}

/// Deletes the rows of dead workers that hold no jobs.
pub(crate) async fn delete_dead_workers(
    executor: impl PgExecutor<'_>,
    dead: &[Uuid],
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "delete from workers w where id = any($1)
           and not exists (select from jobs where owner = w.id)",
        dead,
    )
    .execute(executor)
    .await?;
    Ok(())
}
