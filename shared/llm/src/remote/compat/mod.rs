//! Peers that are a little off (`docs/COMPATIBILITY.md`): their answers are turned into the form that `genai` expects, our
//! requests into the form that the vendor takes. One quirk per function, each pure.

mod descriptions;
mod function_names;
mod lone_think;
mod model_name;
mod schemas;
mod tool_calls;

use serde_json::Value;

pub(super) use self::descriptions::short_enough;
pub(super) use self::function_names::{read_name, sent_name};
pub(super) use self::lone_think::split_reasoning;
pub(super) use self::model_name::ModelName;
pub(super) use self::schemas::adapted;
use crate::ProviderKind;

/// Most tools that OpenAI takes in a request; it refuses all of them if there are more.
/// <https://platform.openai.com/docs/api-reference/chat/create#chat-create-tools>
const MOST_TOOLS: usize = 128;

/// How many tools a vendor takes at most.
pub(super) const fn most_tools(kind: ProviderKind) -> usize {
    match kind {
        ProviderKind::OpenAi | ProviderKind::Xai => MOST_TOOLS,
        _ => usize::MAX,
    }
}

/// A successful answer as `genai` expects it. One that needs no repair, or is not JSON, stays as it is.
pub(super) fn repaired(kind: ProviderKind, body: Vec<u8>) -> Vec<u8> {
    if !tool_calls::may_hold(kind, &body) {
        return body;
    }
    let Ok(mut answer) = serde_json::from_slice::<Value>(&body) else {
        return body;
    };
    match tool_calls::repair(kind, &mut answer) {
        0 => body,
        repairs => {
            tracing::info!(
                provider = kind.as_str(),
                repairs,
                "repaired tool calls of an answer"
            );
            answer.to_string().into_bytes()
        }
    }
}
