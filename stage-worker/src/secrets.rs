//! Masks secrets in the output of a model.
//!
//! Alert, runbook and tool results are masked before a model sees them. But a model may still produce a secret that it
//! never received, or assemble one. Its output is masked before it becomes a row, an event or part of the next prompt.
//! Only the called tool gets the unmasked arguments.

use serde_json::{Value, json};
use tarsy_llm::{NativeToolCall, ProviderKind};
use tarsy_masking::{Kinds, Masker};
use tarsy_model::{LlmResult, McpIntent, McpResult, storable, storable_json};

/// Masks interactions before they are stored, with the masker of the alert. Also makes them storable in Postgres,
/// because a tool result may contain anything that a log contains.
#[derive(Clone, Copy)]
pub(crate) struct Secrets<'m>(pub(crate) &'m Masker);

impl Secrets<'_> {
    pub(crate) fn llm_result(self, result: &LlmResult) -> LlmResult {
        let mut kinds = Kinds::new();
        let thinking = self.counted(result.thinking.as_ref(), &mut kinds);
        let sealed = thinking == result.thinking;
        LlmResult {
            response_text: self.counted(result.response_text.as_ref(), &mut kinds),
            tool_calls: result
                .tool_calls
                .as_ref()
                .map(|calls| self.tool_calls(calls, sealed, &mut kinds)),
            thinking,
            // Errors often quote the text that caused them.
            error_message: self.text(result.error_message.as_ref()),
            attempts: self.json(result.attempts.as_ref()),
            masked_kinds: (!kinds.is_empty()).then(|| json!(kinds)),
            ..result.clone()
        }
    }

    pub(crate) fn mcp_intent(self, intent: &McpIntent) -> McpIntent {
        McpIntent {
            tool_arguments: self.json(intent.tool_arguments.as_ref()),
            // The model chooses this name.
            tool_name: self.text(intent.tool_name.as_ref()),
            tool_call_id: intent.tool_call_id.clone().map(storable),
            step_description: storable(self.0.mask_or_withhold(&intent.step_description)),
            ..intent.clone()
        }
    }

    /// Masks only the error. The result was masked when it was received, with the patterns of its server.
    pub(crate) fn mcp_result(self, result: &McpResult) -> McpResult {
        McpResult {
            tool_result: result.tool_result.clone().map(storable_json),
            available_tools: result.available_tools.clone().map(storable_json),
            error_message: self.text(result.error_message.as_ref()),
            ..result.clone()
        }
    }

    /// Masks only the arguments. Ids and signatures must go back to the provider unchanged.
    fn tool_calls(self, calls: &Value, sealed: bool, kinds: &mut Kinds) -> Value {
        let Ok(mut calls) = serde_json::from_value::<Vec<NativeToolCall>>(calls.clone()) else {
            return self.json_counted(calls, kinds);
        };
        for call in &mut calls {
            call.arguments = self.json_counted(&call.arguments, kinds);
            // Anthropic signs the reasoning and rejects it if it was changed, also on Bedrock.
            if !sealed {
                call.signature = call.signature.take().filter(|signature| {
                    let kind = signature.provider;
                    !matches!(kind, ProviderKind::Anthropic | ProviderKind::Bedrock)
                });
            }
        }
        storable_json(json!(calls))
    }

    fn text(self, text: Option<&String>) -> Option<String> {
        text.map(|text| storable(self.0.mask_or_withhold(text)))
    }

    fn json(self, value: Option<&Value>) -> Option<Value> {
        value.map(|value| storable_json(self.0.mask_json(value).0))
    }

    fn counted(self, text: Option<&String>, kinds: &mut Kinds) -> Option<String> {
        let masked = self.0.mask(text?);
        add(kinds, masked.kinds);
        Some(storable(masked.text.into_owned()))
    }

    fn json_counted(self, value: &Value, kinds: &mut Kinds) -> Value {
        let (masked, found) = self.0.mask_json(value);
        add(kinds, found);
        storable_json(masked)
    }
}

fn add(kinds: &mut Kinds, more: Kinds) {
    for (kind, count) in more {
        *kinds.entry(kind).or_default() += count;
    }
}
