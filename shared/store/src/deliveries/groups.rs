//! Groups undelivered notifications by target and reason, and lists those of one group.

use sqlx::PgConnection;
use uuid::Uuid;

use crate::Error;

/// Undelivered notifications of one target that failed in the same way.
#[derive(Clone, Debug)]
pub struct DeliveryGroup {
    /// Name of the target.
    pub target: String,
    /// `pending` or `failed`.
    pub state: String,
    /// HTTP status of the last responses.
    pub response_status: Option<i32>,
    /// Reason why the last attempts failed.
    pub error: Option<String>,
    /// Number of notifications, among the newest 10,000 of this state.
    pub number: i64,
    /// Time when the oldest was created, in Unix microseconds.
    pub oldest_us: i64,
    /// Time of the last attempt, in Unix microseconds.
    pub last_attempt_at_us: Option<i64>,
}

/// Groups undelivered notifications, largest group first. Reads the newest 10,000 of each state.
pub async fn group_undelivered(
    conn: &mut PgConnection,
    limit: i64,
) -> Result<Vec<DeliveryGroup>, Error> {
    Ok(sqlx::query_as!(
        DeliveryGroup,
        r#"
        select target as "target!", state::text as "state!", response_status, error, count(*) as "number!",
               min(created_at_us) as "oldest_us!", max(last_attempt_at_us) as last_attempt_at_us
        from ((select * from webhook_deliveries where state <> 'delivered' and state = 'failed'
                order by delivery_id desc limit 10000)
              union all
              (select * from webhook_deliveries where state <> 'delivered' and state = 'pending'
                order by delivery_id desc limit 10000)) d
        group by target, state, response_status, error
        order by (state = 'failed') desc, count(*) desc, target, error
        limit $1
        "#,
        limit
    )
    .fetch_all(conn)
    .await?)
}

/// Filter of failed notifications. Together, these fields identify a group.
#[derive(Clone, Debug)]
pub struct FailedFilter {
    /// Name of the target.
    pub target: String,
    /// HTTP status of the last response.
    pub response_status: Option<i32>,
    /// Reason why the last attempt failed.
    pub error: Option<String>,
}

/// Lists failed notifications that match, the oldest first, up to `limit`.
pub async fn matching_failed(
    conn: &mut PgConnection,
    filter: &FailedFilter,
    limit: i64,
) -> Result<Vec<Uuid>, Error> {
    Ok(sqlx::query_scalar!(
        "select delivery_id from webhook_deliveries
         where state <> 'delivered' and state = 'failed'
           and target = $1 and response_status is not distinct from $2 and error is not distinct from $3
         order by delivery_id limit $4",
        filter.target,
        filter.response_status,
        filter.error,
        limit
    )
    .fetch_all(conn)
    .await?)
}
