//! Endpoints of a session's duplicates and of the request that created it.

use axum::Json;
use axum::extract::{Path, State};
use serde::Serialize;
use serde_json::Value;
use tarsy_model::SessionId;
use tarsy_store::duplicates::DuplicateRecord;
use tarsy_store::webhook_requests::KeptRequest;
use utoipa::ToSchema;

use crate::access::Actor;
use crate::problem::Problem;
use crate::server::state::AppState;
use crate::sessions::handlers::note_raw;

/// State of a duplicate from a monitoring system. Only firing alerts are counted as duplicates.
const FIRING: &str = "firing";

/// Duplicates of a session.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Duplicates {
    /// Total number.
    duplicate_count: i32,
    /// The newest hundred duplicates, newest first. Duplicates that older versions received were only counted.
    duplicates: Vec<Duplicate>,
}

/// Duplicate alert. Its content equals that of the session's alert.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Duplicate {
    /// Position in the order of arrival, from 1.
    number: i32,
    received_at_us: i64,
    /// Time of the alert, as given by its sender.
    alert_timestamp_us: Option<i64>,
    severity: String,
    source: String,
    author: Option<String>,
    /// `firing` if alerts of the source have states; null for alerts of `POST /alerts`.
    #[schema(example = "firing")]
    status: Option<&'static str>,
}

impl From<DuplicateRecord> for Duplicate {
    fn from(record: DuplicateRecord) -> Self {
        Self {
            number: record.number,
            received_at_us: record.received_at_us,
            alert_timestamp_us: record.alert_timestamp_us,
            severity: record.severity,
            status: (record.source != "api").then_some(FIRING),
            source: record.source,
            author: record.author,
        }
    }
}

/// List the duplicates of a session.
#[utoipa::path(
    get, path = "/api/v1/history/sessions/{session_id}/duplicates", tag = "history", operation_id = "session_duplicates",
    params(("session_id" = String, Path, description = "Session id")),
    responses(
        (status = 200, description = "Total and newest duplicates", body = Duplicates),
        (status = 404, description = "Session not found, or history is disabled"),
    )
)]
pub(crate) async fn duplicates(
    State(app): State<AppState>,
    Path(id): Path<String>,
) -> Result<Json<Duplicates>, Problem> {
    let session_id: SessionId = id.parse().map_err(|_| Problem::SessionNotFound)?;
    let mut conn = app.history().await?;
    let (duplicate_count, records) =
        tarsy_store::duplicates::duplicate_records(&mut conn, session_id)
            .await?
            .ok_or(Problem::SessionNotFound)?;
    Ok(Json(Duplicates {
        duplicate_count,
        duplicates: records.into_iter().map(Duplicate::from).collect(),
    }))
}

/// Request that created a session.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SessionRequest {
    /// Null if the alert came from `POST /alerts`, whose body is the alert itself. Also null if it was not the first
    /// alert of its delivery, because a delivery is stored only once.
    request: Option<WebhookRequest>,
}

/// Webhook request.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct WebhookRequest {
    received_at_us: i64,
    content_type: String,
    /// Headers that identify the delivery; never credentials.
    #[schema(value_type = Object)]
    headers: Value,
    /// Complete and unmasked body. Invalid UTF-8 is replaced.
    body: String,
    /// Size of the body in bytes.
    size: u64,
}

impl From<KeptRequest> for WebhookRequest {
    fn from(kept: KeptRequest) -> Self {
        Self {
            received_at_us: kept.received_at_us,
            content_type: kept.content_type,
            headers: kept.headers,
            size: kept.body.len() as u64,
            body: String::from_utf8_lossy(&kept.body).into_owned(),
        }
    }
}

/// Get the webhook request that created a session.
///
/// Requires the role `operator`, because a body may contain more than the alert, such as an unsubscribe address.
#[utoipa::path(
    get, path = "/api/v1/history/sessions/{session_id}/request", tag = "history", operation_id = "session_request",
    params(("session_id" = String, Path, description = "Session id")),
    responses(
        (status = 200, description = "The request, if one is stored", body = SessionRequest),
        (status = 404, description = "Session not found, or history is disabled"),
    )
)]
pub(crate) async fn request(
    State(app): State<AppState>,
    actor: Actor,
    Path(id): Path<String>,
) -> Result<Json<SessionRequest>, Problem> {
    let session_id: SessionId = id.parse().map_err(|_| Problem::SessionNotFound)?;
    note_raw(&app, &actor, session_id).await?;
    let mut conn = app.history().await?;
    let kept = tarsy_store::webhook_requests::kept_request(&mut conn, session_id)
        .await?
        .ok_or(Problem::SessionNotFound)?;
    Ok(Json(SessionRequest {
        request: kept.map(WebhookRequest::from),
    }))
}
