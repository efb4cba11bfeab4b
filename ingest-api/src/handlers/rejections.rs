//! Alerts that were not accepted, and submitting them again.

use axum::Json;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use bytes::Bytes;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tarsy_failpoint::reached;
use tarsy_model::OperatorAction;
use tarsy_store::{RejectionFilter, RejectionRecord};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use super::{alerts, webhooks};
use crate::access::Actor;
use crate::admin::audit::note;
use crate::admin::request::{PageSize, ReasonBody, ValidJson, ValidQuery};
use crate::body::{AnyBytes, JsonBytes};
use crate::caller::Caller;
use crate::problem::{ConflictError, Problem};
use crate::rejected::RejectedAlert;
use crate::state::AppState;

/// Which rejected alerts.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct Filter {
    /// Of one webhook source, `alerts` for `POST /alerts`, or `unknown`.
    #[param(pattern = r"^[^\u0000]*$")]
    source: Option<String>,
    /// With this code, of the request or of one of its alerts.
    #[param(pattern = r"^[^\u0000]*$")]
    code: Option<String>,
    /// With an alert of this fingerprint.
    #[param(pattern = r"^[^\u0000]*$")]
    fingerprint: Option<String>,
    /// Older than this one: the last of the page before.
    before: Option<Uuid>,
    /// 1 to 200; default 50.
    #[param(minimum = 1, maximum = 200)]
    limit: Option<u16>,
}

/// A request whose alert, or some of whose alerts, were not accepted.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Rejection {
    rejection_id: Uuid,
    received_at_us: i64,
    /// The webhook source, `alerts` for `POST /alerts`, or `unknown`.
    #[schema(example = "alertmanager")]
    source: String,
    /// Whether its sender had shown who it is, by a key or a signature.
    is_proven: bool,
    path: String,
    /// Code of the answer, see docs/ERRORS.md; of one that was accepted in part, of the first alert that was not.
    #[schema(example = "unknown_alert_type")]
    code: String,
    /// HTTP status of the answer.
    status: i32,
    detail: String,
    /// The alerts of a webhook that were rejected, fifty at most.
    alerts: Vec<RejectedAlert>,
    author: Option<String>,
    /// Bytes that came in; none if they were not read.
    body_bytes: Option<i64>,
    /// Whether the body is kept as it was sent, so that it can be submitted again.
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
    /// Asks for the page behind this one, as `before`.
    next: Option<Uuid>,
}

/// A rejected request with what is kept of its body.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct RejectionDetail {
    #[serde(flatten)]
    rejection: Rejection,
    content_type: String,
    /// Those that identify the delivery; never credentials.
    #[schema(value_type = Object)]
    headers: Value,
    /// Masked, and cut where it is long.
    body: String,
}

/// Alerts that were not accepted, newest first: why did my alert not show up?
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
    let page = PageSize::of(wanted.limit)?;
    let filter = RejectionFilter {
        source: wanted.source.as_deref(),
        code: wanted.code.as_deref(),
        fingerprint: wanted.fingerprint.as_deref(),
        before: wanted.before,
    };
    let mut conn = app.history_pool.acquire().await?;
    let records = tarsy_store::list_rejections(&mut conn, filter, page.to_read()).await?;
    let (records, next) = page.cut(records, |record| record.rejection_id);
    Ok(Json(Rejections {
        rejections: records.into_iter().map(Rejection::from).collect(),
        next,
    }))
}

/// A rejected alert with what is kept of its body.
#[utoipa::path(
    get, path = "/api/v1/admin/rejected-alerts/{rejection_id}", tag = "admin", operation_id = "show_rejected_alert",
    params(("rejection_id" = Uuid, Path, description = "From the list")),
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
    let found = tarsy_store::find_rejection(&mut conn, id).await?;
    found.ok_or(Problem::NotFound)
}

/// Submit a rejected alert again, as it was sent, in the name of who asks.
///
/// It takes the same path as before, but for the sender's signature, whose place the operator's own
/// credentials take. It answers as that path does.
#[utoipa::path(
    post, path = "/api/v1/admin/rejected-alerts/{rejection_id}/submit", tag = "admin",
    operation_id = "submit_rejected_alert", request_body = ReasonBody,
    params(("rejection_id" = Uuid, Path, description = "From the list")),
    responses(
        (status = 202, description = "What `POST /alerts` or `POST /webhooks/{source}` answers", body = Object),
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
            let any = AnyBytes::said_to_be(&headers, raw.clone());
            // Who asks is known: a form is as good as it is from a source that signs.
            let body: JsonBytes = webhooks::readable(source, any)?;
            json!(webhooks::accept(&app, source, &caller, &headers, (&raw, &body)).await?)
        }
    };
    let mut tx = app.pool.begin().await?;
    tarsy_store::mark_submitted(&mut tx, record.rejection_id, actor.name()).await?;
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

/// The headers that were kept.
fn headers_of(record: &RejectionRecord) -> HeaderMap {
    let kept = record.headers.as_object().into_iter().flatten();
    let headers = kept.filter_map(|(name, value)| {
        let name = HeaderName::from_bytes(name.as_bytes()).ok()?;
        Some((name, HeaderValue::from_str(value.as_str()?).ok()?))
    });
    headers.collect()
}
