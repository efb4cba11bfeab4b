//! Repairs a tool list: removes the invalid parts of a tool, or drops a tool that stays unreadable.

use rmcp::model::Tool;
use serde_json::{Map, Value, json};

use super::{Repairs, keep_if};

/// Members that an unreadable tool keeps, in addition to its annotations.
const CORE: [&str; 3] = ["name", "description", "inputSchema"];
/// Annotations that are kept: the hints about a tool's effect.
const HINTS: [&str; 4] = [
    "readOnlyHint",
    "destructiveHint",
    "idempotentHint",
    "openWorldHint",
];

pub(super) fn repair(result: &mut Map<String, Value>, repairs: &mut Repairs) {
    // An empty cursor means the end of the list. Servers that are asked for it start from the beginning.
    keep_if(result, "nextCursor", repairs, |cursor| {
        cursor.as_str().is_some_and(|cursor| !cursor.is_empty())
    });
    keep_if(result, "_meta", repairs, Value::is_object);
    let tools = match result.get_mut("tools").map(Value::take) {
        Some(Value::Array(tools)) => tools,
        Some(Value::Object(tools)) => {
            repairs.push("`tools` is no list".to_owned());
            tools.into_iter().map(named).collect()
        }
        _ => {
            repairs.push("`tools` is no list".to_owned());
            Vec::new()
        }
    };
    let tools = tools.into_iter().filter_map(|tool| repaired(tool, repairs));
    let tools: Vec<Value> = tools.collect();
    result.insert("tools".to_owned(), Value::Array(tools));
}

/// Returns a readable tool. `None` if it has no name or stays unreadable.
fn repaired(tool: Value, repairs: &mut Repairs) -> Option<Value> {
    let has_schema = tool.get("inputSchema").is_some_and(Value::is_object);
    if has_schema && is_readable(&tool) {
        return Some(tool);
    }
    let Value::Object(mut tool) = tool else {
        repairs.push("a tool is no object".to_owned());
        return None;
    };
    let Some(name) = tool.get("name").and_then(Value::as_str).map(str::to_owned) else {
        repairs.push("a tool has no name".to_owned());
        return None;
    };
    repairs.push(format!("the tool `{name}` is odd"));
    if !has_schema {
        tool.insert("inputSchema".to_owned(), json!({"type": "object"}));
    }
    if !tool.get("description").is_some_and(Value::is_string) {
        tool.remove("description");
    }
    let annotations = tool.remove("annotations");
    if let Some(Value::Object(mut annotations)) = annotations {
        annotations.retain(|name, value| HINTS.contains(&name.as_str()) && value.is_boolean());
        tool.insert("annotations".to_owned(), Value::Object(annotations));
    }
    if !is_readable(&Value::Object(tool.clone())) {
        tool.retain(|member, _| CORE.contains(&member.as_str()) || member == "annotations");
    }
    let tool = Value::Object(tool);
    is_readable(&tool).then_some(tool)
}

/// Converts a tool from an object whose members are named after the tools.
fn named((name, mut tool): (String, Value)) -> Value {
    if let Some(members) = tool.as_object_mut() {
        members.entry("name").or_insert(json!(name));
    }
    tool
}

fn is_readable(tool: &Value) -> bool {
    serde_json::from_value::<Tool>(tool.clone()).is_ok()
}
