//! Adapts tool schemas that vendors would refuse. The tool server checks the arguments anyway, so the adapted schema
//! may be less strict.

use serde_json::{Map, Value, json};

use crate::ProviderKind;

/// Combinations that OpenAI, Anthropic and Gemini refuse at the top level of a schema.
/// <https://platform.openai.com/docs/guides/structured-outputs#supported-schemas>
const COMBINATIONS: [&str; 3] = ["anyOf", "oneOf", "allOf"];
/// Most levels of a schema that are adapted. Deeper levels stay as they are.
const DEEPEST: usize = 24;

/// Returns a schema that the vendor accepts: an object at the top level, and `items` in every list.
pub(in crate::remote) fn adapted(kind: ProviderKind, schema: &Value) -> Value {
    let mut schema = match schema {
        Value::Object(members) => members.clone(),
        _ => Map::new(),
    };
    if kind != ProviderKind::Ollama {
        merge_combinations(&mut schema);
    }
    schema.insert("type".to_owned(), json!("object"));
    if !schema.get("properties").is_some_and(Value::is_object) {
        schema.insert("properties".to_owned(), json!({}));
    }
    let mut schema = Value::Object(schema);
    name_items(&mut schema, DEEPEST);
    schema
}

/// Merges the alternatives at the top level into one object with the properties of all. Keeps the `required` members of
/// `allOf` only, because those of one alternative do not apply to the others.
fn merge_combinations(schema: &mut Map<String, Value>) {
    for combination in COMBINATIONS {
        let Some(Value::Array(alternatives)) = schema.remove(combination) else {
            continue;
        };
        for alternative in alternatives {
            let Value::Object(mut alternative) = alternative else {
                continue;
            };
            if let Some(Value::Object(more)) = alternative.remove("properties") {
                let properties = schema.entry("properties").or_insert_with(|| json!({}));
                for (name, property) in more {
                    if let Some(known) = properties.as_object_mut() {
                        known.entry(name).or_insert(property);
                    }
                }
            }
            if let Some(Value::Array(more)) = alternative.remove("required")
                && combination == "allOf"
                && let Some(known) = schema
                    .entry("required")
                    .or_insert_with(|| json!([]))
                    .as_array_mut()
            {
                known.extend(more);
            }
        }
    }
}

/// Adds `items` that accept anything to lists without `items`.
fn name_items(schema: &mut Value, depth: usize) {
    if depth == 0 {
        return;
    }
    match schema {
        Value::Object(members) => {
            let is_list = match members.get("type") {
                Some(Value::String(kind)) => kind == "array",
                Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == "array"),
                _ => false,
            };
            if is_list && !members.contains_key("items") && !members.contains_key("prefixItems") {
                members.insert("items".to_owned(), json!({}));
            }
            // These members hold data, not schemas.
            let inner = members.iter_mut().filter(|(name, _)| {
                !matches!(name.as_str(), "default" | "enum" | "const" | "examples")
            });
            inner.for_each(|(_, inner)| name_items(inner, depth - 1));
        }
        Value::Array(list) => list
            .iter_mut()
            .for_each(|inner| name_items(inner, depth - 1)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schema_is_an_object_with_named_properties_and_items() {
        let adapted = |schema| adapted(ProviderKind::OpenAi, &schema);
        let empty = json!({"type": "object", "properties": {}});
        assert_eq!(adapted(json!({})), empty);
        assert_eq!(adapted(json!(null)), empty);
        assert_eq!(
            adapted(
                json!({"type": "object", "properties": {"names": {"type": "array"}, "both": {"type": ["array", "null"]}}})
            ),
            json!({"type": "object", "properties": {"names": {"type": "array", "items": {}}, "both": {"type": ["array", "null"], "items": {}}}})
        );
        let either = json!({"anyOf": [
            {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]},
            {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]},
        ]});
        let merged = json!({"properties": {"id": {"type": "string"}, "name": {"type": "string"}}, "type": "object"});
        assert_eq!(adapted(either), merged);
        let all =
            json!({"type": "object", "allOf": [{"properties": {"id": {}}, "required": ["id"]}]});
        assert_eq!(
            adapted(all),
            json!({"type": "object", "properties": {"id": {}}, "required": ["id"]})
        );
    }

    #[test]
    fn a_good_schema_stays_as_it_is() {
        let good = json!({"type": "object", "properties": {"a": {"type": "array", "items": {"type": "string"}}}, "required": ["a"]});
        assert_eq!(
            adapted(ProviderKind::Gemini, &good).to_string(),
            good.to_string()
        );
    }
}
