//! Questions about a session, as the API shows them.

use serde::Serialize;
use tarsy_config::AlertMasker;
use tarsy_model::{SessionId, SessionStatus};
use tarsy_store::conversations::TurnRecord;
use utoipa::ToSchema;

use crate::problem::Problem;
use crate::sessions::masking::mask_text;

/// A question and its answer.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Turn {
    /// Session that answers the question.
    #[schema(value_type = uuid::Uuid)]
    pub(crate) session_id: SessionId,
    /// The question, masked.
    pub(crate) question: String,
    /// Who asked.
    pub(crate) author: Option<String>,
    #[schema(value_type = String, example = "completed")]
    pub(crate) status: SessionStatus,
    /// When the question was asked, in Unix microseconds.
    pub(crate) asked_at_us: i64,
    /// When it was answered or failed, in Unix microseconds.
    pub(crate) completed_at_us: Option<i64>,
    /// Answer in Markdown.
    pub(crate) answer: Option<String>,
    /// Why there is no answer.
    pub(crate) error_message: Option<String>,
    /// Tool calls so far.
    pub(crate) tool_calls: i64,
    pub(crate) input_tokens: Option<i64>,
    pub(crate) output_tokens: Option<i64>,
    /// Estimated cost of all model calls so far; a lower bound if prices are missing.
    pub(crate) cost_usd: Option<f64>,
}

impl Turn {
    fn from_record(turn: TurnRecord, masker: &AlertMasker) -> Self {
        Self {
            session_id: turn.session_id,
            question: mask_text(masker, turn.question).unwrap_or_default(),
            author: turn.author,
            status: turn.status,
            asked_at_us: turn.started_at_us,
            completed_at_us: turn.completed_at_us,
            answer: turn.final_analysis,
            error_message: mask_text(masker, turn.error_message),
            tool_calls: turn.tool_calls,
            input_tokens: turn.input_tokens,
            output_tokens: turn.output_tokens,
            cost_usd: turn.cost_usd,
        }
    }
}

/// Converts turns and masks secrets in them.
///
/// # Errors
///
/// [`Problem::Internal`] if the masking task does not finish.
pub(crate) async fn masked_turns(
    masker: &AlertMasker,
    turns: Vec<TurnRecord>,
) -> Result<Vec<Turn>, Problem> {
    if turns.is_empty() {
        return Ok(Vec::new());
    }
    let masker = masker.clone();
    let mask = move || {
        turns
            .into_iter()
            .map(|t| Turn::from_record(t, &masker))
            .collect()
    };
    let masked = tokio::task::spawn_blocking(mask).await;
    masked.map_err(|error| Problem::Internal(error.into()))
}
