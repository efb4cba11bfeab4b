//! Questions to the knowledge store.

use std::collections::BTreeMap;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tarsy_model::{SessionId, SessionStatus};
use tarsy_store::KnowledgeAnswer;
use utoipa::ToSchema;
use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder, Schema, Type};

use crate::access::Actor;
use crate::admin::request::ValidJson;
use crate::caller::Caller;
use crate::handlers::messages::{AcceptedMessage, checked};
use crate::history::masking::mask_text;
use crate::knowledge::{self, KnowledgeQuestion};
use crate::problem::{FieldError, Problem};
use crate::state::AppState;

/// Stage of the chain that checks what an answer cites.
const CHECKING_STAGE: &str = "citations";
/// Largest number of filtered fields.
const FIELDS: usize = 10;
/// Largest number of values of a filter.
const VALUES: usize = 50;
/// Longest value, in characters.
const CHARS: usize = 500;
/// Texts with more than white space, without U+0000.
const NOT_BLANK: &str = r"^[^\u0000]*[^\u0000\u0009-\u000d \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000][^\u0000]*$";

/// A question to the knowledge store.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewQuestion {
    /// The question.
    #[schema(
        min_length = 1,
        max_length = 4000,
        pattern = r"^[^\u0000]*[^\u0000\u0009-\u000d \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000][^\u0000]*$",
        example = "Which test cases cover power loss on the Osprey 7?"
    )]
    question: String,
    /// The collection that is searched; all by default.
    #[schema(min_length = 1, max_length = 63, pattern = "^[a-z][a-z0-9_]*$")]
    collection: Option<String>,
    /// Values that fields of the records must have, by field; of one field any of the list.
    #[serde(default)]
    #[schema(schema_with = filters_schema)]
    filters: BTreeMap<String, Vec<String>>,
    /// A session of the conversation that the question continues.
    #[schema(value_type = Option<uuid::Uuid>)]
    conversation: Option<SessionId>,
    /// Whether the session's last stage is to say how the answer came about.
    #[serde(default)]
    debug: bool,
}

/// A question with its answer.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Answer {
    /// Session that answers it; its live channel is `session_<session_id>`.
    #[schema(value_type = uuid::Uuid)]
    session_id: SessionId,
    /// First session of the conversation.
    #[schema(value_type = uuid::Uuid)]
    conversation_id: SessionId,
    /// Masked.
    question: Option<String>,
    #[schema(value_type = String, example = "completed")]
    status: SessionStatus,
    /// The answer in Markdown with its sources, or that there is none.
    text: Option<String>,
    /// The answer alone; null if nothing in the store supports one, or a policy denies it.
    answer: Option<String>,
    /// Whether each of the answer's sources exists, and there is one.
    supported: Option<bool>,
    /// What the answer is based on: `id`, `collection`, `key` and the beginning of the `text`.
    citations: Vec<Value>,
    /// Citations of the model that do not exist.
    invented: Vec<String>,
    /// What policies of `guardrails` found: `policy`, `action`, `kind` and `count`.
    redaction_flags: Vec<Value>,
    /// Why the session failed.
    error_message: Option<String>,
}

/// Ask the knowledge store.
///
/// The question is answered by a session of the chain `knowledge`, from records and with citations. A conversation has
/// one unanswered question at a time.
#[utoipa::path(
    post, path = "/api/v1/ask", tag = "conversations", operation_id = "ask_knowledge",
    request_body = NewQuestion,
    params(
        ("Idempotency-Key" = Option<String>, Header, description = "Makes the request safe to retry", min_length = 1, max_length = 255, pattern = "^[ -~]+$"),
    ),
    responses(
        (status = 202, description = "Committed", body = AcceptedMessage),
        (status = 404, description = "No knowledge store is configured, or the conversation is unknown"),
        (status = 409, description = "Another question of the conversation is not answered yet"),
        (status = 422, description = "Invalid question, or the Idempotency-Key was used for another one"),
        (status = 503, description = "No LLM provider, or the database is unavailable"),
    )
)]
pub(crate) async fn ask(
    State(app): State<AppState>,
    actor: Actor,
    caller: Caller,
    ValidJson(new): ValidJson<NewQuestion>,
) -> Result<(StatusCode, Json<AcceptedMessage>), Problem> {
    let question = KnowledgeQuestion {
        text: checked("question", &new.question)?,
        collection: new.collection.map(collection).transpose()?,
        filters: filters(new.filters)?,
        conversation: new.conversation,
        debug: new.debug,
    };
    let accepted = knowledge::ask(&app, &actor, caller.sender()?, question).await?;
    Ok((StatusCode::ACCEPTED, Json(accepted.into())))
}

/// Whether a text can be the name of a collection or of a field.
fn is_name(name: &str) -> bool {
    let starts = name.starts_with(|c: char| c.is_ascii_lowercase());
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    starts && name.len() <= 63 && name.chars().all(fits)
}

fn collection(name: String) -> Result<String, Problem> {
    match is_name(&name) {
        true => Ok(name),
        false => Err(Problem::InvalidRequest(vec![FieldError::new(
            "collection",
            "must be the name of a collection: a-z, 0-9 and `_`".to_owned(),
        )])),
    }
}

fn filters(
    filters: BTreeMap<String, Vec<String>>,
) -> Result<BTreeMap<String, Vec<String>>, Problem> {
    let fits = |value: &String| {
        !value.trim().is_empty() && !value.contains('\0') && value.chars().count() <= CHARS
    };
    let is_valid = filters.len() <= FIELDS
        && filters.iter().all(|(field, values)| {
            is_name(field) && (1..=VALUES).contains(&values.len()) && values.iter().all(fits)
        });
    match is_valid {
        true => Ok(filters),
        false => Err(Problem::InvalidRequest(vec![FieldError::new(
            "filters",
            format!(
                "must name at most {FIELDS} fields, each with 1 to {VALUES} values of 1 to {CHARS} characters"
            ),
        )])),
    }
}

fn filters_schema() -> Schema {
    let value = ObjectBuilder::new()
        .schema_type(Type::String)
        .min_length(Some(1))
        .max_length(Some(CHARS))
        .pattern(Some(NOT_BLANK));
    let values = ArrayBuilder::new()
        .items(value.build())
        .min_items(Some(1))
        .max_items(Some(VALUES));
    let name = ObjectBuilder::new()
        .schema_type(Type::String)
        .pattern(Some(r"^[a-z][a-z0-9_]{0,62}$"));
    ObjectBuilder::new()
        .schema_type(Type::Object)
        .property_names(Some(name.build()))
        .additional_properties(Some(values))
        .max_properties(Some(FIELDS))
        .description(Some(
            "Values that fields of the records must have, by field; of one field any of the list",
        ))
        .examples([json!({"component": ["power"]})])
        .build()
        .into()
}

/// Read the answer to a question.
#[utoipa::path(
    get, path = "/api/v1/ask/{session_id}", tag = "conversations", operation_id = "knowledge_answer",
    params(("session_id" = String, Path, description = "Session id, as `POST /api/v1/ask` returns it")),
    responses(
        (status = 200, description = "The question, with its answer if there is one by now", body = Answer),
        (status = 404, description = "No such question, or history is disabled"),
    )
)]
pub(crate) async fn answer(
    State(app): State<AppState>,
    Path(session_id): Path<String>,
) -> Result<Json<Answer>, Problem> {
    let session_id: SessionId = session_id.parse().map_err(|_| Problem::SessionNotFound)?;
    let mut conn = app.history().await?;
    let found = tarsy_store::knowledge_answer(&mut conn, session_id, CHECKING_STAGE).await?;
    drop(conn);
    let found = found.ok_or(Problem::SessionNotFound)?;
    let masker = app.catalog.alert_masker.clone();
    let shown = tokio::task::spawn_blocking(move || {
        let question = mask_text(&masker, found.question.clone());
        let error_message = mask_text(&masker, found.error_message.clone());
        Answer::of(found, question, error_message)
    });
    let shown = shown.await;
    Ok(Json(
        shown.map_err(|error| Problem::Internal(error.into()))?,
    ))
}

impl Answer {
    fn of(found: KnowledgeAnswer, question: Option<String>, error_message: Option<String>) -> Self {
        let checked = found.checked.unwrap_or_default();
        let list = |name: &str| checked[name].as_array().cloned().unwrap_or_default();
        let invented = list("invented");
        Self {
            session_id: found.session_id,
            conversation_id: found.conversation_id,
            question,
            status: found.status,
            text: found.answer,
            answer: checked["answer"].as_str().map(str::to_owned),
            supported: checked["supported"].as_bool(),
            citations: list("citations"),
            invented: invented
                .iter()
                .filter_map(|id| id.as_str().map(str::to_owned))
                .collect(),
            redaction_flags: list("redaction_flags"),
            error_message,
        }
    }
}
