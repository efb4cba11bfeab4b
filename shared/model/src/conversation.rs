//! A question about an ended session, and what its answer is based on.

/// A follow-up question with its context, rebuilt from rows.
///
/// Every row it is read from is final before the question is accepted, so the same question always has the same
/// context: a replay of the session adds attempts, and these are later than the question.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FollowUp {
    /// What is asked.
    pub question: String,
    /// The analysis of the session that is asked about; `None`: it reached none.
    pub conclusion: Option<String>,
    /// Why stages of it failed, as `name: reason`.
    pub failures: Vec<String>,
    /// Its tool calls that succeeded, oldest first.
    pub evidence: Vec<Evidence>,
    /// Earlier questions of the conversation, oldest first.
    pub turns: Vec<EarlierTurn>,
}

/// A tool call of an investigation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence {
    /// What was called, as people read it.
    pub call: String,
    /// What it gave; masked when it was recorded.
    pub result: String,
}

/// An earlier question of a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EarlierTurn {
    /// What was asked.
    pub question: String,
    /// The answer; `None`: there was none.
    pub answer: Option<String>,
}

/// Chain of every session that a sub-agent runs; no configured chain may have this name.
pub const SUB_AGENT_CHAIN: &str = "sub-agent";

/// Chain of every session that answers a question; no configured chain may have this name.
pub const FOLLOW_UP_CHAIN: &str = "follow-up";

/// Chain that answers questions to the knowledge store.
pub const KNOWLEDGE_CHAIN: &str = "knowledge";
