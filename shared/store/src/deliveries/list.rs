//! Lists deliveries for operators, counts undelivered ones, and resets one.

use sqlx::PgConnection;
use tarsy_model::SessionId;
use uuid::Uuid;

use crate::Error;

/// A delivery as listed.
#[derive(Clone, Debug)]
pub struct DeliveryRecord {
    /// Id of the delivery.
    pub delivery_id: Uuid,
    /// Session that the delivery is about.
    pub session_id: SessionId,
    /// Name of the target.
    pub target: String,
    /// The event, e.g. `session.completed`.
    pub event: String,
    /// `pending`, `delivered` or `failed`.
    pub state: String,
    /// Number of attempts.
    pub attempts: i32,
    /// Time when it was created, in Unix microseconds.
    pub created_at_us: i64,
    /// Time of the last attempt, in Unix microseconds.
    pub last_attempt_at_us: Option<i64>,
    /// Time when it was delivered, in Unix microseconds.
    pub delivered_at_us: Option<i64>,
    /// HTTP status of the last response.
    pub response_status: Option<i32>,
    /// Reason why the last attempt failed.
    pub error: Option<String>,
}

/// Lists the newest deliveries before `before` (the id of a delivery), filtered by session, target and state
/// (`pending`, `delivered` or `failed`) if given. Use a connection with custom plans: undelivered rows are few and
/// have a separate index.
pub async fn list_deliveries(
    conn: &mut PgConnection,
    session_id: Option<SessionId>,
    target: Option<&str>,
    state: Option<&str>,
    before: Option<Uuid>,
    limit: i64,
) -> Result<Vec<DeliveryRecord>, Error> {
    let rows = sqlx::query_as!(
        DeliveryRecord,
        r#"
        select delivery_id, session_id as "session_id: SessionId", target, event, state::text as "state!", attempts,
               created_at_us, last_attempt_at_us, delivered_at_us, response_status, error
        from webhook_deliveries
        where ($1::uuid is null or session_id = $1) and ($2::text is null or target = $2)
          and ($3::text is null or $3 = 'failed' and state = 'failed' or $3 = 'pending' and state = 'pending'
               or $3 = 'delivered' and state = 'delivered')
          and ($4::uuid is null or delivery_id < $4)
        order by delivery_id desc
        limit $5
        "#,
        session_id.map(SessionId::as_uuid),
        target,
        state,
        before,
        limit
    )
    .fetch_all(conn)
    .await?;
    Ok(rows)
}

/// Numbers of undelivered webhooks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Undelivered {
    /// Deliveries for which no attempt is scheduled.
    pub failed: i64,
    /// Deliveries that are in progress or will be tried again.
    pub pending: i64,
}

/// Counts undelivered notifications, of a session or to a target if given. Each number is limited to 10,000. An index
/// covers only undelivered rows.
pub async fn count_undelivered(
    conn: &mut PgConnection,
    session_id: Option<SessionId>,
    target: Option<&str>,
) -> Result<Undelivered, Error> {
    Ok(sqlx::query_as!(
        Undelivered,
        r#"
        select (select count(*) from (select from webhook_deliveries where state <> 'delivered' and state = 'failed'
                    and ($1::uuid is null or session_id = $1) and ($2::text is null or target = $2) limit 10000) f) as "failed!",
               (select count(*) from (select from webhook_deliveries where state <> 'delivered' and state = 'pending'
                    and ($1::uuid is null or session_id = $1) and ($2::text is null or target = $2) limit 10000) p) as "pending!"
        "#,
        session_id.map(SessionId::as_uuid),
        target,
    )
    .fetch_one(conn)
    .await?)
}

/// Makes a delivery due again, in any state. Returns whether it exists. The caller enqueues its job.
pub async fn reset_delivery(conn: &mut PgConnection, delivery_id: Uuid) -> Result<bool, Error> {
    let reset = sqlx::query!(
        "update webhook_deliveries set state = 'pending', attempts = 0 where delivery_id = $1",
        delivery_id
    )
    .execute(conn)
    .await?;
    Ok(reset.rows_affected() > 0)
}
