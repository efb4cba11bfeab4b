//! The conversation of a stage, put together again.
//!
//! Each model call is recorded with the messages that no earlier one had; what the model saw
//! is their concatenation.

use serde_json::{Value, json};
use tarsy_store::history::{LlmRecord, McpRecord};

use crate::sessions::detail::Interaction;
use crate::sessions::detail::interaction::ShownMessages;

/// How much of the conversation is shown with each model call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Messages {
    /// All that the model saw and its answer, as clients of the first design expect: grows with the
    /// square of the conversation.
    #[default]
    All,
    /// What no earlier call of the stage had; every interaction is told once.
    New,
    None,
}

impl Messages {
    /// Every word, as it is written in a query.
    pub(crate) const WORDS: [(&str, Self); 3] =
        [("all", Self::All), ("new", Self::New), ("none", Self::None)];
}

/// Both kinds of a stage execution's interactions by sequence, model calls with as much of the
/// conversation as is wanted.
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

/// Each call with the conversation up to and with its answer.
fn with_all(llm: impl Iterator<Item = LlmRecord>) -> impl Iterator<Item = Interaction> {
    let mut said: Vec<Value> = Vec::new();
    llm.map(move |record| {
        let new = record.new_messages.as_array().cloned().unwrap_or_default();
        // The question for structured output is a conversation of its own.
        if new.first().is_some_and(|first| first["role"] == "system") {
            said.clear();
        }
        said.extend(new);
        let mut messages = said.clone();
        if let Some(answer) = &record.response_text {
            messages.push(json!({ "role": "assistant", "content": answer }));
        }
        Interaction::of_llm(record, ShownMessages::All(messages))
    })
}
