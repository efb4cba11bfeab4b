//! The conversation of a stage, put together again.
//!
//! Each model call is recorded with the messages that no earlier one had; what the model saw
//! is their concatenation.

use serde_json::{Value, json};
use tarsy_store::{LlmRecord, McpRecord};

use super::Interaction;

/// Both kinds of a stage execution's interactions by sequence, model calls with the
/// conversation so far and their answer.
pub(super) fn in_order(llm: &[LlmRecord], mcp: &[McpRecord]) -> Vec<Interaction> {
    let mut said: Vec<Value> = Vec::new();
    let mut all: Vec<Interaction> = mcp.iter().map(Interaction::of_mcp).collect();
    for record in llm {
        said.extend(record.new_messages.as_array().cloned().unwrap_or_default());
        let mut messages = said.clone();
        if let Some(answer) = &record.response_text {
            messages.push(json!({ "role": "assistant", "content": answer }));
        }
        all.push(Interaction::of_llm(record, Some(messages)));
    }
    all.sort_by_key(|interaction| interaction.sequence);
    all
}
