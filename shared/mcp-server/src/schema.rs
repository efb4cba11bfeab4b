//! Tools and the schemas of their arguments.

use std::borrow::Cow;
use std::sync::Arc;

use rmcp::model::{Tool, ToolAnnotations};
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
