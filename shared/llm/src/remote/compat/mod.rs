//! Adapts messages for peers that deviate from the format (`docs/COMPATIBILITY.md`). Answers get the form that `genai`
//! expects, and requests the form that the vendor accepts. Each quirk has one pure function.

mod descriptions;
mod ends;
mod function_names;
mod lone_think;
mod model_name;
mod schemas;
mod tool_calls;

use tarsy_model::parse_odd_json;

pub(super) use self::descriptions::short_enough;
pub(super) use self::function_names::{read_name, sent_name};
pub(super) use self::lone_think::split_reasoning;
pub(super) use self::model_name::ModelName;
pub(super) use self::schemas::adapted;
use crate::ProviderKind;

/// Returns a successful answer in the form that `genai` expects. It stays unchanged if it needs no repair or can't be
/// read as JSON.
pub(super) fn repaired(kind: ProviderKind, provider: &str, body: Vec<u8>) -> Vec<u8> {
    let has_calls = tool_calls::may_contain_calls(kind, &body);
    let has_ends = ends::may_be_odd(kind);
    let read = serde_json::from_slice(&body);
    let is_json = read.is_ok();
    if is_json && !has_calls && !has_ends {
        return body;
    }
    let Ok(mut answer) = read.or_else(|_| parse_odd_json(&String::from_utf8_lossy(&body))) else {
        return body;
    };
    let renamed = has_ends && ends::rename(kind, &mut answer);
    let repairs = match has_calls {
        true => tool_calls::repair(kind, &mut answer),
        false => 0,
    };
    if repairs > 0 {
        tracing::info!(
            llm.provider = provider,
            repairs,
            "repaired tool calls of an answer"
        );
        tarsy_metrics::repairs::llm(provider, "tool_call");
    }
    if !is_json {
        tarsy_metrics::repairs::llm(provider, "json");
    }
    match renamed || repairs > 0 || !is_json {
        true => answer.to_string().into_bytes(),
        false => body,
    }
}
