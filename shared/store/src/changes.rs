//! Changes in the systems that alerts come from, e.g. deployments.

mod near;
mod prompt;

use std::time::Duration;

use serde::Serialize;
use sqlx::PgConnection;
use sqlx::types::Json;
use tarsy_model::{Change, UnixMicros};
use uuid::Uuid;

pub use self::near::{Near, alert_moment, changes_near};
pub use self::prompt::keep_prompt_changes;
use crate::Error;
use crate::partitions::{PARTITION_WIDTH, lowest_id};

/// A change to record.
#[derive(Clone, Debug, Serialize)]
pub struct NewChange {
    /// Digest of source and external id, which identifies the change.
    pub key: Uuid,
    /// The change to record.
    #[serde(flatten)]
    pub change: Change,
}

/// Records the changes that are not recorded yet, in one statement. Returns their ids. The database decides: if the
/// same change is delivered twice, even at the same time, it is recorded once.
pub async fn record_changes(
    conn: &mut PgConnection,
    changes: &[NewChange],
) -> Result<Vec<Uuid>, Error> {
    Ok(sqlx::query_scalar!(
        r#"
        with sent as materialized (
            select * from jsonb_to_recordset($1) as s (
                key uuid, change_id uuid, happened_at_us bigint, source text, external_id text, kind text, title text,
                service text, namespace text, cluster text, author text, revision text, link text)
        ),
        -- In the same order everywhere, so that two payloads with the same changes don't wait for each other.
        fresh as (
            insert into change_keys (key, change_id) select key, change_id from sent order by key
            on conflict (key) do nothing
            returning change_id
        )
        insert into changes (change_id, happened_at_us, source, external_id, kind, title, service, namespace, cluster,
            author, revision, link)
        select change_id, happened_at_us, source, external_id, kind, title, service, namespace, cluster, author,
            revision, link
        from sent join fresh using (change_id)
        returning change_id
        "#,
        Json(changes) as _,
    )
    .fetch_all(conn)
    .await?)
}

/// Filter of changes.
#[derive(Clone, Copy, Debug, Default)]
pub struct ChangeFilter<'f> {
    /// Only changes of this service.
    pub service: Option<&'f str>,
    /// Only changes in this namespace.
    pub namespace: Option<&'f str>,
    /// Only changes in this cluster.
    pub cluster: Option<&'f str>,
    /// Only changes at or after this time, in Unix microseconds.
    pub since_us: Option<i64>,
    /// Only changes before this time, in Unix microseconds.
    pub until_us: Option<i64>,
    /// Only changes older than this one.
    pub before: Option<Uuid>,
}

/// Returns matching changes, newest first.
pub async fn list_changes(
    conn: &mut PgConnection,
    filter: ChangeFilter<'_>,
    limit: i64,
) -> Result<Vec<Change>, Error> {
    let oldest_id = filter.since_us.map_or(Uuid::nil(), received_since);
    Ok(sqlx::query_as!(
        Change,
        r#"
        select change_id, happened_at_us as "happened_at_us: UnixMicros", source, external_id, kind, title, service,
               namespace, cluster, author, revision, link
        from changes
        where ($1::text is null or service = $1) and ($2::text is null or namespace = $2)
          and ($3::text is null or cluster = $3) and ($4::bigint is null or happened_at_us >= $4)
          and ($5::bigint is null or happened_at_us < $5) and change_id >= $6
          and ($7::uuid is null or (happened_at_us, change_id)
               < (select b.happened_at_us, b.change_id from changes b where b.change_id = $7))
        order by happened_at_us desc, change_id desc limit $8
        "#,
        filter.service,
        filter.namespace,
        filter.cluster,
        filter.since_us,
        filter.until_us,
        oldest_id,
        filter.before,
        limit,
    )
    .fetch_all(conn)
    .await?)
}

/// Returns the lowest id that a change of this time or later can have. No change is dated more than an hour after its
/// receipt.
fn received_since(happened_at_us: i64) -> Uuid {
    const HOUR_MS: i64 = 3_600_000;
    lowest_id((happened_at_us / 1_000).saturating_sub(2 * HOUR_MS).max(0))
}

/// Deletes rows that dropping partitions does not remove: keys of deleted changes, and changes older than `age` that
/// were in no dropped partition. Returns how many rows it deleted.
pub async fn prune_changes(
    conn: &mut PgConnection,
    age: Duration,
    limit: i64,
) -> Result<u64, Error> {
    let age = age.saturating_add(PARTITION_WIDTH * 2);
    let done = sqlx::query!(
        "with old as (
             select (lpad(to_hex(greatest(now_us() / 1000 - $1::bigint, 0)), 12, '0') || repeat('0', 20))::uuid as bound
         ),
         rows as (
             delete from changes where change_id = any(array(
                 select change_id from changes where change_id < (select bound from old) order by change_id limit $2))
         )
         delete from change_keys where key = any(array(
             select key from change_keys where change_id < (select bound from old) order by change_id limit $2))",
        i64::try_from(age.as_millis()).unwrap_or(i64::MAX / 2),
        limit,
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected())
}
