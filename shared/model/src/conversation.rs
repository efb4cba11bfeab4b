//! A question about an ended session, and what its answer is based on.

/// A follow-up question with its context, rebuilt from rows.
///
/// Every row that it is read from is final before the question is accepted. So the same question always has the same
/// context. A replay of the session only adds attempts, which are later than the question.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FollowUp {
    /// What is asked.
    pub question: String,
    /// Analysis of the session in question; `None`: it reached none.
    pub conclusion: Option<String>,
    /// Reasons why stages of that session failed, as `name: reason`.
    pub failures: Vec<String>,
    /// Successful tool calls of that session, oldest first.
    pub evidence: Vec<Evidence>,
    /// Earlier questions of the conversation, oldest first.
    pub turns: Vec<EarlierTurn>,
}

/// A tool call of an investigation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence {
    /// The call, as people see it.
    pub call: String,
    /// Result of the call, masked when it was recorded.
    pub result: String,
}

/// An earlier question of a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EarlierTurn {
    /// What was asked.
    pub question: String,
    /// The answer, or `None` if there was none.
    pub answer: Option<String>,
}

/// Chain of every session that a sub-agent runs; no configured chain may have this name.
pub const SUB_AGENT_CHAIN: &str = "sub-agent";

/// Chain of every session that answers a question; no configured chain may have this name.
pub const FOLLOW_UP_CHAIN: &str = "follow-up";

/// Chain that answers questions to the knowledge store.
pub const KNOWLEDGE_CHAIN: &str = "knowledge";
