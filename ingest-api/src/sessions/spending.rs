//! Tokens and cost of an investigation, as the API shows them.

use serde::Serialize;
use tarsy_store::history::{Spending, SpendingPart};
use utoipa::ToSchema;

/// Tokens and cost of an investigation: of a session and of all sessions that were created for it.
#[derive(Debug, Default, Serialize, ToSchema)]
#[schema(as = SessionSpending)]
pub(crate) struct SpendingDetail {
    total: PartDetail,
    /// The session's own agents, in all attempts.
    agents: PartDetail,
    /// Its sub-agents, and the sub-agents of these.
    sub_agents: PartDetail,
    /// The questions about it, with their sub-agents.
    questions: PartDetail,
}

/// Tokens and cost of one part of an investigation.
#[derive(Debug, Default, Serialize, ToSchema)]
#[schema(as = SpendingPart)]
struct PartDetail {
    /// Number of sessions. A question's sub-agents are counted with the question.
    sessions: i64,
    input_tokens: i64,
    output_tokens: i64,
    /// Estimated cost; a lower bound if prices are missing. Null if no call has a price.
    cost_usd: Option<f64>,
    /// Whether every call that used tokens has a price.
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
