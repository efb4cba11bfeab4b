//! Repairs the result of a tool: keeps readable blocks and names the others.

use rmcp::model::ContentBlock;
use serde_json::{Map, Value, json};

use super::{Repairs, keep_if};

pub(super) fn repair(result: &mut Map<String, Value>, repairs: &mut Repairs) {
    keep_if(result, "isError", repairs, Value::is_boolean);
    keep_if(result, "_meta", repairs, Value::is_object);
    if let Some(legacy) = result.remove("toolResult") {
        repairs.push("a `toolResult` of the protocol's first version".to_owned());
        result.entry("content").or_insert(legacy);
    }
    let blocks = match result.get_mut("content").map(Value::take) {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::Array(blocks)) => blocks,
        Some(one) => {
            repairs.push("`content` is no list".to_owned());
            vec![one]
        }
    };
    let blocks = blocks.into_iter().map(|block| repaired(block, repairs));
    let blocks: Vec<Value> = blocks.collect();
    result.insert("content".to_owned(), Value::Array(blocks));
}

/// Returns a readable block: unchanged, without its invalid members, or as a text that names it.
fn repaired(block: Value, repairs: &mut Repairs) -> Value {
    if is_readable(&block) {
        return block;
    }
    let kind = block.get("type").and_then(Value::as_str).map(str::to_owned);
    repairs.push(format!(
        "a block of the kind `{}`",
        kind.as_deref().unwrap_or("none")
    ));
    let Value::Object(mut members) = block else {
        return text(&block);
    };
    for odd in ["annotations", "_meta"] {
        members.remove(odd);
    }
    if kind.as_deref() == Some("resource_link") {
        let uri = members.get("uri").cloned().unwrap_or_default();
        members.retain(|name, _| matches!(name.as_str(), "type" | "uri" | "name"));
        members.entry("name").or_insert(uri);
    }
    let block = Value::Object(members);
    if is_readable(&block) {
        return block;
    }
    // An embedded resource without an address has its text at a deeper level. Other servers use other member names.
    let places = ["/text", "/resource/text", "/value", "/content", "/message"];
    let value = places
        .iter()
        .find_map(|place| block.pointer(place).filter(|value| !value.is_null()));
    match (value, kind) {
        (Some(value), _) => text(value),
        (None, Some(kind)) => text(&json!(format!("[content of the kind `{kind}`, not shown]"))),
        (None, None) => text(&block),
    }
}

fn is_readable(block: &Value) -> bool {
    block.is_object() && serde_json::from_value::<ContentBlock>(block.clone()).is_ok()
}

fn text(value: &Value) -> Value {
    let value = match value {
        Value::String(value) => value.clone(),
        other => other.to_string(),
    };
    json!({"type": "text", "text": value})
}
