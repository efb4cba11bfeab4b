//! Endpoints that group undelivered notifications and redeliver a group.

use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use tarsy_store::deliveries::{DELIVERY_QUEUE, DeliveryGroup as GroupRecord, FailedFilter};
use utoipa::ToSchema;

use crate::access::Actor;
use crate::notifications::deliveries::redeliver_one;
use crate::problem::Problem;
use crate::server::operator_request::{Reason, ValidJson};
use crate::server::state::AppState;

/// Maximum number of groups in a response.
const LISTED: i64 = 200;
/// Maximum number of notifications of one request. The oldest come first, each in a separate transaction.
const MOST: i64 = 500;

/// Undelivered notifications of one target that failed for the same reason.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct DeliveryGroup {
    /// Name of the target in the configuration.
    target: String,
    /// `failed` or `pending`.
    #[schema(example = "failed")]
    state: String,
    /// HTTP status of the last responses.
    response_status: Option<i32>,
    /// Why the last attempts failed.
    error: Option<String>,
    /// Number of notifications in the group. Only the newest 10,000 of each state are counted.
    number: i64,
    oldest_us: i64,
    last_attempt_at_us: Option<i64>,
}

impl From<GroupRecord> for DeliveryGroup {
    fn from(record: GroupRecord) -> Self {
        let GroupRecord {
            target,
            state,
            response_status,
            error,
            number,
            oldest_us,
            last_attempt_at_us,
        } = record;
        Self {
            target,
            state,
            response_status,
            error,
            number,
            oldest_us,
            last_attempt_at_us,
        }
    }
}

/// Groups of undelivered notifications.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct DeliveryGroups {
    /// Groups of failed notifications first, then by size, largest first; at most 200.
    groups: Vec<DeliveryGroup>,
}

/// Group undelivered notifications by target and reason.
#[utoipa::path(
    get, path = "/api/v1/admin/webhook-deliveries/groups", tag = "admin", operation_id = "group_deliveries",
    responses((status = 200, description = "Groups", body = DeliveryGroups))
)]
pub(crate) async fn list(State(app): State<AppState>) -> Result<Json<DeliveryGroups>, Problem> {
    let mut conn = app.history_pool.acquire().await?;
    let groups = tarsy_store::deliveries::group_undelivered(&mut conn, LISTED).await?;
    Ok(Json(DeliveryGroups {
        groups: groups.into_iter().map(DeliveryGroup::from).collect(),
    }))
}

/// A group of failed notifications to redeliver.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GroupRedelivery {
    /// Name of the target.
    #[schema(pattern = r"^[^\u0000]*$")]
    target: String,
    /// As in the group. Absent if it is null there.
    response_status: Option<i32>,
    /// As in the group. Absent if it is null there.
    #[schema(pattern = r"^[^\u0000]*$")]
    error: Option<String>,
    /// Reason, stored in the audit log with each delivery.
    reason: Reason,
}

/// Result of redelivering a group.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct RedeliveredGroup {
    /// Deliveries queued, at most 500 per request.
    affected: usize,
    /// Whether the group has more notifications. Repeat the request for these.
    has_more: bool,
}

/// Redeliver the failed notifications of a group now.
///
/// The oldest come first.
#[utoipa::path(
    post, path = "/api/v1/admin/webhook-deliveries/redeliver", tag = "admin", operation_id = "redeliver_group",
    request_body = GroupRedelivery,
    responses(
        (status = 200, description = "Result", body = RedeliveredGroup),
        (status = 422, description = "No reason, or an invalid group"),
    )
)]
pub(crate) async fn redeliver(
    State(app): State<AppState>,
    actor: Actor,
    ValidJson(body): ValidJson<GroupRedelivery>,
) -> Result<Json<RedeliveredGroup>, Problem> {
    let filter = FailedFilter {
        target: body.target,
        response_status: body.response_status,
        error: body.error,
    };
    let mut conn = app.history_pool.acquire().await?;
    let mut ids = tarsy_store::deliveries::matching_failed(&mut conn, &filter, MOST + 1).await?;
    drop(conn);
    let most = usize::try_from(MOST).unwrap_or(usize::MAX);
    let has_more = ids.len() > most;
    ids.truncate(most);
    let mut affected = 0;
    for id in ids {
        affected += usize::from(redeliver_one(&app, &actor, id, &body.reason).await?);
    }
    if affected > 0 {
        app.waker.wake(DELIVERY_QUEUE);
    }
    Ok(Json(RedeliveredGroup { affected, has_more }))
}
