//! Tokens and cost of an investigation, as the API shows them.

use serde::Serialize;
use tarsy_store::history::{Spending, SpendingPart};
use utoipa::ToSchema;

/// Tokens and cost of an investigation: of a session and of all sessions that were made for it.
#[derive(Debug, Default, Serialize, ToSchema)]
#[schema(as = SessionSpending)]
pub(crate) struct SpendingDetail {
    total: PartDetail,
    /// Its own agents, in all attempts.
    agents: PartDetail,
    /// Its sub-agents, and theirs.
    sub_agents: PartDetail,
    /// The questions about it, with their sub-agents.
    questions: PartDetail,
}

/// Tokens and cost of one part of an investigation.
#[derive(Debug, Default, Serialize, ToSchema)]
#[schema(as = SpendingPart)]
struct PartDetail {
    /// How many sessions. Sub-agents of a question count with it.
    sessions: i64,
    input_tokens: i64,
    output_tokens: i64,
    /// Estimated; a lower bound where prices are missing. None: no call has a price.
    cost_usd: Option<f64>,
    /// Whether each call that took tokens has a price.
    is_cost_complete: bool,
}

impl From<Spending> for SpendingDetail {
    fn from(spending: Spending) -> Self {
        Self {
            total: spending.total().into(),
            agents: spending.agents.into(),
            sub_agents: spending.sub_agents.into(),
            questions: spending.questions.into(),
        }
    }
}

impl From<SpendingPart> for PartDetail {
    fn from(part: SpendingPart) -> Self {
        Self {
            sessions: part.sessions,
            input_tokens: part.input_tokens,
            output_tokens: part.output_tokens,
            cost_usd: part.cost_usd,
            is_cost_complete: part.unpriced_calls == 0,
        }
    }
}
