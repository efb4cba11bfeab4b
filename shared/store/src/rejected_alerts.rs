//! Rejected alerts.

use std::time::Duration;

use serde_json::{Value, json};
use sqlx::PgConnection;
use uuid::Uuid;

use crate::Error;

/// A rejected request to store.
#[derive(Clone, Debug)]
pub struct NewRejection {
    /// Id, a UUIDv7.
    pub rejection_id: Uuid,
    /// Name of a configured webhook source, `alerts` or `unknown`.
    pub source: String,
    /// Whether the sender was authenticated.
    pub is_proven: bool,
    /// Path of the request, truncated.
    pub path: String,
    /// Code of the problem in the response.
    pub code: String,
    /// HTTP status of the response.
    pub status: i32,
    /// Detail text of the problem.
    pub detail: String,
    /// Rejected alerts of a webhook: `[{"fingerprint", "code", "detail"}]`.
    pub alerts: Value,
    /// Sender, if known.
    pub author: Option<String>,
    /// Content type, as sent.
    pub content_type: String,
    /// Headers that identify the delivery. Never contains credentials.
    pub headers: Value,
    /// Body, masked and truncated.
    pub body: String,
    /// Number of bytes received, if the body was read.
    pub body_bytes: Option<i64>,
    /// Whether `body` is the complete request body.
    pub is_whole: bool,
}

/// Stores rejected requests. For each of their sources, keeps only the newest `most` requests of authenticated
/// senders, besides those inserted now, and the newest `most_unproven` of other senders.
pub async fn keep_rejections(
    conn: &mut PgConnection,
    rejections: &[NewRejection],
    most: i64,
    most_unproven: i64,
) -> Result<(), Error> {
    sqlx::query!(
        "with fresh as (
             insert into rejected_alerts
                 (rejection_id, source, is_proven, path, code, status, detail, alerts, author, content_type, headers,
                  body, body_bytes, is_whole)
             select * from unnest($1::uuid[], $2::text[], $3::bool[], $4::text[], $5::text[], $6::int[], $7::text[],
                 $8::jsonb[], $9::text[], $10::text[], $11::jsonb[], $12::text[], $13::bigint[], $14::bool[])
         )
         delete from rejected_alerts r
         using (select distinct source from unnest($2::text[]) as s (source)) s,
               (values (true, $15::bigint), (false, $16::bigint)) as kept (is_proven, most)
         where r.source = s.source and r.is_proven = kept.is_proven
           and r.rejection_id <= (select o.rejection_id from rejected_alerts o
                                  where o.source = s.source and o.is_proven = kept.is_proven
                                  order by o.rejection_id desc offset kept.most limit 1)",
        &rejections.iter().map(|r| r.rejection_id).collect::<Vec<_>>(),
        &rejections.iter().map(|r| r.source.as_str()).collect::<Vec<_>>() as &[&str],
        &rejections.iter().map(|r| r.is_proven).collect::<Vec<_>>(),
        &rejections.iter().map(|r| r.path.as_str()).collect::<Vec<_>>() as &[&str],
        &rejections.iter().map(|r| r.code.as_str()).collect::<Vec<_>>() as &[&str],
        &rejections.iter().map(|r| r.status).collect::<Vec<_>>(),
        &rejections.iter().map(|r| r.detail.as_str()).collect::<Vec<_>>() as &[&str],
        &rejections.iter().map(|r| &r.alerts).collect::<Vec<_>>() as &[&Value],
        &rejections.iter().map(|r| r.author.as_deref()).collect::<Vec<_>>() as &[Option<&str>],
        &rejections.iter().map(|r| r.content_type.as_str()).collect::<Vec<_>>() as &[&str],
        &rejections.iter().map(|r| &r.headers).collect::<Vec<_>>() as &[&Value],
        &rejections.iter().map(|r| r.body.as_str()).collect::<Vec<_>>() as &[&str],
        &rejections.iter().map(|r| r.body_bytes).collect::<Vec<_>>() as &[Option<i64>],
        &rejections.iter().map(|r| r.is_whole).collect::<Vec<_>>(),
        most,
        most_unproven,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// A rejected request.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the columns of rejected_alerts")]
pub struct RejectionRecord {
    pub rejection_id: Uuid,
    pub received_at_us: i64,
    pub source: String,
    pub is_proven: bool,
    pub path: String,
    pub code: String,
    pub status: i32,
    pub detail: String,
    pub alerts: Value,
    pub author: Option<String>,
    pub content_type: String,
    pub headers: Value,
    pub body: String,
    pub body_bytes: Option<i64>,
    pub is_whole: bool,
    pub submitted_at_us: Option<i64>,
    pub submitted_by: Option<String>,
}

/// Filter of rejected requests.
#[derive(Clone, Copy, Debug, Default)]
pub struct RejectionFilter<'f> {
    /// Only requests of this source.
    pub source: Option<&'f str>,
    /// Only requests with this code, of the request itself or of one of its alerts.
    pub code: Option<&'f str>,
    /// Only requests with an alert of this fingerprint.
    pub fingerprint: Option<&'f str>,
    /// Only requests older than this one.
    pub before: Option<Uuid>,
}

/// Returns matching rejected requests, newest first.
pub async fn list_rejections(
    conn: &mut PgConnection,
    filter: RejectionFilter<'_>,
    limit: i64,
) -> Result<Vec<RejectionRecord>, Error> {
    let with_code = filter.code.map(|code| json!([{ "code": code }]));
    let named = filter
        .fingerprint
        .map(|fingerprint| json!([{ "fingerprint": fingerprint }]));
    Ok(sqlx::query_as!(
        RejectionRecord,
        "select rejection_id, received_at_us, source, is_proven, path, code, status, detail, alerts, author, content_type,
                headers, body, body_bytes, is_whole, submitted_at_us, submitted_by
         from rejected_alerts
         where ($1::text is null or source = $1) and ($2::text is null or code = $2 or alerts @> $3::jsonb)
           and ($4::jsonb is null or alerts @> $4) and ($5::uuid is null or rejection_id < $5)
         order by rejection_id desc limit $6",
        filter.source,
        filter.code,
        with_code,
        named,
        filter.before,
        limit,
    )
    .fetch_all(conn)
    .await?)
}

/// Returns a rejected request, if it is still stored.
pub async fn find_rejection(
    conn: &mut PgConnection,
    rejection_id: Uuid,
) -> Result<Option<RejectionRecord>, Error> {
    Ok(sqlx::query_as!(
        RejectionRecord,
        "select rejection_id, received_at_us, source, is_proven, path, code, status, detail, alerts, author, content_type,
                headers, body, body_bytes, is_whole, submitted_at_us, submitted_by
         from rejected_alerts where rejection_id = $1",
        rejection_id,
    )
    .fetch_optional(conn)
    .await?)
}

/// Records that a rejected request was submitted again.
pub async fn mark_submitted(
    conn: &mut PgConnection,
    rejection_id: Uuid,
    by: &str,
) -> Result<(), Error> {
    sqlx::query!(
        "update rejected_alerts set submitted_at_us = now_us(), submitted_by = $1 where rejection_id = $2",
        by,
        rejection_id,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Deletes rejected requests older than `age`. Returns how many.
pub async fn prune_rejections(
    conn: &mut PgConnection,
    age: Duration,
    limit: i64,
) -> Result<u64, Error> {
    let done = sqlx::query!(
        "delete from rejected_alerts where rejection_id = any(array(
             select rejection_id from (select rejection_id, received_at_us from rejected_alerts
                                       order by rejection_id limit $1) oldest
             where received_at_us < now_us() - $2::bigint))",
        limit,
        i64::try_from(age.as_micros()).unwrap_or(i64::MAX / 2),
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected())
}
