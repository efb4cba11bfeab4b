//! What others were told when sessions ended, and telling them again.

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tarsy_failpoint::reached;
use tarsy_model::{OperatorAction, SessionId};
use tarsy_queue::NewJob;
use tarsy_store::{DELIVERY_KIND, DELIVERY_QUEUE, DeliveryRecord};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use crate::access::Actor;
use crate::admin::audit::note;
use crate::admin::request::{PageSize, ReasonBody, ValidJson, ValidQuery, invalid};
use crate::problem::Problem;
use crate::state::AppState;

/// Which deliveries.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct Filter {
    /// Of one session.
    #[param(value_type = Option<Uuid>)]
    session_id: Option<SessionId>,
    /// To one target.
    #[param(pattern = r"^[^\u0000]*$")]
    target: Option<String>,
    /// `pending`, `delivered` or `failed`.
    #[param(pattern = "^(pending|delivered|failed)$")]
    state: Option<String>,
    /// Older than this delivery: the last one of the page before.
    before: Option<Uuid>,
    /// 1 to 200; default 50.
    #[param(minimum = 1, maximum = 200)]
    limit: Option<u16>,
}

/// One delivery.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Delivery {
    /// Also the `webhook-id` that its target saw.
    delivery_id: Uuid,
    #[schema(value_type = Uuid)]
    session_id: SessionId,
    /// Name in the configuration.
    target: String,
    #[schema(example = "session.completed")]
    event: String,
    #[schema(example = "delivered")]
    state: String,
    attempts: i32,
    created_at_us: i64,
    last_attempt_at_us: Option<i64>,
    delivered_at_us: Option<i64>,
    /// HTTP status of the last answer.
    response_status: Option<i32>,
    /// ReasonBody the last attempt failed; nothing of the answer itself.
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
    /// Asks for the page behind this one, as `before`.
    next: Option<Uuid>,
    /// How many of this session or to this target were not made, in any state.
    counts: DeliveryCounts,
}

/// Deliveries that were not made; each number counts up to 10,000.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct DeliveryCounts {
    /// Not tried again by themselves.
    failed: i64,
    /// Made now, or tried again later.
    pending: i64,
}

/// What targets were told, newest first.
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
    let page = PageSize::of(wanted.limit)?;
    if let Some(state) = &wanted.state
        && !matches!(state.as_str(), "pending" | "delivered" | "failed")
    {
        return Err(invalid("state", "must be pending, delivered or failed"));
    }
    let mut conn = app.history_pool.acquire().await?;
    let (target, state) = (wanted.target.as_deref(), wanted.state.as_deref());
    let records = tarsy_store::list_deliveries(
        &mut conn,
        wanted.session_id,
        target,
        state,
        wanted.before,
        page.to_read(),
    )
    .await?;
    let counts = tarsy_store::count_undelivered(&mut conn, wanted.session_id, target).await?;
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

/// Tell a target again, now.
#[utoipa::path(
    post, path = "/api/v1/admin/webhook-deliveries/{delivery_id}/redeliver", tag = "admin", request_body = ReasonBody,
    params(("delivery_id" = Uuid, Path, description = "From the list")),
    responses(
        (status = 202, description = "It will be told"),
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
    let mut tx = app.pool.begin().await?;
    if !tarsy_store::reset_delivery(&mut tx, id).await? {
        return Err(Problem::NotFound);
    }
    // One that waits for its next attempt would wait on; this one does not share its key.
    let job = NewJob::new(DELIVERY_QUEUE, DELIVERY_KIND, id).unique_key(format!("redelivery:{id}"));
    tarsy_queue::enqueue(&mut tx, &[job]).await?;
    note(
        &mut tx,
        &actor,
        OperatorAction::Redeliver,
        id,
        &why.reason,
        json!({}),
    )
    .await?;
    reached("admin.redeliver.before_commit");
    tx.commit().await?;
    reached("admin.redeliver.after_commit");
    app.waker.wake(DELIVERY_QUEUE);
    Ok(StatusCode::ACCEPTED)
}
