//! Webhook deliveries of ended sessions.

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tarsy_failpoint::reached;
use tarsy_model::{OperatorAction, SessionId};
use tarsy_queue::NewJob;
use tarsy_store::deliveries::{DELIVERY_KIND, DELIVERY_QUEUE, DeliveryRecord};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use crate::access::Actor;
use crate::problem::Problem;
use crate::server::audit::note;
use crate::server::operator_request::{
    PageSize, Reason, ReasonBody, ValidJson, ValidQuery, invalid,
};
use crate::server::state::AppState;

/// Filter of deliveries.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct Filter {
    /// Session id.
    #[param(value_type = Option<Uuid>)]
    session_id: Option<SessionId>,
    /// Name of the target.
    #[param(pattern = r"^[^\u0000]*$")]
    target: Option<String>,
    /// `pending`, `delivered` or `failed`.
    #[param(pattern = "^(pending|delivered|failed)$")]
    state: Option<String>,
    /// `next` of the previous page.
    before: Option<Uuid>,
    /// 1 to 200; default 50.
    #[param(minimum = 1, maximum = 200)]
    limit: Option<u16>,
}

/// One delivery.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Delivery {
    /// Also sent as `webhook-id`.
    delivery_id: Uuid,
    #[schema(value_type = Uuid)]
    session_id: SessionId,
    /// Name of the target in the configuration.
    target: String,
    #[schema(example = "session.completed")]
    event: String,
    #[schema(example = "delivered")]
    state: String,
    attempts: i32,
    created_at_us: i64,
    last_attempt_at_us: Option<i64>,
    delivered_at_us: Option<i64>,
    /// HTTP status of the last response.
    response_status: Option<i32>,
    /// Why the last attempt failed, without the response body.
    error: Option<String>,
}

impl From<DeliveryRecord> for Delivery {
    fn from(record: DeliveryRecord) -> Self {
        let DeliveryRecord {
            delivery_id,
            session_id,
            target,
            event,
            state,
            attempts,
            ..
        } = record;
        let DeliveryRecord {
            created_at_us,
            last_attempt_at_us,
            delivered_at_us,
            response_status,
            ..
        } = record;
        Self {
            delivery_id,
            session_id,
            target,
            event,
            state,
            attempts,
            created_at_us,
            last_attempt_at_us,
            delivered_at_us,
            response_status,
            error: record.error,
        }
    }
}

/// A page of deliveries.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Deliveries {
    /// Newest first.
    deliveries: Vec<Delivery>,
    /// Cursor of the next page, for `before`.
    next: Option<Uuid>,
    /// Numbers of undelivered webhooks, filtered by the same session and target.
    counts: DeliveryCounts,
}

/// Numbers of undelivered webhooks, each up to 10,000.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct DeliveryCounts {
    /// Webhooks that are no longer retried.
    failed: i64,
    /// Webhooks that are due now or are retried later.
    pending: i64,
}

/// List webhook deliveries, newest first.
#[utoipa::path(
    get, path = "/api/v1/admin/webhook-deliveries", tag = "admin", operation_id = "list_deliveries", params(Filter),
    responses(
        (status = 200, description = "Deliveries", body = Deliveries),
    )
)]
pub(crate) async fn list(
    State(app): State<AppState>,
    ValidQuery(wanted): ValidQuery<Filter>,
) -> Result<Json<Deliveries>, Problem> {
    let page = PageSize::from_limit(wanted.limit)?;
    if let Some(state) = &wanted.state
        && !matches!(state.as_str(), "pending" | "delivered" | "failed")
    {
        return Err(invalid("state", "must be pending, delivered or failed"));
    }
    let mut conn = app.history_pool.acquire().await?;
    let (target, state) = (wanted.target.as_deref(), wanted.state.as_deref());
    let records = tarsy_store::deliveries::list_deliveries(
        &mut conn,
        wanted.session_id,
        target,
        state,
        wanted.before,
        page.to_read(),
    )
    .await?;
    let counts =
        tarsy_store::deliveries::count_undelivered(&mut conn, wanted.session_id, target).await?;
    let (records, next) = page.cut(records, |record| record.delivery_id);
    Ok(Json(Deliveries {
        deliveries: records.into_iter().map(Delivery::from).collect(),
        next,
        counts: DeliveryCounts {
            failed: counts.failed,
            pending: counts.pending,
        },
    }))
}

/// Redeliver a webhook now.
#[utoipa::path(
    post, path = "/api/v1/admin/webhook-deliveries/{delivery_id}/redeliver", tag = "admin", request_body = ReasonBody,
    params(("delivery_id" = Uuid, Path, description = "Id from the list")),
    responses(
        (status = 202, description = "Queued"),
        (status = 404, description = "Delivery not found"),
    )
)]
pub(crate) async fn redeliver(
    State(app): State<AppState>,
    actor: Actor,
    Path(id): Path<String>,
    ValidJson(why): ValidJson<ReasonBody>,
) -> Result<StatusCode, Problem> {
    let id: Uuid = id.parse().map_err(|_| Problem::NotFound)?;
    if !redeliver_one(&app, &actor, id, &why.reason).await? {
        return Err(Problem::NotFound);
    }
    app.waker.wake(DELIVERY_QUEUE);
    Ok(StatusCode::ACCEPTED)
}

/// Makes one delivery due again, in a separate transaction. Returns whether it exists.
pub(crate) async fn redeliver_one(
    app: &AppState,
    actor: &Actor,
    id: Uuid,
    reason: &Reason,
) -> Result<bool, Problem> {
    let mut tx = app.pool.begin().await?;
    if !tarsy_store::deliveries::reset_delivery(&mut tx, id).await? {
        return Ok(false);
    }
    // A job that waits for its next attempt would keep waiting. The new job has another unique key,
    // so both can exist.
    let job = NewJob::new(DELIVERY_QUEUE, DELIVERY_KIND, id).unique_key(format!("redelivery:{id}"));
    tarsy_queue::enqueue(&mut tx, &[job]).await?;
    note(
        &mut tx,
        actor,
        OperatorAction::Redeliver,
        id,
        reason,
        json!({}),
    )
    .await?;
    reached("admin.redeliver.before_commit");
    tx.commit().await?;
    reached("admin.redeliver.after_commit");
    Ok(true)
}
