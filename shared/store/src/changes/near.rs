//! Finds the changes nearest to an alert.

use serde_json::value::RawValue;
use sqlx::PgConnection;
use sqlx::types::Json;
use tarsy_model::{AlertPlace, Change, SessionId, UnixMicros};

use super::received_since;
use crate::Error;

/// How long before the alert a change may have happened: three days, so that a weekend is included.
const BEFORE_US: i64 = 72 * 3_600 * 1_000_000;
/// How long after the alert a change may have happened: e.g. a rollback, or a deployment while the alert was raised.
const AFTER_US: i64 = 3_600 * 1_000_000;

/// The alert for which changes are searched.
#[derive(Clone, Debug)]
pub struct Near {
    /// When the alert fired.
    pub at_us: UnixMicros,
    /// Service, namespace and cluster of the alert.
    pub place: AlertPlace,
}

/// Returns the time of a session's alert and its service, namespace and cluster; `None` if the session does not exist.
pub async fn alert_moment(
    conn: &mut PgConnection,
    session_id: SessionId,
) -> Result<Option<Near>, Error> {
    let row = sqlx::query!(
        r#"select alert_timestamp_us as "at_us: UnixMicros", alert_data as "alert_data: Json<Box<RawValue>>"
           from alert_sessions where session_id = $1"#,
        session_id.as_uuid(),
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(|row| Near {
        at_us: row.at_us,
        // A document that can't be read gives no service, namespace or cluster.
        place: AlertPlace::from_data(
            &serde_json::from_str(row.alert_data.get()).unwrap_or_default(),
        ),
    }))
}

/// Returns the changes nearest to an alert within three days before it and an hour after it, oldest first. Changes of
/// its service rank first, then those of its namespace, then those with neither, then others. Changes of another
/// cluster are omitted.
///
/// Each part of the statement reads at most `limit` index entries in each direction.
pub async fn changes_near(
    conn: &mut PgConnection,
    near: &Near,
    limit: i64,
) -> Result<Vec<Change>, Error> {
    let at_us = near.at_us.0;
    let from_us = at_us.saturating_sub(BEFORE_US);
    let place = &near.place;
    let mut changes = sqlx::query_as!(
        Change,
        r#"
        with found as (
            (select * from changes where service = $1 and happened_at_us between $2 and $3 and change_id >= $4
                 and (cluster is null or $5::text is null or cluster = $5)
             order by happened_at_us desc limit $6)
            union
            (select * from changes where service = $1 and happened_at_us > $3 and happened_at_us <= $7 and change_id >= $4
                 and (cluster is null or $5::text is null or cluster = $5)
             order by happened_at_us limit $6)
            union
            (select * from changes where namespace = $8 and happened_at_us between $2 and $3 and change_id >= $4
                 and (cluster is null or $5::text is null or cluster = $5)
             order by happened_at_us desc limit $6)
            union
            (select * from changes where namespace = $8 and happened_at_us > $3 and happened_at_us <= $7 and change_id >= $4
                 and (cluster is null or $5::text is null or cluster = $5)
             order by happened_at_us limit $6)
            union
            (select * from changes where happened_at_us between $2 and $3 and change_id >= $4
                 and (cluster is null or $5::text is null or cluster = $5)
             order by happened_at_us desc limit $6)
            union
            (select * from changes where happened_at_us > $3 and happened_at_us <= $7 and change_id >= $4
                 and (cluster is null or $5::text is null or cluster = $5)
             order by happened_at_us limit $6)
        )
        select change_id as "change_id!", happened_at_us as "happened_at_us!: UnixMicros", source as "source!",
               external_id as "external_id!", kind as "kind!", title as "title!", service, namespace, cluster, author,
               revision, link
        from found
        order by case when service = $1 then 0 when namespace = $8 then 1
                      when service is null and namespace is null then 2 else 3 end,
                 abs(happened_at_us - $3), change_id
        limit $6
        "#,
        place.service.as_deref(),
        from_us,
        at_us,
        received_since(from_us),
        place.cluster.as_deref(),
        limit,
        at_us.saturating_add(AFTER_US),
        place.namespace.as_deref(),
    )
    .fetch_all(conn)
    .await?;
    changes.sort_by_key(|change| (change.happened_at_us, change.change_id));
    Ok(changes)
}
