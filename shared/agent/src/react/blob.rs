//! Finds calls written as JSON.

use serde_json::{Deserializer, Map, Value};

use super::Reply;
use super::header::clean_tool_name;

const NAMES: [&str; 5] = ["action", "tool", "tool_name", "name", "function"];
const INPUTS: [&str; 8] = [
    "action_input",
    "arguments",
    "args",
    "parameters",
    "params",
    "tool_input",
    "input",
    "kwargs",
];
const ANSWERS: [&str; 3] = ["final_answer", "finalAnswer", "Final Answer"];

/// Returns the first JSON value in `text` that is a call or a final answer.
pub(super) fn find(text: &str, thought: Option<String>) -> Option<Reply> {
    // A reply contains few objects. The bound keeps a long run of brackets from taking quadratic time.
    text.match_indices(['{', '[']).take(16).find_map(|(at, _)| {
        let mut values = Deserializer::from_str(&text[at..]).into_iter::<Value>();
        interpret(
            &values.next()?.ok()?,
            thought.as_deref().and_then(before_json),
        )
    })
}

/// Returns the first line of a thought before its JSON begins.
fn before_json(thought: &str) -> Option<String> {
    let said = thought.split(['{', '[', '`', '<']).next()?;
    let said = said.lines().next()?.trim();
    (!said.is_empty()).then(|| said.to_owned())
}

fn interpret(value: &Value, thought: Option<String>) -> Option<Reply> {
    match value {
        Value::Array(items) => {
            let mut reply = interpret(items.first()?, thought)?;
            if let Reply::Act { more, .. } = &mut reply {
                *more |= items.len() > 1;
            }
            Some(reply)
        }
        Value::Object(map) => object(map, thought),
        _ => None,
    }
}

fn object(map: &Map<String, Value>, thought: Option<String>) -> Option<Reply> {
    let thought = thought.or_else(|| {
        let text = map.get("thought")?.as_str()?.lines().next()?.trim();
        (!text.is_empty() && super::header::at_start(text).is_none()).then(|| text.to_owned())
    });
    if let Some(answer) = ANSWERS.iter().find_map(|k| map.get(*k)?.as_str()) {
        return conclusion(answer, thought);
    }
    for key in ["tool_calls", "tool_call", "function_call"] {
        if let Some(inner) = map.get(key) {
            return interpret(inner, thought);
        }
    }
    let name = NAMES.iter().find_map(|k| map.get(*k))?;
    if let Value::Object(inner) = name {
        return object(inner, thought);
    }
    let input = INPUTS.iter().find_map(|k| map.get(*k));
    // LangChain's structured agents conclude this way.
    if name.as_str()?.eq_ignore_ascii_case("final answer") {
        return conclusion(input?.as_str()?, thought);
    }
    // `name` alone is far too common to be a call.
    let mut telling = ["action", "tool", "tool_name"].iter();
    if input.is_none() && !telling.any(|key| map.contains_key(*key)) {
        return None;
    }
    Some(Reply::Act {
        thought,
        action: clean_tool_name(name.as_str()?)?.to_owned(),
        input: Some(match input {
            None | Some(Value::Null) => String::new(),
            Some(Value::String(text)) => one_line(text),
            Some(other) => other.to_string(),
        }),
        more: false,
    })
}

fn conclusion(answer: &str, thought: Option<String>) -> Option<Reply> {
    let answer = answer.trim();
    (!answer.is_empty()).then(|| Reply::Final {
        thought,
        answer: answer.to_owned(),
    })
}

/// Converts arguments that are given as text: JSON to its compact form; other text is only trimmed.
fn one_line(text: &str) -> String {
    serde_json::from_str::<Value>(text).map_or_else(|_| text.trim().to_owned(), |v| v.to_string())
}
