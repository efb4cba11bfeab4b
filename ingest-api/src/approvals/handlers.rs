//! Endpoints of approvals and signals.

use axum::Json;
use axum::extract::{Path, State};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sqlx::PgConnection;
use tarsy_model::{SessionId, WaitDecision, WaitId, read_document, storable_json};
use tarsy_store::waits::{WaitFilter, WaitRecord};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use crate::access::Actor;
use crate::approvals::contexts::WaitContexts;
use crate::approvals::decide as waits;
use crate::approvals::wait::WaitDetail;
use crate::problem::{ConflictError, FieldError, Problem};
use crate::server::body::JsonBytes;
use crate::server::operator_request::{PageSize, Reason, ValidJson, ValidQuery, invalid};
use crate::server::state::AppState;

/// Largest payload of a signal, in bytes.
const LARGEST_PAYLOAD: usize = 64 * 1024;

/// Filter of approvals.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct Filter {
    /// `open` (default), `decided`, `all`, or one decision: `approved`, `denied`, `expired`, `cancelled`.
    #[param(pattern = "^(open|decided|all|approved|denied|expired|cancelled)$")]
    status: Option<String>,
    /// Session id.
    session: Option<Uuid>,
    /// `newest` (default): newest first. `urgent`: by severity, then by expiry (earliest first); only with status
    /// `open`.
    #[param(pattern = "^(newest|urgent)$")]
    order: Option<String>,
    /// `next` of the previous page, in the same order.
    before: Option<Uuid>,
    /// 1 to 200; default 50.
    #[param(minimum = 1, maximum = 200)]
    limit: Option<u16>,
}

/// A page of approvals.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Approvals {
    /// Approvals in the requested order.
    approvals: Vec<WaitDetail>,
    /// Cursor of the next page, for `before`.
    #[schema(value_type = Option<Uuid>)]
    next: Option<WaitId>,
}

/// Decision of a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ApprovalAnswer {
    /// The chain or the tool call continues.
    Approve,
    /// The chain or the tool call does not continue.
    Deny,
}

/// A decision with its reason.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ApprovalDecision {
    decision: ApprovalAnswer,
    /// Reason; stored in the audit log and passed to the agents that follow. Default `not stated`.
    #[serde(default = "Reason::not_stated")]
    reason: Reason,
}

/// List approvals of stages and tool calls.
///
/// The newest come first, unless `order` is `urgent`.
#[utoipa::path(
    get, path = "/api/v1/approvals", tag = "approvals", operation_id = "list_approvals", params(Filter),
    responses(
        (status = 200, description = "Approvals", body = Approvals),
    )
)]
pub(crate) async fn list(
    State(app): State<AppState>,
    ValidQuery(wanted): ValidQuery<Filter>,
) -> Result<Json<Approvals>, Problem> {
    let page = PageSize::from_limit(wanted.limit)?;
    let (is_open, decision) = match wanted.status.as_deref().unwrap_or("open") {
        "open" => (Some(true), None),
        "decided" => (Some(false), None),
        "all" => (None, None),
        word => match WaitDecision::from_word(word) {
            Some(decision) => (Some(false), Some(decision)),
            None => {
                return Err(invalid(
                    "status",
                    "must be open, decided, all, approved, denied, expired or cancelled",
                ));
            }
        },
    };
    let is_urgent = match wanted.order.as_deref().unwrap_or("newest") {
        "newest" => false,
        "urgent" if is_open == Some(true) => true,
        "urgent" => return Err(invalid("order", "urgent requires status open")),
        _ => return Err(invalid("order", "must be newest or urgent")),
    };
    let filter = WaitFilter {
        is_open,
        decision,
        session_id: wanted.session.map(SessionId::from),
        before: wanted.before.map(WaitId::from),
    };
    let mut conn = app.pool.acquire().await?;
    let (session, before) = (filter.session_id, filter.before);
    let waits = match is_urgent {
        true => {
            tarsy_store::waits::list_urgent_approvals(&mut conn, session, before, page.to_read())
                .await?
        }
        false => tarsy_store::waits::list_approvals(&mut conn, filter, page.to_read()).await?,
    };
    let (waits, next) = page.cut(waits, |wait| wait.wait_id);
    let contexts = WaitContexts::read(&mut conn, &app.catalog.alert_masker, &waits).await?;
    Ok(Json(Approvals {
        approvals: waits
            .into_iter()
            .map(|wait| contexts.detail(wait))
            .collect(),
        next,
    }))
}

/// Get an approval, whether open or decided.
#[utoipa::path(
    get, path = "/api/v1/approvals/{approval_id}", tag = "approvals", operation_id = "show_approval",
    params(("approval_id" = Uuid, Path, description = "`wait_id` of the approval")),
    responses(
        (status = 200, description = "The approval", body = WaitDetail),
        (status = 404, description = "Approval not found"),
    )
)]
pub(crate) async fn show(
    State(app): State<AppState>,
    Path(id): Path<String>,
) -> Result<Json<WaitDetail>, Problem> {
    let mut conn = app.pool.acquire().await?;
    let wait = waits::find_approval(&mut conn, parse(&id)?).await?;
    shown(&app, &mut conn, wait).await
}

/// Returns a wait with the information of its context.
async fn shown(
    app: &AppState,
    conn: &mut PgConnection,
    wait: WaitRecord,
) -> Result<Json<WaitDetail>, Problem> {
    let masker = &app.catalog.alert_masker;
    let contexts = WaitContexts::read(conn, masker, std::slice::from_ref(&wait)).await?;
    Ok(Json(contexts.detail(wait)))
}

/// Approve or deny.
///
/// Requires the role that the approval names. An approval can be decided only once. A second decision gets 409, and
/// the problem's `decision` contains the first one.
#[utoipa::path(
    post, path = "/api/v1/approvals/{approval_id}", tag = "approvals", operation_id = "decide_approval",
    request_body = ApprovalDecision,
    params(("approval_id" = Uuid, Path, description = "`wait_id` of the approval")),
    responses(
        (status = 200, description = "Decided", body = WaitDetail),
        (status = 404, description = "Approval not found"),
        (status = 409, description = "The approval is already decided, expired or cancelled"),
        (status = 422, description = "No decision, or an invalid reason"),
    )
)]
pub(crate) async fn decide(
    State(app): State<AppState>,
    actor: Actor,
    Path(id): Path<String>,
    ValidJson(body): ValidJson<ApprovalDecision>,
) -> Result<Json<WaitDetail>, Problem> {
    let is_approved = body.decision == ApprovalAnswer::Approve;
    let wait = waits::answer(&app, &actor, parse(&id)?, is_approved, &body.reason).await?;
    let mut conn = app.pool.acquire().await?;
    shown(&app, &mut conn, wait).await
}

/// Send a signal to a session.
///
/// Completes the stage that waits for the signal. The masked payload becomes its `data`. Signals are not queued: if
/// no stage waits for the signal, the response is 409.
#[utoipa::path(
    post, path = "/api/v1/sessions/{session_id}/signals/{name}", tag = "approvals", operation_id = "send_signal",
    request_body(content = Object, description = "Any JSON document of at most 64 KiB", content_type = "application/json"),
    params(
        ("session_id" = Uuid, Path, description = "Session id"),
        ("name" = String, Path, description = "Name of the signal in the stage's configuration", pattern = "^[a-z0-9_-]{1,63}$"),
    ),
    responses(
        (status = 200, description = "Delivered", body = WaitDetail),
        (status = 400, description = "Malformed JSON"),
        (status = 404, description = "Session not found"),
        (status = 409, description = "No stage waits for the signal, or the wait has already ended"),
        (status = 413, description = "The payload is too large"),
        (status = 422, description = "The document can't be stored"),
    )
)]
pub(crate) async fn signal(
    State(app): State<AppState>,
    actor: Actor,
    Path((session_id, name)): Path<(String, String)>,
    body: JsonBytes,
) -> Result<Json<WaitDetail>, Problem> {
    let session_id: SessionId = session_id.parse().map_err(|_| Problem::SessionNotFound)?;
    if body.0.len() > LARGEST_PAYLOAD {
        return Err(Problem::BodyTooLarge(LARGEST_PAYLOAD));
    }
    if name.contains('\0') || name.len() > 63 {
        return Err(ConflictError::NoSignalAwaited(name.replace('\0', "")).into());
    }
    let payload: Value =
        serde_json::from_str(body.text()?).map_err(|error| Problem::MalformedJson {
            line: error.line(),
            column: error.column(),
            detail: error.to_string(),
        })?;
    if let Err(error) = read_document(body.text()?) {
        let error = FieldError::new("body", error.to_string());
        return Err(Problem::InvalidRequest(vec![error]));
    }
    if storable_json(payload.clone()) != payload {
        let error = FieldError::new("body", "must not contain U+0000 or be nested too deeply");
        return Err(Problem::InvalidRequest(vec![error]));
    }
    let wait = waits::signal(&app, &actor, session_id, &name, &payload).await?;
    let mut conn = app.pool.acquire().await?;
    shown(&app, &mut conn, wait).await
}

fn parse(id: &str) -> Result<WaitId, Problem> {
    id.parse().map_err(|_| ConflictError::WaitNotFound.into())
}
