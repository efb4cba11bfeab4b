//! Removes the parts of a schema that can't be compiled, so that the rest can be used. The server checks its arguments
//! anyway.

use serde_json::{Map, Value, json};

use crate::argument_check::MOST_PATTERN_BYTES;

/// Values of `type` in JSON Schema.
const TYPES: [&str; 7] = [
    "array", "boolean", "integer", "null", "number", "object", "string",
];
/// Most levels of a schema that are kept. Deeper levels accept anything.
const DEEPEST: usize = 32;

/// Returns the schema without the parts that no validator accepts. These are patterns of other regex engines, types and
/// flags of other drafts, and references that lead nowhere or to other documents.
pub(crate) fn without_faults(schema: &Value) -> Value {
    let mut cleaned = schema.clone();
    clean(&mut cleaned, schema, DEEPEST);
    if let Some(members) = cleaned.as_object_mut() {
        // Without these members, the validator assumes its default dialect.
        members.remove("$schema");
        members.remove("$id");
        members.remove("id");
        // Arguments are always an object.
        members.insert("type".to_owned(), json!("object"));
    }
    cleaned
}

fn clean(schema: &mut Value, root: &Value, depth: usize) {
    let Value::Object(members) = schema else {
        if !schema.is_boolean() {
            *schema = json!({});
        }
        return;
    };
    if depth == 0 {
        members.clear();
        return;
    }
    members.retain(|name, value| is_usable(name, value, root));
    if let Some(word) = members.get("type").and_then(type_words) {
        members.insert("type".to_owned(), word);
    } else {
        members.remove("type");
    }
    for (name, value) in members.iter_mut() {
        match name.as_str() {
            "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas" => {
                let inner = value.as_object_mut().into_iter().flat_map(Map::values_mut);
                inner.for_each(|inner| clean(inner, root, depth - 1));
            }
            "anyOf" | "oneOf" | "allOf" | "prefixItems" => {
                let inner = value.as_array_mut().into_iter().flatten();
                inner.for_each(|inner| clean(inner, root, depth - 1));
            }
            "items"
            | "additionalProperties"
            | "not"
            | "if"
            | "then"
            | "else"
            | "contains"
            | "propertyNames" => {
                clean(value, root, depth - 1);
            }
            _ => {}
        }
    }
}

/// Whether a keyword can stay.
fn is_usable(name: &str, value: &Value, root: &Value) -> bool {
    let is_pattern = |text: &str| {
        let mut pattern = regex::RegexBuilder::new(text);
        pattern.size_limit(MOST_PATTERN_BYTES).build().is_ok()
    };
    match name {
        "pattern" => value.as_str().is_some_and(is_pattern),
        "patternProperties" => value
            .as_object()
            .is_some_and(|all| all.keys().all(|text| is_pattern(text))),
        "required" => value
            .as_array()
            .is_some_and(|all| all.iter().all(Value::is_string)),
        "enum" => value.as_array().is_some_and(|all| !all.is_empty()),
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" => {
            value.is_number()
        }
        "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties" => {
            value.is_u64()
        }
        "uniqueItems" => value.is_boolean(),
        "properties" | "$defs" | "definitions" | "dependentSchemas" => value.is_object(),
        "anyOf" | "oneOf" | "allOf" | "prefixItems" => {
            value.as_array().is_some_and(|all| !all.is_empty())
        }
        "$ref" => value
            .as_str()
            .is_some_and(|reference| leads_inside(reference, root)),
        "type"
        | "items"
        | "additionalProperties"
        | "not"
        | "if"
        | "then"
        | "else"
        | "contains"
        | "propertyNames" => true,
        "const" | "default" | "description" | "title" | "examples" | "format" => true,
        // Unknown keywords are dropped: they check nothing.
        _ => false,
    }
}

fn leads_inside(reference: &str, root: &Value) -> bool {
    reference
        .strip_prefix('#')
        .is_some_and(|pointer| root.pointer(pointer).is_some())
}

/// Returns the types if all of them exist; `None`: any type.
fn type_words(found: &Value) -> Option<Value> {
    let is_known = |word: &Value| word.as_str().is_some_and(|word| TYPES.contains(&word));
    match found {
        Value::Array(words) => {
            let known: Vec<Value> = words
                .iter()
                .filter(|word| is_known(word))
                .cloned()
                .collect();
            (known.len() == words.len() && !known.is_empty()).then(|| Value::Array(known))
        }
        word => is_known(word).then(|| word.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schema_is_used_without_the_part_that_can_not_be_compiled() {
        for odd in [
            json!({"type": "object", "properties": {"a": {"type": "string", "pattern": "^(?!x)y"}}}),
            json!({"type": "object", "properties": {"a": {"type": "string", "pattern": "\\p{L}{1,200}{1,200}{1,200}"}}}),
            json!({"type": "object", "required": null}),
            json!({"type": "object", "properties": {"a": {"type": "string", "required": true}}}),
            json!({"type": "object", "properties": {"a": {"type": "number", "exclusiveMinimum": true, "minimum": 0}}}),
            json!({"type": "object", "properties": {"a": {"$ref": "https://example.com/a.json"}}}),
            json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/gone"}}}),
            json!({"type": "object", "properties": {"a": {"type": "any"}}}),
            json!({"$schema": "https://example.com/draft", "type": "object"}),
            json!({"type": "object", "properties": {"a": null}}),
            json!(null),
        ] {
            let validator = crate::argument_check::compile(&odd)
                .unwrap_or_else(|error| panic!("{odd}: {error}"));
            assert!(
                validator.is_valid(&json!({"a": 1})) || validator.is_valid(&json!({"a": "y"})),
                "{odd}"
            );
        }
        // The parts of a schema that can be checked are checked.
        let half = json!({"type": "object", "properties": {"a": {"type": "string", "pattern": "^(?!x)y"}, "n": {"type": "integer"}}, "required": ["n"]});
        let validator = crate::argument_check::compile(&half).unwrap();
        assert!(
            validator.is_valid(&json!({"a": "b", "n": 1}))
                && !validator.is_valid(&json!({"a": "b"}))
        );
    }
}
