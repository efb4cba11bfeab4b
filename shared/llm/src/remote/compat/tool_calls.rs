//! Repairs tool calls that lack what `genai` requires: an id, a type, a name, or arguments that are a JSON object.

use serde_json::{Map, Value, json};

use crate::ProviderKind;

/// Name for a call without one. No tool has this name, so the model gets an error as the result.
const UNNAMED: &str = "unnamed";

/// Whether an answer may contain tool calls and must be parsed.
pub(super) fn may_contain_calls(kind: ProviderKind, body: &[u8]) -> bool {
    let mark: &[u8] = match kind {
        ProviderKind::Anthropic => b"tool_use",
        ProviderKind::Gemini => b"functionCall",
        ProviderKind::Bedrock => b"toolUse",
        ProviderKind::OpenAiResponses => b"function_call",
        ProviderKind::Ollama => b"tool_calls",
        // Also matches `function_call`, the name in earlier versions.
        _ => b"_call",
    };
    body.windows(mark.len()).any(|window| window == mark)
}

/// Repairs the tool calls of an answer. Returns how many members were changed.
pub(super) fn repair(kind: ProviderKind, answer: &mut Value) -> usize {
    match kind {
        ProviderKind::Anthropic => {
            let blocks = answer.get_mut("content").and_then(Value::as_array_mut);
            let uses = blocks.into_iter().flatten();
            let uses = uses.filter(|block| block["type"] == "tool_use").enumerate();
            uses.map(|(index, block)| {
                text(block, "id", || format!("toolu_{index}"))
                    + text(block, "name", || UNNAMED.to_owned())
                    + arguments(block, "input", false)
            })
            .sum()
        }
        ProviderKind::Gemini => {
            let parts = answer.pointer_mut("/candidates/0/content/parts");
            let parts = parts.and_then(Value::as_array_mut).into_iter().flatten();
            let calls = parts.filter_map(|part| part.get_mut("functionCall"));
            calls.map(|call| arguments(call, "args", false)).sum()
        }
        ProviderKind::Bedrock => {
            let blocks = answer.pointer_mut("/output/message/content");
            let blocks = blocks.and_then(Value::as_array_mut).into_iter().flatten();
            let uses = blocks.filter_map(|block| block.get_mut("toolUse"));
            let uses = uses.filter(|call| call.is_object()).enumerate();
            uses.map(|(index, call)| {
                text(call, "toolUseId", || format!("call_{index}"))
                    + text(call, "name", || UNNAMED.to_owned())
                    + arguments(call, "input", false)
            })
            .sum()
        }
        ProviderKind::OpenAiResponses => {
            let items = answer.get_mut("output").and_then(Value::as_array_mut);
            let items = items.into_iter().flatten();
            let calls = items.filter(|item| item["type"] == "function_call");
            calls
                .enumerate()
                .map(|(index, call)| {
                    text(call, "call_id", || format!("call_{index}"))
                        + text(call, "name", || UNNAMED.to_owned())
                        + arguments(call, "arguments", true)
                })
                .sum()
        }
        ProviderKind::Ollama => calls(answer.pointer_mut("/message"), false),
        _ => {
            let choices = answer.get_mut("choices").and_then(Value::as_array_mut);
            let messages = choices.into_iter().flatten();
            messages
                .map(|choice| calls(choice.get_mut("message"), true))
                .sum()
        }
    }
}

/// Repairs the calls of a message in the form of OpenAI or Ollama. `as_text` is false for Ollama, where the arguments
/// are an object.
fn calls(message: Option<&mut Value>, as_text: bool) -> usize {
    let Some(message) = message.and_then(Value::as_object_mut) else {
        return 0;
    };
    // Earlier versions had a single call under this name.
    if message.get("tool_calls").is_none_or(Value::is_null)
        && let Some(function @ Value::Object(_)) = message.remove("function_call")
    {
        message.insert("tool_calls".to_owned(), json!([{"function": function}]));
    }
    // The member may be `null`, or a call that is not in a list.
    let found = message.get_mut("tool_calls").map(Value::take);
    let mut all = match found {
        Some(Value::Array(all)) => all,
        Some(one @ Value::Object(_)) => vec![one],
        _ => {
            message.remove("tool_calls");
            return usize::from(found.is_some());
        }
    };
    all.retain(Value::is_object);
    let mut repairs = 0;
    for (index, call) in all.iter_mut().enumerate() {
        repairs += flattened(call)
            + text(call, "id", || format!("call_{index}"))
            + text(call, "type", || "function".to_owned());
        if let Some(function) = call.get_mut("function") {
            repairs += text(function, "name", || UNNAMED.to_owned())
                + arguments(function, "arguments", as_text);
        }
    }
    message.insert("tool_calls".to_owned(), Value::Array(all));
    repairs
}

/// Moves name and arguments into `function` if a call has them next to its id.
fn flattened(call: &mut Value) -> usize {
    let Some(members) = call.as_object_mut() else {
        return 0;
    };
    if members.get("function").is_some_and(Value::is_object) {
        return 0;
    }
    let mut function = Map::new();
    for name in ["name", "arguments", "parameters"] {
        if let Some(value) = members.remove(name) {
            let name = if name == "parameters" {
                "arguments"
            } else {
                name
            };
            function.entry(name).or_insert(value);
        }
    }
    members.insert("function".to_owned(), Value::Object(function));
    1
}

/// Sets a member that is not a text or is empty.
fn text(value: &mut Value, name: &str, make: impl FnOnce() -> String) -> usize {
    if value
        .get(name)
        .and_then(Value::as_str)
        .is_some_and(|text| !text.is_empty())
    {
        return 0;
    }
    value[name] = make().into();
    1
}

/// Converts arguments to an object, or to the JSON text of one. Text that is not JSON stays text. No tool accepts it,
/// so the model gets an error as the result.
fn arguments(owner: &mut Value, name: &str, as_text: bool) -> usize {
    let found = owner.get(name).cloned().unwrap_or(Value::Null);
    let intended = intended(found.clone());
    let wanted = match as_text {
        true => Value::String(intended.to_string()),
        false => intended,
    };
    // Text that `genai` can read as an object stays as the model wrote it.
    let is_good = match &found {
        Value::String(text) if as_text => {
            serde_json::from_str::<Value>(text).is_ok_and(|read| read.is_object())
        }
        Value::Object(_) => !as_text,
        _ => false,
    };
    if is_good {
        return 0;
    }
    owner[name] = wanted;
    1
}

/// Returns the arguments that the model meant.
fn intended(found: Value) -> Value {
    match found {
        Value::Null => json!({}),
        Value::String(text) if text.trim().is_empty() => json!({}),
        // JSON in a text, which may itself be encoded in a text.
        Value::String(text) => match serde_json::from_str::<Value>(&text) {
            Ok(inner @ Value::Object(_)) => inner,
            Ok(Value::Null) => json!({}),
            Ok(Value::String(inner)) => match serde_json::from_str(&inner) {
                Ok(inner @ Value::Object(_)) => inner,
                _ => Value::String(text),
            },
            _ => Value::String(text),
        },
        // Some servers wrap the arguments in a list.
        Value::Array(mut list) if list.len() == 1 && list[0].is_object() => list.remove(0),
        Value::Array(list) if list.is_empty() => json!({}),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn repaired(call: Value) -> Value {
        let mut answer = json!({"choices": [{"message": {"content": null, "tool_calls": [call]}}]});
        repair(ProviderKind::OpenAi, &mut answer);
        answer["choices"][0]["message"]["tool_calls"][0].take()
    }

    #[test]
    fn what_is_missing_or_odd_in_a_call_is_repaired() {
        for (arguments, expected) in [
            (json!(""), json!({})),
            (json!("null"), json!({})),
            (json!(null), json!({})),
            (json!([]), json!({})),
            (json!({"ns": "shop"}), json!({"ns": "shop"})),
            (json!([{"ns": "shop"}]), json!({"ns": "shop"})),
            (
                json!("\"{\\\"ns\\\": \\\"shop\\\"}\""),
                json!({"ns": "shop"}),
            ),
            (json!("{\"ns\": \"sh"), json!("{\"ns\": \"sh")),
        ] {
            let call = repaired(json!({"function": {"name": "pods", "arguments": arguments}}));
            let read: Value =
                serde_json::from_str(call["function"]["arguments"].as_str().unwrap()).unwrap();
            assert_eq!(read, expected, "{arguments}");
            assert_eq!(
                (&call["id"], &call["type"]),
                (&json!("call_0"), &json!("function"))
            );
        }
        let call = repaired(json!({"id": "a", "name": "pods", "parameters": {"ns": "shop"}}));
        assert_eq!(call["function"]["name"], "pods");
        assert_eq!(call["function"]["arguments"], "{\"ns\":\"shop\"}");
        assert_eq!(
            repaired(json!({"id": "a", "function": {"name": ""}}))["function"]["name"],
            UNNAMED
        );
    }

    #[test]
    fn a_good_call_stays_as_it_is_to_the_byte() {
        let call = json!({"id": "a", "type": "function", "function": {"name": "pods", "arguments": "{ \"b\": 1, \"a\": 2 }"}});
        let mut answer = json!({"choices": [{"message": {"tool_calls": [call]}}]});
        let before = answer.clone();
        assert_eq!(repair(ProviderKind::OpenAi, &mut answer), 0);
        assert_eq!(answer, before);
    }

    #[test]
    fn the_other_formats_get_an_object() {
        for odd in [json!(null), json!(""), json!("{}")] {
            let mut answer =
                json!({"content": [{"type": "tool_use", "id": "a", "name": "pods", "input": odd}]});
            repair(ProviderKind::Anthropic, &mut answer);
            assert_eq!(answer["content"][0]["input"], json!({}));
            let mut answer = json!({"message": {"tool_calls": [{"function": {"name": "pods", "arguments": odd}}]}});
            repair(ProviderKind::Ollama, &mut answer);
            assert_eq!(
                answer["message"]["tool_calls"][0]["function"]["arguments"],
                json!({})
            );
            let mut answer = json!({"candidates": [{"content": {"parts": [{"functionCall": {"name": "pods", "args": odd}}]}}]});
            repair(ProviderKind::Gemini, &mut answer);
            assert_eq!(
                answer["candidates"][0]["content"]["parts"][0]["functionCall"]["args"],
                json!({})
            );
        }
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            "[ -~]{0,8}".prop_map(Value::from),
            any::<i32>().prop_map(Value::from)
        ];
        leaf.prop_recursive(3, 16, 4, |inner| {
            let name = prop_oneof![
                Just("id".to_owned()),
                Just("type".to_owned()),
                Just("function".to_owned()),
                Just("name".to_owned()),
                Just("arguments".to_owned())
            ];
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
                prop::collection::vec((name, inner), 0..4)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        /// For any value in place of the calls, `genai` can read every call that remains, and a second repair changes
        /// nothing.
        #[test]
        fn any_calls_are_readable_afterwards(calls in any_json()) {
            let mut answer = json!({"choices": [{"message": {"tool_calls": calls}}]});
            repair(ProviderKind::OpenAi, &mut answer);
            let left = answer["choices"][0]["message"]["tool_calls"].as_array().cloned().unwrap_or_default();
            for call in &left {
                prop_assert!(["/id", "/type", "/function/name", "/function/arguments"].iter().all(|at| call.pointer(at).is_some_and(Value::is_string)), "{call}");
                let arguments = call["function"]["arguments"].as_str().unwrap_or_default();
                prop_assert!(serde_json::from_str::<Value>(arguments).is_ok(), "{call}");
            }
        }
    }
}
