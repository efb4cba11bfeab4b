//! Dry run of an alert; nothing is stored and no chain starts.

use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tarsy_intake::{Error, FieldError, MAX_RUNBOOK, is_address};
use tarsy_model::{SessionId, SessionStatus, Suppressed};
use tarsy_store::dedup_lookup::ExistingSession;
use tarsy_store::suppression::SuppressingSession;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::access::Actor;
use crate::alerts::handlers::{SubmitAlert, session_of};
use crate::problem::Problem;
use crate::server::body::JsonBytes;
use crate::server::caller::Caller;
use crate::server::operator_request::ValidJson;
use crate::server::state::AppState;
use crate::sessions::detail::shown_chain;

/// What `POST /alerts` would do with the alert.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Foreseen)]
pub(crate) struct DryRunResult {
    /// Chain of the alert type.
    chain_id: String,
    #[schema(value_type = Object)]
    chain_definition: Value,
    severity: String,
    /// Deduplication key: one session per fingerprint runs at a time.
    fingerprint: String,
    /// Session of which the alert would be a duplicate; null if it would get a new session.
    duplicate_of: Option<ExistingAlertSession>,
}

/// Existing session of an alert.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = First)]
pub(crate) struct ExistingAlertSession {
    #[schema(value_type = Uuid)]
    session_id: SessionId,
    alert_id: Uuid,
    #[schema(value_type = String)]
    status: SessionStatus,
    started_at_us: i64,
    completed_at_us: Option<i64>,
    lasts: DuplicateUntil,
}

/// How long the same alert counts as a duplicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum DuplicateUntil {
    /// Same content: until the session ends.
    UntilTheSessionEnds,
    /// Same `Idempotency-Key`: as long as the session is retained.
    WhileTheSessionIsKept,
    /// Suppressed: for the cooldown of the chain.
    UntilTheCooldownEnds,
    /// Suppressed: until the alert has been quiet for long enough.
    WhileItIsFlapping,
}

impl From<ExistingSession> for ExistingAlertSession {
    fn from(existing: ExistingSession) -> Self {
        Self {
            session_id: existing.session_id,
            alert_id: existing.alert_id,
            status: existing.status,
            started_at_us: existing.started_at_us,
            completed_at_us: existing.completed_at_us,
            lasts: match existing.is_by_key {
                true => DuplicateUntil::WhileTheSessionIsKept,
                false => DuplicateUntil::UntilTheSessionEnds,
            },
        }
    }
}

impl From<SuppressingSession> for ExistingAlertSession {
    fn from(session: SuppressingSession) -> Self {
        Self {
            session_id: session.session_id,
            alert_id: session.alert_id,
            status: session.status,
            started_at_us: session.started_at_us,
            completed_at_us: session.completed_at_us,
            lasts: match session.reason {
                Suppressed::Cooldown => DuplicateUntil::UntilTheCooldownEnds,
                Suppressed::Flapping => DuplicateUntil::WhileItIsFlapping,
            },
        }
    }
}

/// Check an alert without submitting it.
///
/// Rejects an alert that `POST /alerts` would reject because of its content. Nothing is stored, so the result may
/// differ when the alert is submitted: a session may have ended, or another alert arrived.
#[utoipa::path(
    post, path = "/alerts/dry-run", tag = "alerts", operation_id = "dry_run_alert",
    request_body = SubmitAlert,
    params(("Idempotency-Key" = Option<String>, Header, description = "As in `POST /alerts`", min_length = 1, max_length = 255, pattern = "^[ -~]+$")),
    responses(
        (status = 200, description = "Result of the dry run", body = DryRunResult),
        (status = 422, description = "Invalid alert; `errors` names each field"),
        (status = 503, description = "No LLM provider, or the database is unavailable"),
    )
)]
pub(crate) async fn dry_run(
    State(app): State<AppState>,
    caller: Caller,
    body: JsonBytes,
) -> Result<Json<DryRunResult>, Problem> {
    let alert = session_of(&app, caller, body.text()?)?;
    let mut conn = app.pool.acquire().await?;
    let mut existing =
        tarsy_store::dedup_lookup::find_existing_sessions(&mut conn, &[&alert]).await?;
    let existing = existing.pop().flatten();
    if existing
        .as_ref()
        .is_some_and(|first| !first.is_about(&alert))
    {
        return Err(Error::IdempotencyKeyReused.into());
    }
    let duplicate_of = match (existing, &alert.suppressible) {
        (Some(existing), _) => Some(existing.into()),
        (None, Some(suppressible)) => {
            let session =
                tarsy_store::suppression::suppressing_session(&mut conn, &alert, suppressible)
                    .await?;
            session.map(ExistingAlertSession::from)
        }
        (None, None) => None,
    };
    let chain_definition = serde_json::from_str(alert.chain_definition.get())
        .map_err(|error| Problem::Internal(error.into()))?;
    Ok(Json(DryRunResult {
        chain_id: alert.chain_id,
        chain_definition: shown_chain(chain_definition),
        severity: alert.severity,
        fingerprint: alert.fingerprint,
        duplicate_of,
    }))
}

/// Runbook to check.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NamedRunbook {
    /// Runbook address of an alert: an http or https URL, or `local:<name>`.
    #[schema(
        example = "https://github.com/example/runbooks/blob/main/namespace-terminating.md",
        max_length = 2048,
        pattern = "^(https?://|local:)[^\\u0000]*$"
    )]
    runbook: String,
}

/// Result of fetching a runbook in this process.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct RunbookState {
    is_reachable: bool,
    /// Size in bytes.
    size: Option<u64>,
    /// Why the runbook could not be fetched, as a session would record it.
    error: Option<String>,
}

/// Check that a runbook can be fetched.
///
/// Fetches it as a chain worker would, and stores nothing. Each caller can run one check at a time. Callers with role
/// `ingest` do not learn whether a GitHub repository is forbidden or lacks the file.
#[utoipa::path(
    post, path = "/alerts/runbook-check", tag = "alerts", operation_id = "check_runbook",
    request_body = NamedRunbook,
    responses(
        (status = 200, description = "Result of the check", body = RunbookState),
        (status = 422, description = "Invalid runbook address"),
    )
)]
pub(crate) async fn runbook_check(
    State(app): State<AppState>,
    actor: Actor,
    ValidJson(named): ValidJson<NamedRunbook>,
) -> Result<Json<RunbookState>, Problem> {
    let runbook = named.runbook.as_str();
    if runbook.chars().count() > MAX_RUNBOOK || !is_address(runbook) || runbook.contains('\0') {
        return Err(Problem::InvalidRequest(vec![FieldError::new(
            "runbook",
            format!(
                "must be an http or https URL, or `local:<name>`, of at most {MAX_RUNBOOK} characters"
            ),
        )]));
    }
    Ok(Json(match app.runbooks.ask(&actor, runbook).await? {
        Ok(found) => RunbookState {
            is_reachable: true,
            size: Some(found.content.len() as u64),
            error: None,
        },
        Err(error) => RunbookState {
            is_reachable: false,
            size: None,
            error: Some(error),
        },
    }))
}
