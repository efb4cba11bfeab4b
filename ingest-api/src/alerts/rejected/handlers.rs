//! Rejected alerts and their resubmission.

use axum::Json;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use bytes::Bytes;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tarsy_failpoint::reached;
use tarsy_model::OperatorAction;
use tarsy_store::rejected_alerts::{RejectionFilter, RejectionRecord};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use crate::access::Actor;
use crate::alerts::handlers as alerts;
use crate::alerts::rejected::RejectedAlert;
use crate::problem::{ConflictError, Problem};
use crate::server::audit::note;
use crate::server::body::{AnyBytes, JsonBytes};
use crate::server::caller::Caller;
use crate::server::operator_request::{PageSize, ReasonBody, ValidJson, ValidQuery};
use crate::server::state::AppState;
use crate::webhooks::handlers as webhooks;

/// Filter of rejected alerts.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct Filter {
    /// Webhook source, `alerts` for `POST /alerts`, or `unknown`.
    #[param(pattern = r"^[^\u0000]*$")]
    source: Option<String>,
    /// Problem code of the request or one of its alerts.
    #[param(pattern = r"^[^\u0000]*$")]
    code: Option<String>,
    /// Fingerprint of an alert.
    #[param(pattern = r"^[^\u0000]*$")]
    fingerprint: Option<String>,
    /// `next` of the previous page.
    before: Option<Uuid>,
    /// 1 to 200; default 50.
    #[param(minimum = 1, maximum = 200)]
    limit: Option<u16>,
}

/// Request with at least one rejected alert.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Rejection {
    rejection_id: Uuid,
    received_at_us: i64,
    /// The webhook source, `alerts` for `POST /alerts`, or `unknown`.
    #[schema(example = "alertmanager")]
    source: String,
    /// Whether the sender was authenticated by a key or a signature.
    is_proven: bool,
    path: String,
    /// Problem code, see docs/ERRORS.md. For a partly accepted request, the code of its first rejected alert.
    #[schema(example = "unknown_alert_type")]
    code: String,
    /// HTTP status of the response.
    status: i32,
    detail: String,
    /// Rejected alerts of a webhook; at most fifty.
    alerts: Vec<RejectedAlert>,
    author: Option<String>,
    /// Size in bytes; null if the body was not read.
    body_bytes: Option<i64>,
    /// Whether the body is stored as sent and can be resubmitted.
    is_whole: bool,
    submitted_at_us: Option<i64>,
    submitted_by: Option<String>,
}

impl From<RejectionRecord> for Rejection {
    fn from(record: RejectionRecord) -> Self {
        Self {
            rejection_id: record.rejection_id,
            received_at_us: record.received_at_us,
            source: record.source,
            is_proven: record.is_proven,
            path: record.path,
            code: record.code,
            status: record.status,
            detail: record.detail,
            alerts: serde_json::from_value(record.alerts).unwrap_or_default(),
            author: record.author,
            body_bytes: record.body_bytes,
            is_whole: record.is_whole,
            submitted_at_us: record.submitted_at_us,
            submitted_by: record.submitted_by,
        }
    }
}

/// A page of rejected alerts.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Rejections {
    /// Newest first.
    rejections: Vec<Rejection>,
    /// Cursor of the next page, for `before`.
    next: Option<Uuid>,
}

/// Rejected request with its stored body.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct RejectionDetail {
    #[serde(flatten)]
    rejection: Rejection,
    content_type: String,
    /// Headers that identify the delivery; never credentials.
    #[schema(value_type = Object)]
    headers: Value,
    /// Masked, and truncated if long.
    body: String,
}

/// List rejected alerts, newest first.
#[utoipa::path(
    get, path = "/api/v1/admin/rejected-alerts", tag = "admin", operation_id = "list_rejected_alerts", params(Filter),
    responses(
        (status = 200, description = "Rejected alerts", body = Rejections),
    )
)]
pub(crate) async fn list(
    State(app): State<AppState>,
    ValidQuery(wanted): ValidQuery<Filter>,
) -> Result<Json<Rejections>, Problem> {
    let page = PageSize::from_limit(wanted.limit)?;
    let filter = RejectionFilter {
        source: wanted.source.as_deref(),
        code: wanted.code.as_deref(),
        fingerprint: wanted.fingerprint.as_deref(),
        before: wanted.before,
    };
    let mut conn = app.history_pool.acquire().await?;
    let records =
        tarsy_store::rejected_alerts::list_rejections(&mut conn, filter, page.to_read()).await?;
    let (records, next) = page.cut(records, |record| record.rejection_id);
    Ok(Json(Rejections {
        rejections: records.into_iter().map(Rejection::from).collect(),
        next,
    }))
}

/// Get a rejected alert with its stored body.
#[utoipa::path(
    get, path = "/api/v1/admin/rejected-alerts/{rejection_id}", tag = "admin", operation_id = "show_rejected_alert",
    params(("rejection_id" = Uuid, Path, description = "Id from the list")),
    responses(
        (status = 200, description = "The rejected alert", body = RejectionDetail),
        (status = 404, description = "Rejected alert not found"),
    )
)]
pub(crate) async fn show(
    State(app): State<AppState>,
    Path(id): Path<String>,
) -> Result<Json<RejectionDetail>, Problem> {
    let mut record = find(&app, &id).await?;
    let headers = record.headers.take();
    let content_type = std::mem::take(&mut record.content_type);
    let body = std::mem::take(&mut record.body);
    Ok(Json(RejectionDetail {
        rejection: record.into(),
        content_type,
        headers,
        body,
    }))
}

async fn find(app: &AppState, id: &str) -> Result<RejectionRecord, Problem> {
    let id: Uuid = id.parse().map_err(|_| Problem::NotFound)?;
    let mut conn = app.history_pool.acquire().await?;
    let found = tarsy_store::rejected_alerts::find_rejection(&mut conn, id).await?;
    found.ok_or(Problem::NotFound)
}

/// Resubmit a rejected alert as it was sent.
///
/// Submits it on behalf of the caller. It is handled like the original request, except that the operator's
/// credentials replace the sender's signature. The response is that of the original endpoint.
#[utoipa::path(
    post, path = "/api/v1/admin/rejected-alerts/{rejection_id}/submit", tag = "admin",
    operation_id = "submit_rejected_alert", request_body = ReasonBody,
    params(("rejection_id" = Uuid, Path, description = "Id from the list")),
    responses(
        (status = 202, description = "Response of `POST /alerts` or `POST /webhooks/{source}`", body = Object),
        (status = 404, description = "Rejected alert or its webhook source not found"),
        (status = 409, description = "The stored body is incomplete"),
        (status = 422, description = "No reason, or the alert is rejected again"),
        (status = 503, description = "No LLM provider, too many pending sessions, or the database is unavailable"),
    )
)]
pub(crate) async fn submit(
    State(app): State<AppState>,
    actor: Actor,
    caller: Caller,
    Path(id): Path<String>,
    ValidJson(why): ValidJson<ReasonBody>,
) -> Result<(StatusCode, Json<Value>), Problem> {
    let record = find(&app, &id).await?;
    if !record.is_whole {
        return Err(ConflictError::BodyNotWhole.into());
    }
    let answer = match record.path.strip_prefix("/webhooks/") {
        None => json!(alerts::accept(&app, caller, &record.body).await?),
        Some(source) => {
            let source = app.catalog.webhook(source)?;
            let headers = headers_of(&record);
            let raw = Bytes::from(record.body.into_bytes());
            let any = AnyBytes::declared(&headers, raw.clone());
            // The caller is authenticated, so a form is accepted as it is from a source that signs.
            let body: JsonBytes = webhooks::readable(source, any)?;
            json!(webhooks::accept(&app, source, &caller, &headers, (&raw, &body)).await?)
        }
    };
    let mut tx = app.pool.begin().await?;
    tarsy_store::rejected_alerts::mark_submitted(&mut tx, record.rejection_id, actor.name())
        .await?;
    let details = json!({ "source": record.source, "code": record.code, "answer": answer });
    note(
        &mut tx,
        &actor,
        OperatorAction::SubmitRejected,
        record.rejection_id,
        &why.reason,
        details,
    )
    .await?;
    reached("admin.submit.before_commit");
    tx.commit().await?;
    reached("admin.submit.after_commit");
    Ok((StatusCode::ACCEPTED, Json(answer)))
}

fn headers_of(record: &RejectionRecord) -> HeaderMap {
    let kept = record.headers.as_object().into_iter().flatten();
    let headers = kept.filter_map(|(name, value)| {
        let name = HeaderName::from_bytes(name.as_bytes()).ok()?;
        Some((name, HeaderValue::from_str(value.as_str()?).ok()?))
    });
    headers.collect()
}
