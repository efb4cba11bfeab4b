//! A piece of an answer that a model is giving.

use serde::{Deserialize, Serialize};

use crate::{ExecutionId, InteractionId, SessionId};

/// NOTIFY channel of pieces of answers; a payload is an [`AnswerPiece`] as JSON.
pub const ANSWERS_CHANNEL: &str = "tarsy_answers";

/// NOTIFY channel that says which sessions are watched; a payload is a [`Watching`] as JSON.
pub const WATCHING_CHANNEL: &str = "tarsy_watching";

/// Part of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerPart {
    /// Native reasoning.
    Thinking,
    /// The text.
    Text,
    /// Text of an answer that is checked once it is whole; the checked answer replaces it.
    Draft,
}

/// A piece of an answer that a model is giving, masked. Nobody keeps it; what counts is the recorded answer.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerPiece {
    pub session_id: SessionId,
    pub stage_execution_id: ExecutionId,
    /// The model call, as it is recorded.
    pub interaction_id: InteractionId,
    /// Hold of the stage under which it is made. A worker that lost the stage has a lower one than who took it over.
    pub epoch: i64,
    /// Which asking of the model within the call, from 1: a call that fails is made again, perhaps to another model.
    pub attempt: u32,
    /// Part of the answer.
    pub part: AnswerPart,
    /// Where in the part the text begins, in UTF-16 code units. What was shown from there on is replaced.
    pub offset: u32,
    pub text: String,
}

/// Which sessions somebody watches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Watching {
    /// Whether somebody joined just now, who has seen nothing yet.
    pub joined: bool,
    /// The sessions.
    pub sessions: Vec<SessionId>,
}

/// How long a session counts as watched after the last [`Watching`] that names it, in seconds.
pub const WATCHING_SECONDS: u64 = 30;

/// Most sessions in one [`Watching`], which must fit a NOTIFY.
pub const WATCHING_SESSIONS: usize = 180;
