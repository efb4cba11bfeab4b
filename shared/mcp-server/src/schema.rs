//! Tools, the schemas of their arguments, and the arguments of calls.

use std::borrow::Cow;
use std::sync::Arc;

use rmcp::model::{Tool, ToolAnnotations};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

/// Builds a tool whose arguments are these properties and no others.
#[must_use]
pub fn tool(
    name: impl Into<Cow<'static, str>>,
    description: impl Into<Cow<'static, str>>,
    properties: Value,
    required: &[&str],
    annotations: ToolAnnotations,
) -> Tool {
    let mut schema = Map::new();
    schema.insert("type".to_owned(), json!("object"));
    schema.insert("properties".to_owned(), properties);
    schema.insert("required".to_owned(), json!(required));
    schema.insert("additionalProperties".to_owned(), json!(false));
    Tool::new(name, description, Arc::new(schema)).with_annotations(annotations)
}

/// Builds a tool that only reads, and only data of this system.
#[must_use]
pub fn read_only_tool(
    name: &'static str,
    description: impl Into<Cow<'static, str>>,
    properties: Value,
    required: &[&str],
) -> Tool {
    let annotations = ToolAnnotations::new().read_only(true).open_world(false);
    tool(name, description, properties, required, annotations)
}

/// Parses tools that a file describes in the notation of MCP.
///
/// # Errors
///
/// If the file is invalid.
pub fn described_tools(file: &str) -> Result<Vec<Tool>, String> {
    serde_json::from_str(file).map_err(|error| format!("invalid description of tools: {error}"))
}

/// Parses the arguments of a call.
///
/// # Errors
///
/// A text for the model, if the arguments do not fit.
pub fn parsed<T: DeserializeOwned>(arguments: Map<String, Value>) -> Result<T, String> {
    serde_json::from_value(Value::Object(arguments))
        .map_err(|error| format!("wrong arguments: {error}"))
}
