//! Submitting alerts, and what became of them.

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::{Extension, Json};
use serde::Serialize;
use tarsy_model::SessionId;
use tarsy_store::{Accepted, NewSession};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::body::JsonBytes;
use crate::caller::Caller;
use crate::clock;
use crate::problem::Problem;
use crate::progress::Progress;
use crate::rejected::{Outcome, Outcomes, Witness};
use crate::state::AppState;
use crate::submission::session_for_alert;

/// An alert. Fields beside these are kept as members of `data`.
#[derive(ToSchema)]
#[expect(
    dead_code,
    reason = "describes the body; it is read without being copied, see alert/envelope.rs"
)]
pub(crate) struct SubmitAlert {
    /// Decides the chain; see `GET /alert-types`.
    #[schema(example = "kubernetes")]
    alert_type: String,
    /// Where the runbook is: an http or https URL, or `local:<name>`.
    #[schema(example = "https://github.com/example/runbooks/blob/main/namespace-terminating.md")]
    runbook: String,
    /// Whatever the monitoring system knows; kept exactly.
    #[schema(value_type = Option<Object>)]
    data: serde_json::Value,
    /// Free text; the words of common monitoring systems decide the order of work. Default `warning`.
    #[schema(example = "critical")]
    severity: Option<String>,
    /// What makes two alerts the same: while a session of the same fingerprint lives, an alert is counted on it.
    /// Default: a digest of the alert's content. Fingerprints of webhook sources are apart from these.
    #[schema(
        example = "prod-eu/payments/HighErrorRate",
        min_length = 1,
        max_length = 128,
        pattern = "^[ -~]+$"
    )]
    fingerprint: Option<String>,
    /// When it happened, in Unix microseconds; default now.
    #[schema(minimum = 0)]
    timestamp: Option<i64>,
}

/// What became of a submitted alert.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Submitted {
    /// A session was made and waits for its chain.
    Queued,
    /// A session for the same alert is there already.
    Duplicate,
}

/// The answer to an accepted alert.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SubmitAnswer {
    /// The id to ask `GET /alerts/{alert_id}` about.
    alert_id: Uuid,
    /// The alert's session.
    #[schema(value_type = Uuid)]
    session_id: SessionId,
    status: Submitted,
    /// For people.
    message: &'static str,
    /// What may keep the analysis from coming: LLM providers that refuse every call.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

/// Submit an alert.
///
/// Answers once the alert's session and its first job are committed together. The same alert
/// again, while its session lives, answers with that session; so does a repeated
/// `Idempotency-Key`, for as long as the session is kept.
#[utoipa::path(
    post, path = "/alerts", tag = "alerts",
    request_body = SubmitAlert,
    params(("Idempotency-Key" = Option<String>, Header, description = "Makes repeating the request safe", min_length = 1, max_length = 255, pattern = "^[ -~]+$")),
    responses(
        (status = 202, description = "Committed", body = SubmitAnswer),
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
    });
    Ok((
        StatusCode::ACCEPTED,
        Extension(Outcomes(vec![outcome])),
        Json(answer),
    ))
}

/// Commit the alert of a body.
pub(super) async fn accept(
    app: &AppState,
    caller: Caller,
    body: &str,
) -> Result<SubmitAnswer, Problem> {
    let session = session_of(app, caller, body)?;
    Ok(match app.intake.accept(session).await? {
        Accepted::Fresh {
            session_id,
            alert_id,
        } => SubmitAnswer {
            alert_id,
            session_id,
            status: Submitted::Queued,
            message: "alert accepted for processing",
            warnings: app.providers.warnings(),
        },
        Accepted::Duplicate {
            session_id,
            alert_id,
        } => SubmitAnswer {
            alert_id,
            session_id,
            status: Submitted::Duplicate,
            message: "the same alert has a session already",
            warnings: app.providers.warnings(),
        },
        Accepted::KeyReused => return Err(Problem::IdempotencyKeyReused),
    })
}

/// The session that a caller's body asks for.
pub(super) fn session_of(
    app: &AppState,
    caller: Caller,
    body: &str,
) -> Result<NewSession, Problem> {
    session_for_alert(&app.catalog, &app.ingest, caller.sender()?, body)
}

/// What became of an alert.
#[utoipa::path(
    get, path = "/alerts/{alert_id}", tag = "alerts",
    params(("alert_id" = String, Path, description = "As answered by `POST /alerts`")),
    responses(
        (status = 200, description = "Where its session stands", body = Progress),
        (status = 404, description = "Alert not found"),
    )
)]
pub(crate) async fn status(
    State(app): State<AppState>,
    Path(alert_id): Path<String>,
) -> Result<Json<Progress>, Problem> {
    let alert_id = parse(&alert_id)?;
    let mut conn = app.pool.acquire().await?;
    let status = tarsy_store::alert_status(&mut conn, alert_id)
        .await?
        .ok_or(Problem::AlertNotFound)?;
    Ok(Json(Progress::of(
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

/// The session of an alert.
#[utoipa::path(
    get, path = "/session-id/{alert_id}", tag = "alerts",
    params(("alert_id" = String, Path, description = "As answered by `POST /alerts`")),
    responses(
        (status = 200, description = "Its session", body = SessionOfAlert),
        (status = 404, description = "Alert not found"),
    )
)]
pub(crate) async fn session_id(
    State(app): State<AppState>,
    Path(alert_id): Path<String>,
) -> Result<Json<SessionOfAlert>, Problem> {
    let alert_id = parse(&alert_id)?;
    let mut conn = app.pool.acquire().await?;
    let session_id = tarsy_store::session_of_alert(&mut conn, alert_id)
        .await?
        .ok_or(Problem::AlertNotFound)?;
    Ok(Json(SessionOfAlert {
        alert_id,
        session_id,
    }))
}

/// Every alert type that has a chain, sorted.
#[utoipa::path(
    get, path = "/alert-types", tag = "alerts",
    responses((status = 200, description = "Alert types", body = Vec<String>))
)]
pub(crate) async fn types(State(app): State<AppState>) -> Json<Vec<String>> {
    Json(app.catalog.alert_types())
}

/// Ids are ours: text that is no UUID names no alert.
fn parse(alert_id: &str) -> Result<Uuid, Problem> {
    alert_id.parse().map_err(|_| Problem::AlertNotFound)
}
