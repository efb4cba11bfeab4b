//! Pieces of an answer, sent to subscribers while the model writes it.

use serde::{Deserialize, Serialize};

use crate::{ExecutionId, InteractionId, SessionId};

/// NOTIFY channel of pieces of answers; a payload is an [`AnswerPiece`] as JSON.
pub const ANSWERS_CHANNEL: &str = "tarsy_answers";

/// NOTIFY channel that lists the watched sessions; a payload is a [`Watching`] as JSON.
pub const WATCHING_CHANNEL: &str = "tarsy_watching";

/// Part of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerPart {
    /// Native reasoning.
    Thinking,
    /// The text.
    Text,
    /// Text of an answer that is checked once it is complete. The checked answer replaces it.
    Draft,
}

/// A masked piece of an answer that a model is writing. It is not stored; only the recorded answer counts.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerPiece {
    pub session_id: SessionId,
    pub stage_execution_id: ExecutionId,
    /// The model call, as it is recorded.
    pub interaction_id: InteractionId,
    /// Epoch of the claim on the stage under which the answer is written. A worker that lost the stage has a lower
    /// epoch than the worker that took it over.
    pub epoch: i64,
    /// Attempt within the call, from 1. A call that fails is made again, perhaps to another model.
    pub attempt: u32,
    /// Part of the answer.
    pub part: AnswerPart,
    /// Offset in the part at which the text begins, in UTF-16 code units. It replaces everything shown from there on.
    pub offset: u32,
    pub text: String,
}

/// Sessions that are being watched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Watching {
    /// Whether a subscriber has just joined, and so has received nothing yet.
    pub joined: bool,
    /// The sessions.
    pub sessions: Vec<SessionId>,
}

/// How long a session counts as watched after the last [`Watching`] that names it, in seconds.
pub const WATCHING_SECONDS: u64 = 30;

/// Maximum number of sessions in one [`Watching`], which must fit into a NOTIFY.
pub const WATCHING_SESSIONS: usize = 180;
