//! Questions to the knowledge store.

use std::collections::BTreeMap;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tarsy_model::{SessionId, SessionStatus};
use tarsy_store::knowledge_questions::KnowledgeAnswer;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder, OneOfBuilder, Schema, Type};
use utoipa::{IntoParams, ToSchema};

use crate::access::Actor;
use crate::knowledge;
use crate::knowledge::KnowledgeQuestion;
use crate::knowledge::trace;
use crate::problem::{FieldError, Problem};
use crate::questions::handlers::{AcceptedMessage, checked};
use crate::server::caller::Caller;
use crate::server::operator_request::{ValidJson, ValidQuery};
use crate::server::state::AppState;
use crate::sessions::masking::mask_text;

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
    /// Collection to search; all collections by default.
    #[schema(min_length = 1, max_length = 63, pattern = "^[a-z][a-z0-9_]*$")]
    collection: Option<String>,
    /// Values that fields of the records must have, by field. For a list, any of its values matches.
    #[serde(default)]
    #[schema(schema_with = filters_schema)]
    filters: BTreeMap<String, OneOrMore>,
    /// A session of the conversation to continue.
    #[schema(value_type = Option<uuid::Uuid>)]
    conversation: Option<SessionId>,
    /// Whether the answer has a `trace`, and the session's last stage shows how the answer was produced.
    #[serde(default)]
    debug: bool,
}

/// One value or a list. `"R08"` means `["R08"]`.
#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "expected a text or a list of texts")]
enum OneOrMore {
    One(String),
    More(Vec<String>),
}

/// A question with its answer.
#[derive(Debug, PartialEq, Serialize, ToSchema)]
pub(crate) struct Answer {
    /// Session that answers the question. Its live channel is `session_<session_id>`.
    #[schema(value_type = uuid::Uuid)]
    session_id: SessionId,
    /// First session of the conversation.
    #[schema(value_type = uuid::Uuid)]
    conversation_id: SessionId,
    /// The question, masked.
    question: Option<String>,
    #[schema(value_type = String, example = "completed")]
    status: SessionStatus,
    /// Complete answer in Markdown: the answer with its sources, or a note that there is no answer.
    text: Option<String>,
    /// Only the answer; null if no record supports an answer, or a policy denies it.
    answer: Option<String>,
    /// Whether the answer has a source and all its sources exist.
    supported: Option<bool>,
    /// Sources of the answer: `id`, `collection`, `key` and the beginning of the `text`.
    citations: Vec<Value>,
    /// Sources that the model cited but that do not exist.
    invented: Vec<String>,
    /// Findings of the policies of `guardrails`: `policy`, `action`, `kind`, `count`. Entries with the policy
    /// `masking` count values that were masked before.
    redaction_flags: Vec<Value>,
    /// Lookups that failed or were refused, with their reasons. The answer does not use them.
    errors: Vec<String>,
    /// Why there is no answer: the error of the session, or what was refused.
    error_message: Option<String>,
    /// How the answer was produced; only with `debug`, otherwise null. Contains `stages` with their duration, tokens
    /// and cost; the router's `intent`, `route`, `steps`, `statement` and `command`; the `search_query`; the `search`
    /// and its `results` with their scores. Also contains ids of the `evidence` that the model received, ids of
    /// records whose text was `cut`, and the number of results that were `left_out`.
    trace: Option<Value>,
}

/// Parameters of the answer.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct Shown {
    /// Whether to return the `trace`. By default it is returned if the question was asked with `debug`.
    debug: Option<bool>,
}

/// Ask the knowledge store.
///
/// A session of the chain `knowledge` answers the question from records, with citations. A conversation can have only
/// one unanswered question at a time.
#[utoipa::path(
    post, path = "/api/v1/ask", tag = "conversations", operation_id = "ask_knowledge",
    request_body = NewQuestion,
    params(
        ("Idempotency-Key" = Option<String>, Header, description = "Makes the request safe to retry", min_length = 1, max_length = 255, pattern = "^[ -~]+$"),
    ),
    responses(
        (status = 202, description = "Accepted and committed", body = AcceptedMessage),
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

fn filters(filters: BTreeMap<String, OneOrMore>) -> Result<BTreeMap<String, Vec<String>>, Problem> {
    let listed = |values| match values {
        OneOrMore::One(value) => vec![value],
        OneOrMore::More(values) => values,
    };
    let filters = filters
        .into_iter()
        .map(|(field, values)| (field, listed(values)));
    let filters: BTreeMap<String, Vec<String>> = filters.collect();
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
        .pattern(Some(NOT_BLANK))
        .build();
    let values = ArrayBuilder::new()
        .items(value.clone())
        .min_items(Some(1))
        .max_items(Some(VALUES));
    let values = OneOfBuilder::new().item(value).item(values);
    let name = ObjectBuilder::new()
        .schema_type(Type::String)
        .pattern(Some(r"^[a-z][a-z0-9_]{0,62}$"));
    ObjectBuilder::new()
        .schema_type(Type::Object)
        .property_names(Some(name.build()))
        .additional_properties(Some(RefOr::T(Schema::OneOf(values.build()))))
        .max_properties(Some(FIELDS))
        .description(Some(
            "Values that fields of the records must have, by field: a text, or a list of which any value matches",
        ))
        .examples([json!({"component": ["power"]})])
        .build()
        .into()
}

/// Get a question with its answer.
#[utoipa::path(
    get, path = "/api/v1/ask/{session_id}", tag = "conversations", operation_id = "knowledge_answer",
    params(("session_id" = String, Path, description = "Session id returned by `POST /api/v1/ask`"), Shown),
    responses(
        (status = 200, description = "The question, with its answer if there is one", body = Answer),
        (status = 404, description = "Question not found, or history is disabled"),
    )
)]
pub(crate) async fn answer(
    State(app): State<AppState>,
    Path(session_id): Path<String>,
    ValidQuery(shown): ValidQuery<Shown>,
) -> Result<Json<Answer>, Problem> {
    let session_id: SessionId = session_id.parse().map_err(|_| Problem::SessionNotFound)?;
    Ok(Json(read(&app, session_id, shown.debug).await?))
}

/// Reads a question with its answer. Adds the trace if `debug` is true, or if it is absent and the
/// question was asked with `debug`.
pub(crate) async fn read(
    app: &AppState,
    session_id: SessionId,
    debug: Option<bool>,
) -> Result<Answer, Problem> {
    let mut conn = app.history().await?;
    let found =
        tarsy_store::knowledge_questions::knowledge_answer(&mut conn, session_id, CHECKING_STAGE)
            .await?;
    let found = found.ok_or(Problem::SessionNotFound)?;
    let traced = match debug.unwrap_or(found.debug) {
        true => Some(
            tarsy_store::knowledge_questions::knowledge_trace(&mut conn, session_id, &trace::SHOWN)
                .await?,
        ),
        false => None,
    };
    drop(conn);
    let masker = app.catalog.alert_masker.clone();
    let shown = tokio::task::spawn_blocking(move || {
        let question = mask_text(&masker, found.question.clone());
        let error_message = mask_text(&masker, found.error_message.clone());
        let trace = traced.map(|stages| trace::trace_of(stages, &masker));
        Answer::new(found, question, error_message, trace)
    });
    let shown = shown.await;
    shown.map_err(|error| Problem::Internal(error.into()))
}

impl Answer {
    /// Returns whether the session has ended, so that the answer no longer changes.
    pub(crate) const fn has_ended(&self) -> bool {
        self.status.is_terminal()
    }

    fn new(
        found: KnowledgeAnswer,
        question: Option<String>,
        error_message: Option<String>,
        trace: Option<Value>,
    ) -> Self {
        let checked = found.checked.unwrap_or_default();
        let list = |name: &str| checked[name].as_array().cloned().unwrap_or_default();
        let texts = |name: &str| -> Vec<String> {
            let texts = list(name).into_iter();
            texts
                .filter_map(|text| text.as_str().map(str::to_owned))
                .collect()
        };
        let supported = checked["supported"].as_bool();
        let errors = texts("errors");
        let is_refused = supported == Some(false) && !errors.is_empty();
        let refused = is_refused.then(|| errors.join("; "));
        Self {
            session_id: found.session_id,
            conversation_id: found.conversation_id,
            question,
            status: found.status,
            text: found.answer,
            answer: checked["answer"].as_str().map(str::to_owned),
            supported,
            citations: list("citations"),
            invented: texts("invented"),
            redaction_flags: list("redaction_flags"),
            errors,
            error_message: error_message.or(refused),
            trace,
        }
    }
}
