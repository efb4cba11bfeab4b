//! What an alert would set going; nothing is stored, no chain is started.

use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tarsy_model::{SessionId, SessionStatus};
use tarsy_store::ExistingSession;
use utoipa::ToSchema;
use uuid::Uuid;

use super::alerts::{SubmitAlert, session_of};
use crate::access::Actor;
use crate::admin::request::ValidJson;
use crate::alert::{MAX_RUNBOOK, is_address};
use crate::body::JsonBytes;
use crate::caller::Caller;
use crate::problem::{FieldError, Problem};
use crate::state::AppState;

/// What `POST /alerts` would do with an alert now.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Foreseen {
    /// The chain that answers its type.
    chain_id: String,
    #[schema(value_type = Object)]
    chain_definition: Value,
    severity: String,
    /// What alerts are told apart by: of the same fingerprint one session lives at a time.
    fingerprint: String,
    /// The session that it would be counted on; none: it would have one of its own.
    duplicate_of: Option<First>,
}

/// A session that is there for an alert already.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct First {
    #[schema(value_type = Uuid)]
    session_id: SessionId,
    alert_id: Uuid,
    #[schema(value_type = String)]
    status: SessionStatus,
    started_at_us: i64,
    completed_at_us: Option<i64>,
    lasts: Lasts,
}

/// How long the same alert is a duplicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Lasts {
    /// Its content is the same: until the session has ended.
    UntilTheSessionEnds,
    /// Its `Idempotency-Key` was used: for as long as the session is kept.
    WhileTheSessionIsKept,
}

impl From<ExistingSession> for First {
    fn from(existing: ExistingSession) -> Self {
        Self {
            session_id: existing.session_id,
            alert_id: existing.alert_id,
            status: existing.status,
            started_at_us: existing.started_at_us,
            completed_at_us: existing.completed_at_us,
            lasts: match existing.is_by_key {
                true => Lasts::WhileTheSessionIsKept,
                false => Lasts::UntilTheSessionEnds,
            },
        }
    }
}

/// What an alert would set going, by the rules that it would be accepted by.
///
/// Refuses what `POST /alerts` would refuse for the alert's own sake. Nothing is stored: a session
/// may end, or another alert come, before it is submitted.
#[utoipa::path(
    post, path = "/alerts/dry-run", tag = "alerts", operation_id = "dry_run_alert",
    request_body = SubmitAlert,
    params(("Idempotency-Key" = Option<String>, Header, description = "As it would be sent", min_length = 1, max_length = 255, pattern = "^[ -~]+$")),
    responses(
        (status = 200, description = "What would become of it", body = Foreseen),
        (status = 422, description = "Invalid alert; `errors` names each field"),
        (status = 503, description = "No LLM provider, or the database is unavailable"),
    )
)]
pub(crate) async fn dry_run(
    State(app): State<AppState>,
    caller: Caller,
    body: JsonBytes,
) -> Result<Json<Foreseen>, Problem> {
    let alert = session_of(&app, caller, body.text()?)?;
    let mut conn = app.pool.acquire().await?;
    let mut existing = tarsy_store::find_existing_sessions(&mut conn, &[&alert]).await?;
    let existing = existing.pop().flatten();
    if existing
        .as_ref()
        .is_some_and(|first| !first.is_about(&alert))
    {
        return Err(Problem::IdempotencyKeyReused);
    }
    let chain_definition = serde_json::from_str(alert.chain_definition.get())
        .map_err(|error| Problem::Internal(error.into()))?;
    Ok(Json(Foreseen {
        chain_id: alert.chain_id,
        chain_definition,
        severity: alert.severity,
        fingerprint: alert.fingerprint,
        duplicate_of: existing.map(First::from),
    }))
}

/// A runbook to be asked for.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NamedRunbook {
    /// As an alert would name it: an http or https URL, or `local:<name>`.
    #[schema(
        example = "https://github.com/example/runbooks/blob/main/namespace-terminating.md",
        max_length = 2048,
        pattern = "^(https?://|local:)[^\\u0000]*$"
    )]
    runbook: String,
}

/// Whether a runbook can be had now, from where this process runs.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct RunbookState {
    is_reachable: bool,
    /// Its bytes; its text is not told.
    size: Option<u64>,
    /// ReasonBody it can't be had, as a session would record it.
    error: Option<String>,
}

/// Ask for a runbook as a chain worker would, with the same guards, and keep nothing of it.
///
/// One check of each caller is made at a time. A caller of role `ingest` is not told whether a
/// repository on GitHub may not be asked or has no such file.
#[utoipa::path(
    post, path = "/alerts/runbook-check", tag = "alerts", operation_id = "check_runbook",
    request_body = NamedRunbook,
    responses(
        (status = 200, description = "Whether it can be had", body = RunbookState),
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
