//! Alerts that were not accepted.

use std::time::Duration;

use serde_json::{Value, json};
use sqlx::PgConnection;
use uuid::Uuid;

use crate::Error;

/// A rejected request, as far as it is kept.
#[derive(Clone, Debug)]
pub struct NewRejection {
    /// A UUIDv7.
    pub rejection_id: Uuid,
    /// A configured webhook source, `alerts` or `unknown`.
    pub source: String,
    /// Whether its sender had shown who it is.
    pub is_proven: bool,
    /// As it was sent, cut.
    pub path: String,
    /// Code of the problem that was answered.
    pub code: String,
    /// Its HTTP status.
    pub status: i32,
    /// Its text.
    pub detail: String,
    /// `[{"fingerprint", "code", "detail"}]` of a webhook's alerts that were rejected.
    pub alerts: Value,
    /// Who sent it, if known.
    pub author: Option<String>,
    /// As the sender named it.
    pub content_type: String,
    /// Headers that identify the delivery; never credentials.
    pub headers: Value,
    /// Masked, and cut to the size that is kept.
    pub body: String,
    /// Bytes that came in, if they were read.
    pub body_bytes: Option<i64>,
    /// Whether `body` is what was sent.
    pub is_whole: bool,
}

/// Keep rejected requests. Of each of their sources the newest `most` with a sender that is known stay
/// next to them, and the newest `most_unproven` of other senders.
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

/// Which rejected requests.
#[derive(Clone, Copy, Debug, Default)]
pub struct RejectionFilter<'f> {
    /// Only requests of this source.
    pub source: Option<&'f str>,
    /// With this code, of the request or of one of its alerts.
    pub code: Option<&'f str>,
    /// With an alert of this fingerprint.
    pub fingerprint: Option<&'f str>,
    /// Older than this one.
    pub before: Option<Uuid>,
}

/// Rejected requests, newest first.
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

/// A rejected request, if it is kept.
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

/// Note that a rejected request was submitted again.
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

/// Delete rejected requests older than `age`. Answers how many.
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
