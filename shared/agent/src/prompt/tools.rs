//! Lists of tools for the prompt: with parameters for text strategies, or only names.

use serde_json::Value;
use tarsy_mcp::ToolInfo;

use crate::strict_schema::{required, types};

/// Lists the tools as `server.tool: description` with parameters.
pub(super) fn list(offers: &[ToolInfo]) -> String {
    offers.iter().map(tool).collect::<Vec<_>>().join("\n")
}

/// Most characters of a tool's description if only its name is listed.
const SHORT: usize = 80;

/// Lists the tools as `server.tool: what it is for`, one line each.
pub(super) fn names(offers: &[ToolInfo]) -> String {
    let line = |offer: &ToolInfo| {
        let description = one_line(&offer.description);
        let sentence = description.split(". ").next().unwrap_or_default();
        let short = match sentence.char_indices().nth(SHORT) {
            None => sentence.trim_end_matches('.'),
            Some((end, _)) => sentence[..end]
                .rsplit_once(' ')
                .map_or("", |(short, _)| short),
        };
        match short {
            "" => format!("- {}", offer.full_name()),
            short => format!("- {}: {short}", offer.full_name()),
        }
    };
    offers.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn tool(offer: &ToolInfo) -> String {
    let text = format!("- {}: {}", offer.full_name(), one_line(&offer.description));
    let mut parameters = Parameters {
        root: &offer.input_schema,
        lines: Vec::new(),
    };
    parameters.list("", &offer.input_schema, MOST_DEPTH);
    match parameters.lines.is_empty() {
        true => format!("{text}\n  Parameters: none"),
        false => format!("{text}\n  Parameters:{}", parameters.lines.concat()),
    }
}

/// How deep the fields of required parameters are shown.
const MOST_DEPTH: usize = 3;
/// Most fields that are shown of all parameters that are objects.
const MOST_FIELDS: usize = 40;

/// The parameters of one tool, a line each.
struct Parameters<'a> {
    root: &'a Value,
    lines: Vec<String>,
}

impl<'a> Parameters<'a> {
    /// Adds the properties of `schema`, and the fields of its required properties: `query.since`, `items[].name`.
    fn list(&mut self, path: &str, schema: &'a Value, depth: usize) {
        let required = required(schema);
        for (name, schema) in schema["properties"].as_object().into_iter().flatten() {
            if !path.is_empty() && self.lines.len() >= MOST_FIELDS {
                return;
            }
            let is_required = required.contains(&name.as_str());
            let need = if is_required { "required" } else { "optional" };
            let path = format!("{path}{name}");
            let description = schema["description"].as_str().map(one_line);
            let description = description
                .map(|text| format!(": {text}"))
                .unwrap_or_default();
            let kind = self.kind(schema);
            self.lines
                .push(format!("\n  - {path} ({kind}, {need}){description}"));
            if !is_required || depth == 0 {
                continue;
            }
            for part in self.alternatives(schema) {
                self.list(&format!("{path}."), part, depth - 1);
                if let Some(item) = part.get("items") {
                    let item = self.resolved(item);
                    self.list(&format!("{path}[]."), item, depth - 1);
                }
            }
        }
    }

    /// Returns the type with its restrictions: `string: "a" | "b"`, `array of integer`, `default 10`.
    fn kind(&self, schema: &'a Value) -> String {
        let alternatives = self.alternatives(schema);
        let mut names: Vec<String> = Vec::new();
        for name in alternatives.iter().flat_map(|part| self.types(part)) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let mut text = match names.is_empty() {
            true => "any".to_owned(),
            false => names.join(" or "),
        };
        let values = alternatives.iter().find_map(|part| part["enum"].as_array());
        if let Some(values) = values {
            let values: Vec<String> = values.iter().take(20).map(Value::to_string).collect();
            text.push_str(&format!(": {}", values.join(" | ")));
        }
        if let Some(default) = schema.get("default").filter(|default| !default.is_null()) {
            text.push_str(&format!(", default {default}"));
        }
        text
    }

    fn types(&self, schema: &'a Value) -> Vec<String> {
        let of_value = || match schema.get("const").or_else(|| schema.get("enum")?.get(0)) {
            _ if schema.get("properties").is_some() => vec!["object"],
            Some(Value::String(_)) => vec!["string"],
            Some(Value::Number(_)) => vec!["number"],
            Some(Value::Bool(_)) => vec!["boolean"],
            _ => Vec::new(),
        };
        let names = types(schema).unwrap_or_else(of_value);
        // A value that may be null may also be left out.
        let names = names.into_iter().filter(|name| *name != "null");
        let item = schema.get("items").map(|item| self.resolved(item));
        let item = item.and_then(|item| item.get("type")?.as_str());
        let named = names.map(|name| match item.filter(|_| name == "array") {
            Some(item) => format!("array of {item}"),
            None => name.to_owned(),
        });
        named.collect()
    }

    /// Returns the possible schemas of a value: the alternatives of `anyOf`, `oneOf` or `allOf`, or the schema
    /// itself.
    fn alternatives(&self, schema: &'a Value) -> Vec<&'a Value> {
        let schema = self.resolved(schema);
        let mut keys = ["anyOf", "oneOf", "allOf"].iter();
        match keys.find_map(|key| schema[key].as_array()) {
            Some(several) => several.iter().map(|part| self.resolved(part)).collect(),
            None => vec![schema],
        }
    }

    /// Follows a reference within the schema, once. If it leads to another reference, the value is shown as `any`.
    fn resolved(&self, schema: &'a Value) -> &'a Value {
        let target = schema["$ref"].as_str();
        let target = target.and_then(|target| self.root.pointer(target.strip_prefix('#')?));
        target.unwrap_or(schema)
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tarsy_mcp::ToolPin;
    use tarsy_model::EffectClass;

    use super::*;

    #[test]
    fn parameters_show_type_need_default_and_choices() {
        let text = list(&[ToolInfo {
            server: "kubernetes-server".into(),
            name: "pods_log".into(),
            description: "Logs of\n a pod".into(),
            input_schema: json!({
                "properties": {
                    "name": {"type": "string", "description": "Pod"},
                    "tail": {"type": "integer", "default": 100},
                    "level": {"type": "string", "enum": ["error", "info"]},
                },
                "required": ["name"],
            }),
            effect: EffectClass::ReadOnly,
            pin: ToolPin::new("pods_log", "", &Value::Null),
        }]);
        assert_eq!(
            text,
            "- kubernetes-server.pods_log: Logs of a pod\n  Parameters:\n  - name (string, required): Pod\n  \
             - tail (integer, default 100, optional)\n  - level (string: \"error\" | \"info\", optional)"
        );
    }

    fn shown(input_schema: Value) -> String {
        let offer = ToolInfo {
            server: "s".into(),
            name: "t".into(),
            description: String::new(),
            input_schema,
            effect: EffectClass::ReadOnly,
            pin: ToolPin::new("t", "", &Value::Null),
        };
        let text = list(&[offer]);
        text.split_once("Parameters:").unwrap().1.to_owned()
    }

    /// Pydantic writes optional values this way.
    #[test]
    fn what_may_be_null_is_shown_as_what_it_is_otherwise() {
        let schema = json!({
            "$defs": {"Level": {"enum": ["error", "info"], "type": "string"}},
            "properties": {
                "since": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": null},
                "level": {"anyOf": [{"$ref": "#/$defs/Level"}, {"type": "null"}]},
                "ids": {"anyOf": [{"type": "array", "items": {"type": "integer"}}, {"type": "string"}]},
                "tail": {"type": ["integer", "null"]},
                "mode": {"const": "fast"},
            },
        });
        assert_eq!(
            shown(schema),
            "\n  - since (string, optional)\n  - level (string: \"error\" | \"info\", optional)\n  \
             - ids (array of integer or string, optional)\n  - tail (integer, optional)\n  - mode (string, optional)"
        );
    }

    #[test]
    fn the_fields_of_required_parameters_are_shown() {
        let schema = json!({
            "$defs": {"Query": {
                "properties": {"status": {"type": "string"}, "teams": {"type": "array", "items": {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}}},
                "required": ["teams"],
            }},
            "properties": {
                "query": {"$ref": "#/$defs/Query"},
                "more": {"type": "object", "properties": {"hidden": {"type": "string"}}},
            },
            "required": ["query"],
        });
        assert_eq!(
            shown(schema),
            "\n  - query (object, required)\n  - query.status (string, optional)\n  \
             - query.teams (array of object, required)\n  - query.teams[].id (string, required)\n  - more (object, optional)"
        );
    }

    #[test]
    fn a_schema_that_contains_itself_ends() {
        let schema = json!({
            "$defs": {"Node": {"properties": {"next": {"$ref": "#/$defs/Node"}}, "required": ["next"]}},
            "properties": {"node": {"$ref": "#/$defs/Node"}},
            "required": ["node"],
        });
        assert_eq!(shown(schema).matches("\n").count(), 1 + MOST_DEPTH);
    }
}
