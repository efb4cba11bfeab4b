//! Endpoint of a session's triage: acknowledgement, assignee, rating and review.

use axum::Json;
use axum::extract::{Path, State};
use serde::{Deserialize, Deserializer};
use tarsy_model::{ANSWER_FAULTS, AnswerRating, SessionId};
use tarsy_store::admin::TriageChange;
use utoipa::ToSchema;

use crate::access::Actor;
use crate::problem::{FieldError, Problem};
use crate::server::operator_request::{Reason, ValidJson};
use crate::server::state::AppState;
use crate::sessions::triage::SessionCare;
use crate::sessions::triage::update as triage;

/// Longest name of an assignee, in characters.
const LONGEST_NAME: usize = 255;
/// Longest right cause, in characters.
const LONGEST_CAUSE: usize = 2_000;

/// Changes to a session's triage. Omitted members stay unchanged.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TriageRequest {
    /// `true`: acknowledge the session; `false`: take the acknowledgement back. The first acknowledgement is kept.
    #[serde(default)]
    acknowledged: Option<bool>,
    /// New assignee; null removes the assignee.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<String>, max_length = 255, pattern = r"^[^\u0000]*$")]
    assignee: Option<Option<String>>,
    /// Rating of the answer: `right`, `partly_right` or `wrong`; null removes the rating.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<String>, pattern = "^(right|partly_right|wrong)$")]
    rating: Option<Option<AnswerRating>>,
    /// What is wrong with the answer, if it is rated `partly_right` or `wrong`: `wrong_cause`,
    /// `wrong_target`, `missing_evidence`, `invented`, `incomplete`, `unclear`.
    #[serde(default)]
    #[schema(max_items = 6)]
    faults: Option<Vec<String>>,
    /// The right cause, if the answer is rated `partly_right` or `wrong`; null removes it. `tarsy eval record` uses
    /// it as the expected cause of a case.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<String>, max_length = 2000, pattern = r"^[^\u0000]*$")]
    right_cause: Option<Option<String>>,
    /// `false`: remove the session from its incident, and never group it again; `true`: put it back.
    #[serde(default)]
    incident_member: Option<bool>,
    /// `true`: mark the session as reviewed; `false`: take the review back. The first review is kept.
    #[serde(default)]
    reviewed: Option<bool>,
    /// Reason, stored in the audit log. Default `not stated`.
    #[serde(default = "Reason::not_stated")]
    reason: Reason,
}

/// Distinguishes null from a missing member.
fn given<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<Option<T>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

/// Change the triage of a session.
///
/// Acknowledges, assigns or reviews the session, rates its answer, or removes it from its incident. Triage does not
/// affect workers.
#[utoipa::path(
    post, path = "/api/v1/admin/sessions/{session_id}/care", tag = "admin", operation_id = "care_for_session", request_body = TriageRequest,
    params(("session_id" = uuid::Uuid, Path, description = "Session id")),
    responses(
        (status = 200, description = "The current triage", body = SessionCare),
        (status = 404, description = "Session not found, or it was never in an incident"),
        (status = 422, description = "No field given, or an invalid value"),
    )
)]
pub(crate) async fn update_triage(
    State(app): State<AppState>,
    actor: Actor,
    Path(session_id): Path<String>,
    ValidJson(body): ValidJson<TriageRequest>,
) -> Result<Json<SessionCare>, Problem> {
    let session_id: SessionId = session_id.parse().map_err(|_| Problem::SessionNotFound)?;
    let change = TriageChange {
        acknowledged: body.acknowledged,
        assignee: body
            .assignee
            .map(|name| name.map(named))
            .map(Option::transpose)
            .transpose()?,
        rating: body.rating,
        faults: body.faults.map(named_faults).transpose()?,
        right_cause: body
            .right_cause
            .map(|cause| cause.map(stated).transpose())
            .transpose()?,
        reviewed: body.reviewed,
        incident_member: body.incident_member,
    };
    let is_empty = change.acknowledged.is_none()
        && change.assignee.is_none()
        && change.rating.is_none()
        && change.faults.is_none()
        && change.right_cause.is_none()
        && change.reviewed.is_none()
        && change.incident_member.is_none();
    if is_empty {
        return Err(refused(
            "body",
            "must have `acknowledged`, `assignee`, `rating`, `faults`, `right_cause`, `reviewed` or `incident_member`",
        ));
    }
    let triage = triage::update_triage(&app, &actor, session_id, &change, &body.reason).await?;
    Ok(Json(triage.into()))
}

/// Validates the name of an assignee.
fn named(text: String) -> Result<String, Problem> {
    let name = text.trim();
    if name.is_empty() || name.chars().count() > LONGEST_NAME || name.contains('\0') {
        return Err(refused(
            "assignee",
            &format!("must have 1 to {LONGEST_NAME} characters, none of them U+0000"),
        ));
    }
    Ok(name.to_owned())
}

/// Validates the right cause of a wrong answer.
fn stated(text: String) -> Result<String, Problem> {
    let cause = text.trim();
    if cause.is_empty() || cause.chars().count() > LONGEST_CAUSE || cause.contains('\0') {
        return Err(refused(
            "right_cause",
            &format!("must have 1 to {LONGEST_CAUSE} characters, none of them U+0000"),
        ));
    }
    Ok(cause.to_owned())
}

/// Validates the faults of an answer, and removes repeated ones.
fn named_faults(words: Vec<String>) -> Result<Vec<String>, Problem> {
    if words
        .iter()
        .any(|word| !ANSWER_FAULTS.contains(&word.as_str()))
    {
        return Err(refused(
            "faults",
            &format!("must be of {}", ANSWER_FAULTS.join(", ")),
        ));
    }
    let named = ANSWER_FAULTS.into_iter();
    let named = named.filter(|fault| words.iter().any(|word| word == fault));
    Ok(named.map(str::to_owned).collect())
}

fn refused(field: &str, detail: &str) -> Problem {
    Problem::InvalidRequest(vec![FieldError::new(field, detail)])
}
