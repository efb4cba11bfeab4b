//! Tools of the servers, as `tools.json` describes them.

use std::collections::BTreeMap;

use rmcp::model::{Tool, ToolAnnotations};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tarsy_mcp_server::tool;

#[derive(Deserialize)]
struct File {
    /// Schemas of the arguments for a range of time.
    range: Map<String, Value>,
    /// Tools by the name of the API behind them.
    servers: BTreeMap<String, Vec<Described>>,
}

#[derive(Deserialize)]
struct Described {
    name: String,
    description: String,
    /// Schemas of arguments. A text in place of a schema describes an argument that is a text.
    properties: Map<String, Value>,
    /// Arguments for a range of time that the tool also takes.
    #[serde(default)]
    range: Vec<String>,
    #[serde(default)]
    required: Vec<String>,
}

/// Returns the tools over an API, which only read.
pub(crate) fn tools(api: &str) -> Result<Vec<Tool>, String> {
    let file = serde_json::from_str(include_str!("tools.json"));
    let mut file: File = file.map_err(|error| format!("tools.json: {error}"))?;
    let described = file.servers.remove(api).unwrap_or_default().into_iter();
    let tools = described.map(|mut described| {
        for schema in described.properties.values_mut() {
            if let Value::String(text) = schema {
                *schema = json!({"type": "string", "maxLength": 4000, "description": text});
            }
        }
        let mut range = file.range.clone();
        range.retain(|name, _| described.range.contains(name));
        described.properties.extend(range);
        let required: Vec<&str> = described.required.iter().map(String::as_str).collect();
        let hints = ToolAnnotations::new().read_only(true).open_world(true);
        let (name, description) = (described.name, described.description);
        tool(
            name,
            description,
            described.properties.into(),
            &required,
            hints,
        )
    });
    Ok(tools.collect())
}
