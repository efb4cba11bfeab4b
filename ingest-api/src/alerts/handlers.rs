//! Submission and status of alerts.

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::{Extension, Json};
use serde::Serialize;
use tarsy_intake::{Error, session_for_alert};
use tarsy_model::SessionId;
use tarsy_store::new_session::NewSession;
use tarsy_store::sessions::Accepted;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::alerts::progress::Progress;
use crate::alerts::rejected::{Outcome, Outcomes, Witness};
use crate::problem::Problem;
use crate::server::body::JsonBytes;
use crate::server::caller::Caller;
use crate::server::clock;
use crate::server::state::AppState;

/// An alert. Additional fields are stored in `data`.
#[derive(ToSchema)]
#[expect(
    dead_code,
    reason = "describes the body; it is read without being copied, see shared/intake/src/envelope.rs"
)]
pub(crate) struct SubmitAlert {
    /// Selects the chain; see `GET /alert-types`.
    #[schema(example = "kubernetes")]
    alert_type: String,
    /// Runbook address: an http or https URL, or `local:<name>`. Without it, the agents investigate without a
    /// runbook.
    #[schema(example = "https://github.com/example/runbooks/blob/main/namespace-terminating.md")]
    runbook: Option<String>,
    /// Alert data, stored as sent.
    #[schema(value_type = Option<Object>)]
    data: serde_json::Value,
    /// Free text; the severities of common monitoring systems determine the priority. Default `warning`.
    #[schema(example = "critical")]
    severity: Option<String>,
    /// Deduplication key: while a session with the same fingerprint runs, the alert is counted as its duplicate.
    /// Default: a digest of the alert's content, which is not used for suppression. Never matches fingerprints of
    /// webhook sources.
    #[schema(
        example = "prod-eu/payments/HighErrorRate",
        min_length = 1,
        max_length = 128,
        pattern = "^[ -~]+$"
    )]
    fingerprint: Option<String>,
    /// Time of the alert, in Unix microseconds; default now.
    #[schema(minimum = 0)]
    timestamp: Option<i64>,
}

/// Result of a submission.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Submitted {
    /// A session was created and waits for its chain.
    Queued,
    /// A session for the same alert already exists.
    Duplicate,
    /// The alert belongs to an earlier session. Its chain does not investigate it again yet (`suppress`).
    Suppressed,
}

/// Response to an accepted alert.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SubmitAnswer {
    /// Id for `GET /alerts/{alert_id}`.
    alert_id: Uuid,
    /// The alert's session.
    #[schema(value_type = Uuid)]
    session_id: SessionId,
    status: Submitted,
    /// Human-readable message.
    message: &'static str,
    /// Problems that may prevent an analysis, e.g. LLM providers that fail every call.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

/// Submit an alert.
///
/// Responds after the alert's session and its first job were committed together. If the same alert is sent again
/// while its session runs, the response names that session. The same applies to a repeated `Idempotency-Key`, as long
/// as the session is retained.
#[utoipa::path(
    post, path = "/alerts", tag = "alerts",
    request_body = SubmitAlert,
    params(("Idempotency-Key" = Option<String>, Header, description = "Makes the request safe to retry", min_length = 1, max_length = 255, pattern = "^[ -~]+$")),
    responses(
        (status = 202, description = "Accepted and committed", body = SubmitAnswer),
        (status = 422, description = "Invalid alert; `errors` names each field"),
        (status = 503, description = "No LLM provider, too many pending sessions, or the database is unavailable"),
    )
)]
pub(crate) async fn submit(
    State(app): State<AppState>,
    Extension(witness): Extension<Witness>,
    caller: Caller,
    body: JsonBytes,
) -> Result<(StatusCode, Extension<Outcomes>, Json<SubmitAnswer>), Problem> {
    witness.prove();
    let answer = accept(&app, caller, body.text()?).await?;
    let outcome = Outcome::Taken(match answer.status {
        Submitted::Queued => "accepted",
        Submitted::Duplicate => "duplicate",
        Submitted::Suppressed => "suppressed",
    });
    Ok((
        StatusCode::ACCEPTED,
        Extension(Outcomes(vec![outcome])),
        Json(answer),
    ))
}

/// Commits the alert of a request body.
pub(crate) async fn accept(
    app: &AppState,
    caller: Caller,
    body: &str,
) -> Result<SubmitAnswer, Problem> {
    let session = session_of(app, caller, body)?;
    let chain = app.catalog.chains.chain(&session.alert_type)?;
    let accepted = app.intake.accept(session).await?;
    let (status, message) = match accepted {
        Accepted::Fresh { .. } => (Submitted::Queued, "alert accepted for processing"),
        Accepted::Duplicate { .. } => (
            Submitted::Duplicate,
            "a session for the same alert already exists",
        ),
        Accepted::Suppressed { .. } => (
            Submitted::Suppressed,
            "the alert is suppressed: its chain does not investigate it again yet",
        ),
        Accepted::KeyReused => return Err(Error::IdempotencyKeyReused.into()),
    };
    let (session_id, alert_id) = accepted.ids().ok_or(Error::IdempotencyKeyReused)?;
    Ok(SubmitAnswer {
        alert_id,
        session_id,
        status,
        message,
        warnings: app.upstreams.warnings(&chain.upstreams),
    })
}

/// Builds the session for an alert in a caller's request body.
pub(crate) fn session_of(
    app: &AppState,
    caller: Caller,
    body: &str,
) -> Result<NewSession, Problem> {
    let chains = &app.catalog.chains;
    Ok(session_for_alert(
        chains,
        &app.ingest,
        caller.sender()?,
        body,
    )?)
}

/// Get the status of an alert.
#[utoipa::path(
    get, path = "/alerts/{alert_id}", tag = "alerts",
    params(("alert_id" = String, Path, description = "Id returned by `POST /alerts`")),
    responses(
        (status = 200, description = "Status of the alert's session", body = Progress),
        (status = 404, description = "Alert not found"),
    )
)]
pub(crate) async fn status(
    State(app): State<AppState>,
    Path(alert_id): Path<String>,
) -> Result<Json<Progress>, Problem> {
    let alert_id = parse(&alert_id)?;
    let mut conn = app.pool.acquire().await?;
    let status = tarsy_store::status::alert_status(&mut conn, alert_id)
        .await?
        .ok_or(Problem::AlertNotFound)?;
    Ok(Json(Progress::new(
        alert_id,
        status,
        &app.catalog,
        clock::now_text(),
    )))
}

/// An alert and its session.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SessionOfAlert {
    alert_id: Uuid,
    #[schema(value_type = Uuid)]
    session_id: SessionId,
}

/// Get the session of an alert.
#[utoipa::path(
    get, path = "/session-id/{alert_id}", tag = "alerts",
    params(("alert_id" = String, Path, description = "Id returned by `POST /alerts`")),
    responses(
        (status = 200, description = "The alert's session", body = SessionOfAlert),
        (status = 404, description = "Alert not found"),
    )
)]
pub(crate) async fn session_id(
    State(app): State<AppState>,
    Path(alert_id): Path<String>,
) -> Result<Json<SessionOfAlert>, Problem> {
    let alert_id = parse(&alert_id)?;
    let mut conn = app.pool.acquire().await?;
    let session_id = tarsy_store::status::session_of_alert(&mut conn, alert_id)
        .await?
        .ok_or(Problem::AlertNotFound)?;
    Ok(Json(SessionOfAlert {
        alert_id,
        session_id,
    }))
}

/// List the alert types that have a chain, sorted.
#[utoipa::path(
    get, path = "/alert-types", tag = "alerts",
    responses((status = 200, description = "Alert types", body = Vec<String>))
)]
pub(crate) async fn types(State(app): State<AppState>) -> Json<Vec<String>> {
    Json(app.catalog.chains.alert_types())
}

/// Parses an alert id; other text matches no alert.
fn parse(alert_id: &str) -> Result<Uuid, Problem> {
    alert_id.parse().map_err(|_| Problem::AlertNotFound)
}
