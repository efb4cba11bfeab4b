//! Converts any schema of a tool, and converts arguments back.

use proptest::prelude::*;

use super::*;

/// Returns the complaint of the strictest provider about a schema, if it has one.
fn complaint(schema: &Value, depth: usize) -> Option<String> {
    const KNOWN: [&str; 7] = [
        "type",
        "properties",
        "required",
        "additionalProperties",
        "items",
        "anyOf",
        "enum",
    ];
    let Some(members) = schema.as_object() else {
        return Some(format!("no object: {schema}"));
    };
    if depth > 10 {
        return Some("too deep".to_owned());
    }
    if let Some(key) = members.keys().find(|key| !KNOWN.contains(&key.as_str())) {
        return Some(format!("unknown key {key}"));
    }
    if let Some(parts) = members.get("anyOf") {
        let parts = parts
            .as_array()
            .filter(|parts| !parts.is_empty() && members.len() == 1);
        return match parts {
            None => Some(format!("bad anyOf: {schema}")),
            Some(parts) => parts.iter().find_map(|part| complaint(part, depth + 1)),
        };
    }
    match members.get("type").and_then(Value::as_str) {
        Some("object") => {
            let properties = members["properties"].as_object()?;
            let names: Vec<&str> = properties.keys().map(String::as_str).collect();
            if required(schema) != names
                || members.get("additionalProperties") != Some(&Value::Bool(false))
            {
                return Some(format!("not strict: {schema}"));
            }
            properties
                .values()
                .find_map(|inner| complaint(inner, depth + 1))
        }
        Some("array") => complaint(members.get("items").unwrap_or(&Value::Null), depth + 1),
        Some("string" | "integer" | "number") => {
            let is_empty = members
                .get("enum")
                .is_some_and(|values| values.as_array().is_none_or(Vec::is_empty));
            is_empty.then(|| format!("empty enum: {schema}"))
        }
        Some("boolean" | "null") => {
            (members.len() > 1).then(|| format!("more than a type: {schema}"))
        }
        _ => Some(format!("no type: {schema}")),
    }
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        "[ -~]{0,6}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::vec(("[a-c]", inner), 0..3)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// Generates schemas as tools have them, including unusual ones.
fn any_schema() -> impl Strategy<Value = Value> {
    let kind = prop_oneof![
        Just(json!("string")),
        Just(json!("integer")),
        Just(json!("object")),
        Just(json!("array")),
        Just(json!(["string", "null"])),
        Just(json!(["object", "array"])),
        Just(json!("file")),
        any_value(),
    ];
    let leaf = prop_oneof![
        kind.clone().prop_map(|kind| json!({"type": kind})),
        prop::collection::vec(any_value(), 0..4).prop_map(|values| json!({"enum": values})),
        any_value().prop_map(|value| json!({"const": value})),
        Just(json!({"$ref": "#/properties/a"})),
        Just(json!({"$ref": "#"})),
        Just(json!({"$ref": "other.json"})),
        any_value(),
    ];
    leaf.prop_recursive(4, 24, 3, move |inner| {
        let members = prop::collection::vec(("[a-d]", inner.clone()), 0..4);
        prop_oneof![
            (kind.clone(), members.clone(), any_value()).prop_map(|(kind, members, required)| {
                let members: Map<String, Value> = members.into_iter().collect();
                json!({"type": kind, "properties": members, "required": required})
            }),
            members.prop_map(|members| {
                let members: Map<String, Value> = members.into_iter().collect();
                let required: Vec<&String> = members.keys().take(1).collect();
                json!({"type": "object", "required": required, "properties": members})
            }),
            inner
                .clone()
                .prop_map(|items| json!({"type": "array", "items": items})),
            prop::collection::vec(inner.clone(), 0..3).prop_map(|parts| json!({"anyOf": parts})),
            prop::collection::vec(inner.clone(), 0..3).prop_map(|parts| json!({"oneOf": parts})),
            inner.prop_map(|part| json!({"allOf": [part]})),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn any_schema_of_a_tool_gives_one_that_a_strict_provider_takes(schema in any_schema()) {
        let strict = strict(&schema);
        prop_assert_eq!(complaint(&strict, 3), None, "{}", strict);
        let kind = strict["type"].as_str();
        prop_assert!(matches!(kind, Some("object" | "string")), "{strict}");
    }

    #[test]
    fn any_arguments_are_restored_to_some(schema in any_schema(), value in any_value()) {
        let _ = restored(value, &schema);
    }
}

#[test]
fn arguments_come_back_as_the_tool_wants_them() {
    let schema = json!({
        "type": "object",
        "properties": {
            "namespace": {"type": "string", "pattern": "^[a-z]+$"},
            "limit": {"type": "integer", "default": 10},
            "since": {"anyOf": [{"type": "string", "format": "date-time"}, {"type": "null"}], "default": null},
            "filter": {"type": "object", "additionalProperties": {"type": "string"}},
            "query": {"type": "object", "properties": {"teams": {"type": "array", "items": {"type": "string"}}, "page": {"type": "integer"}}, "required": ["teams"]},
            "level": {"enum": ["error", "info"]},
        },
        "required": ["namespace", "query"],
    });
    let nothing = json!({"type": "null"});
    assert_eq!(
        strict(&schema)["properties"],
        json!({
            "namespace": {"type": "string"},
            "limit": {"anyOf": [{"type": "integer"}, nothing]},
            "since": {"anyOf": [{"type": "string"}, nothing]},
            "filter": {"anyOf": [{"type": "string"}, nothing]},
            "query": {
                "type": "object",
                "properties": {"teams": {"type": "array", "items": {"type": "string"}}, "page": {"anyOf": [{"type": "integer"}, nothing]}},
                "required": ["teams", "page"],
                "additionalProperties": false,
            },
            "level": {"anyOf": [{"type": "string", "enum": ["error", "info"]}, nothing]},
        })
    );
    let written = json!({
        "namespace": "shop", "limit": null, "since": null, "filter": "{\"app\": \"api\"}",
        "query": {"teams": ["a"], "page": null}, "level": "error",
    });
    assert_eq!(
        restored(written, &schema),
        json!({"namespace": "shop", "filter": {"app": "api"}, "query": {"teams": ["a"]}, "level": "error"})
    );
}

#[test]
fn a_tool_without_named_parameters_takes_none_unless_it_says_so() {
    let none =
        json!({"type": "object", "properties": {}, "required": [], "additionalProperties": false});
    assert_eq!(strict(&json!({"type": "object"})), none);
    assert_eq!(strict(&json!({})), none);
    assert_eq!(strict(&json!(null)), none);
    let any = json!({"type": "object", "additionalProperties": true});
    assert_eq!(strict(&any), json!({"type": "string"}));
    assert_eq!(restored(json!("{\"a\": 1}"), &any), json!({"a": 1}));
}
