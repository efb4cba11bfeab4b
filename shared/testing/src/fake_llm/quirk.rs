//! Unusual forms in which real models and gateways send the same content.

use serde_json::{Value, json};

use super::WireFormat;

/// Changes the form of an answer, but not its meaning.
type Quirk = fn(&mut Value);

const OPENAI: &[Quirk] = &[
    |body| remove(body, "/", "usage"),
    |body| set(body, "/system_fingerprint", Value::Null),
    |body| set(body, "/choices/0/finish_reason", Value::Null),
    |body| remove(body, "/choices/0", "finish_reason"),
    |body| set(body, "/choices/0/message/annotations", json!([])),
    |body| remove(body, "/choices/0/message", "refusal"),
    |body| {
        change_text(body, "/choices/0/message/content", |text| {
            format!("It is odd.</think>{text}")
        })
    },
    |body| {
        change_text(body, "/choices/0/message/content", |text| {
            format!("<think>It is odd.</think>\n\n{text}")
        })
    },
    |body| {
        each_call(body, "/choices/0/message/tool_calls", |call| {
            remove(call, "/", "id")
        })
    },
    |body| {
        each_call(body, "/choices/0/message/tool_calls", |call| {
            remove(call, "/", "type")
        })
    },
    |body| {
        each_call(body, "/choices/0/message/tool_calls", |call| {
            change(call, "/function/arguments", parsed)
        })
    },
    |body| {
        each_call(body, "/choices/0/message/tool_calls", |call| {
            change(call, "/function/arguments", as_text)
        })
    },
    |body| {
        each_call(body, "/choices/0/message/tool_calls", |call| {
            change(call, "/function/arguments", emptied)
        })
    },
];

const ANTHROPIC: &[Quirk] = &[
    |body| remove(body, "/", "usage"),
    |body| set(body, "/container", Value::Null),
    |body| remove(body, "/", "stop_sequence"),
    |body| each_call(body, "/content", |block| change(block, "/input", as_text)),
    |body| each_call(body, "/content", |block| change(block, "/input", emptied)),
];

const GEMINI: &[Quirk] = &[
    |body| remove(body, "/", "usageMetadata"),
    |body| remove(body, "/", "responseId"),
    |body| set(body, "/candidates/0/safetyRatings", json!([])),
    |body| {
        each_call(body, "/candidates/0/content/parts", |part| {
            change(part, "/functionCall/args", as_text)
        })
    },
    |body| {
        each_call(body, "/candidates/0/content/parts", |part| {
            change(part, "/functionCall/args", emptied)
        })
    },
];

const OLLAMA: &[Quirk] = &[
    |body| remove(body, "/", "prompt_eval_count"),
    |body| remove(body, "/", "created_at"),
    |body| remove(body, "/", "done_reason"),
    |body| {
        change_text(body, "/message/content", |text| {
            format!("It is odd.</think>{text}")
        })
    },
    |body| {
        each_call(body, "/message/tool_calls", |call| {
            change(call, "/function/arguments", as_text)
        })
    },
    |body| {
        each_call(body, "/message/tool_calls", |call| {
            change(call, "/function/arguments", emptied)
        })
    },
];

const RESPONSES: &[Quirk] = &[
    |body| remove(body, "/", "id"),
    |body| remove(body, "/", "status"),
    |body| each_call(body, "/output", |item| change(item, "/arguments", parsed)),
    |body| each_call(body, "/output", |item| change(item, "/arguments", emptied)),
];

const BEDROCK: &[Quirk] = &[
    |body| remove(body, "/", "metrics"),
    |body| {
        each_call(body, "/output/message/content", |block| {
            change(block, "/toolUse/input", as_text)
        })
    },
    |body| {
        each_call(body, "/output/message/content", |block| {
            change(block, "/toolUse/input", emptied)
        })
    },
];

const fn quirks_of(format: WireFormat) -> &'static [Quirk] {
    match format.dialect() {
        WireFormat::Responses => RESPONSES,
        WireFormat::Bedrock => BEDROCK,
        WireFormat::Anthropic => ANTHROPIC,
        WireFormat::Gemini => GEMINI,
        WireFormat::Ollama => OLLAMA,
        _ => OPENAI,
    }
}

impl WireFormat {
    /// Returns the number of quirks of this format.
    #[must_use]
    pub const fn quirks(self) -> usize {
        quirks_of(self).len()
    }
}

/// Applies quirk `number`, modulo the number of quirks, to an answer.
pub(super) fn bend(body: &mut Value, format: WireFormat, number: usize) {
    let quirks = quirks_of(format);
    if let Some(quirk) = quirks.get(number % quirks.len()) {
        quirk(body);
    }
}

fn remove(body: &mut Value, place: &str, key: &str) {
    let place = if place == "/" { "" } else { place };
    if let Some(object) = body.pointer_mut(place).and_then(Value::as_object_mut) {
        object.remove(key);
    }
}

fn set(body: &mut Value, place: &str, value: Value) {
    let Some((parent, key)) = place.rsplit_once('/') else {
        return;
    };
    if let Some(object) = body.pointer_mut(parent).and_then(Value::as_object_mut) {
        object.insert(key.to_owned(), value);
    }
}

fn change(body: &mut Value, place: &str, to: fn(&Value) -> Value) {
    if let Some(value) = body.pointer_mut(place) {
        *value = to(value);
    }
}

fn change_text(body: &mut Value, place: &str, to: fn(&str) -> String) {
    if let Some(value) = body.pointer_mut(place)
        && let Some(text) = value.as_str().filter(|text| !text.is_empty())
    {
        *value = to(text).into();
    }
}

fn each_call(body: &mut Value, place: &str, bend: fn(&mut Value)) {
    let calls = body.pointer_mut(place).and_then(Value::as_array_mut);
    calls.into_iter().flatten().for_each(bend);
}

/// Converts arguments to an object, where a text is usual.
fn parsed(arguments: &Value) -> Value {
    let text = arguments.as_str().unwrap_or_default();
    serde_json::from_str(text).unwrap_or_else(|_| arguments.clone())
}

/// Wraps arguments into a text.
fn as_text(arguments: &Value) -> Value {
    arguments.to_string().into()
}

/// Replaces empty arguments by a missing value.
fn emptied(arguments: &Value) -> Value {
    match arguments {
        Value::String(text) if text == "{}" => json!(""),
        Value::Object(map) if map.is_empty() => Value::Null,
        other => other.clone(),
    }
}
