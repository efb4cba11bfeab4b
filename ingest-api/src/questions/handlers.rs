//! Endpoints of questions about ended sessions.

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use tarsy_model::SessionId;
use utoipa::ToSchema;

use crate::access::Actor;
use crate::alerts::handlers::Submitted;
use crate::problem::{FieldError, Problem};
use crate::questions::conversation;
use crate::questions::conversation::Accepted;
use crate::questions::turns::{Turn, masked_turns};
use crate::server::caller::Caller;
use crate::server::operator_request::ValidJson;
use crate::server::state::AppState;

/// Longest question, in characters.
pub(crate) const LONGEST_QUESTION: usize = 4_000;

/// A question about an ended session.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewMessage {
    /// The question.
    #[schema(
        min_length = 1,
        max_length = 4000,
        pattern = r"^[^\u0000]*[^\u0000\u0009-\u000d \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000][^\u0000]*$",
        example = "Which pods were restarted before the limit was raised?"
    )]
    text: String,
}

/// An accepted question.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct AcceptedMessage {
    /// Session that answers the question. Its live channel is `session_<session_id>`.
    #[schema(value_type = uuid::Uuid)]
    pub(crate) session_id: SessionId,
    /// Session that the conversation is about. For questions to the knowledge store, the first session of the
    /// conversation.
    #[schema(value_type = uuid::Uuid)]
    pub(crate) conversation_id: SessionId,
    /// `queued`, or `duplicate` if the `Idempotency-Key` was already used for this question.
    pub(crate) status: Submitted,
}

impl From<Accepted> for AcceptedMessage {
    fn from(accepted: Accepted) -> Self {
        Self {
            session_id: accepted.session_id,
            conversation_id: accepted.conversation_id,
            status: match accepted.is_repeated {
                true => Submitted::Duplicate,
                false => Submitted::Queued,
            },
        }
    }
}

/// The questions about a session and their answers.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Conversation {
    /// Session that the conversation is about.
    #[schema(value_type = uuid::Uuid)]
    conversation_id: SessionId,
    /// Whether a question can be asked now: the session has ended, and all questions are answered.
    accepts_questions: bool,
    /// The newest 200 turns, oldest first.
    turns: Vec<Turn>,
}

/// Ask a question about an ended session.
///
/// A separate session gives the answer. Its context contains the conclusion, the evidence and the earlier questions,
/// and it has the tools of the session's agent. A conversation can have only one unanswered question at a time. If
/// the session itself answers a question, the new question continues that conversation.
#[utoipa::path(
    post, path = "/api/v1/sessions/{session_id}/messages", tag = "conversations", operation_id = "ask_session",
    request_body = NewMessage,
    params(
        ("session_id" = uuid::Uuid, Path, description = "Session id"),
        ("Idempotency-Key" = Option<String>, Header, description = "Makes the request safe to retry", min_length = 1, max_length = 255, pattern = "^[ -~]+$"),
    ),
    responses(
        (status = 202, description = "Accepted and committed", body = AcceptedMessage),
        (status = 404, description = "Session not found"),
        (status = 409, description = "The session is running, or another question is not answered yet"),
        (status = 422, description = "Invalid question, or the Idempotency-Key was used for another one"),
        (status = 503, description = "No LLM provider, or the database is unavailable"),
    )
)]
pub(crate) async fn ask(
    State(app): State<AppState>,
    actor: Actor,
    caller: Caller,
    Path(session_id): Path<String>,
    ValidJson(message): ValidJson<NewMessage>,
) -> Result<(StatusCode, Json<AcceptedMessage>), Problem> {
    let session_id: SessionId = session_id.parse().map_err(|_| Problem::SessionNotFound)?;
    let text = checked("text", &message.text)?;
    let accepted =
        conversation::ask(&app, &actor, caller.sender()?, session_id, text, None).await?;
    Ok((StatusCode::ACCEPTED, Json(accepted.into())))
}

/// Validates and trims the text of a question. `field` is its name in the body.
pub(crate) fn checked(field: &'static str, text: &str) -> Result<String, Problem> {
    let trimmed = text.trim();
    let fits = text.chars().count() <= LONGEST_QUESTION;
    if trimmed.is_empty() || trimmed.contains('\0') || !fits {
        let detail = format!("must have 1 to {LONGEST_QUESTION} characters, none of them U+0000");
        return Err(Problem::InvalidRequest(vec![FieldError::new(
            field, detail,
        )]));
    }
    Ok(trimmed.to_owned())
}

/// List the questions about a session, with their answers.
#[utoipa::path(
    get, path = "/api/v1/sessions/{session_id}/messages", tag = "conversations", operation_id = "list_messages",
    params(("session_id" = String, Path, description = "Session id")),
    responses(
        (status = 200, description = "The conversation", body = Conversation),
        (status = 404, description = "Session not found, or history is disabled"),
    )
)]
pub(crate) async fn list(
    State(app): State<AppState>,
    Path(session_id): Path<String>,
) -> Result<Json<Conversation>, Problem> {
    let session_id: SessionId = session_id.parse().map_err(|_| Problem::SessionNotFound)?;
    let mut conn = app.history().await?;
    let (conversation_id, status) =
        tarsy_store::conversations::conversation_of(&mut conn, session_id)
            .await?
            .ok_or(Problem::SessionNotFound)?;
    let turns = tarsy_store::conversations::turns(&mut conn, conversation_id).await?;
    drop(conn);
    let is_answered = turns.iter().all(|turn| turn.status.is_terminal());
    Ok(Json(Conversation {
        conversation_id,
        accepts_questions: status.is_terminal() && is_answered,
        turns: masked_turns(&app.catalog.alert_masker, turns).await?,
    }))
}
