//! Reassembles the conversation of a stage from its model calls.
//!
//! Each model call is recorded with only the messages that no earlier call had. The model saw all
//! of them, concatenated.

use serde_json::{Value, json};
use tarsy_store::history::{LlmRecord, McpRecord};

use crate::sessions::detail::Interaction;
use crate::sessions::detail::interaction::ShownMessages;

/// The part of the conversation that is shown with each model call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Messages {
    /// All messages that the model saw, and its answer. Clients of the first API design expect
    /// this. The size grows with the square of the conversation's length.
    #[default]
    All,
    /// The messages that no earlier call of the stage had, so that each appears once.
    New,
    None,
}

impl Messages {
    /// Values of the query parameter.
    pub(crate) const WORDS: [(&str, Self); 3] =
        [("all", Self::All), ("new", Self::New), ("none", Self::None)];
}

/// Returns the model and tool calls of a stage execution by sequence. Model calls have the
/// requested part of the conversation.
pub(super) fn in_order(
    llm: Vec<LlmRecord>,
    mcp: Vec<McpRecord>,
    wanted: Messages,
) -> Vec<Interaction> {
    let mut all: Vec<Interaction> = mcp.into_iter().map(Interaction::of_mcp).collect();
    let llm = llm.into_iter();
    match wanted {
        Messages::All => all.extend(with_all(llm)),
        Messages::New => all.extend(llm.map(Interaction::of_new_llm)),
        Messages::None => {
            all.extend(llm.map(|record| Interaction::of_llm(record, ShownMessages::None)))
        }
    }
    all.sort_by_key(|interaction| interaction.sequence);
    all
}

/// Returns each call with the conversation up to and including its answer.
fn with_all(llm: impl Iterator<Item = LlmRecord>) -> impl Iterator<Item = Interaction> {
    let mut so_far: Vec<Value> = Vec::new();
    llm.map(move |record| {
        let new = record.new_messages.as_array().cloned().unwrap_or_default();
        // A system message begins a new conversation, as the question for structured output does.
        if new.first().is_some_and(|first| first["role"] == "system") {
            so_far.clear();
        }
        so_far.extend(new);
        let mut messages = so_far.clone();
        if let Some(answer) = &record.response_text {
            messages.push(json!({ "role": "assistant", "content": answer }));
        }
        Interaction::of_llm(record, ShownMessages::All(messages))
    })
}
