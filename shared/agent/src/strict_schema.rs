//! Converts schemas of tool arguments to the form that the strictest providers accept, and converts arguments back.
//!
//! Servers that constrain an answer (OpenAI, llama.cpp, vLLM, Ollama, Gemini) support different parts of JSON Schema.
//! All of them support the part used here: types, members that are all required, `items`, `anyOf` and `enum`. Values
//! that this part can't express are written as text or left to the tool, which checks its arguments anyway.

use serde_json::{Map, Value, json};

/// How deep objects of arguments go. Deeper values are written as JSON in a text.
const MOST_DEPTH: usize = 3;
/// Most values of an `enum` in the strict schema. A longer `enum` is not enforced.
const MOST_VALUES: usize = 60;
/// Most alternatives of one value.
const MOST_ALTERNATIVES: usize = 6;

/// Returns the strict schema of a tool's arguments. It is always an object or a text.
pub(crate) fn strict(schema: &Value) -> Value {
    let reader = Reader { root: schema };
    let resolved = reader.resolved(schema);
    match reader.members(resolved) {
        Some(_) => reader.object(resolved, MOST_DEPTH),
        // Without named members the tool takes no arguments, unless the schema allows any.
        None if takes_any(resolved) => json!({"type": "string"}),
        None => object(Map::new()),
    }
}

/// Returns whether a schema without members expects some.
fn takes_any(schema: &Value) -> bool {
    match schema.get("additionalProperties") {
        None => parts(schema).is_some(),
        Some(others) => *others != Value::Bool(false),
    }
}

/// Returns the schema of an object with these members and no others.
pub(crate) fn object(members: Map<String, Value>) -> Value {
    let required: Vec<&String> = members.keys().collect();
    let required = json!(required);
    json!({"type": "object", "properties": members, "required": required, "additionalProperties": false})
}

fn any_of(alternatives: Vec<Value>) -> Value {
    // Nested alternatives are flattened.
    let flat = alternatives
        .into_iter()
        .flat_map(|one| match &one["anyOf"] {
            Value::Array(inner) => inner.clone(),
            _ => vec![one],
        });
    let mut distinct: Vec<Value> = Vec::new();
    for one in flat {
        if !distinct.contains(&one) {
            distinct.push(one);
        }
    }
    match distinct.len() {
        1 => distinct.remove(0),
        _ => json!({"anyOf": distinct}),
    }
}

/// Returns the schema of any value: scalars as they are, other values as JSON in a text.
fn anything() -> Value {
    let kinds = ["string", "number", "boolean"];
    any_of(kinds.map(|kind| json!({"type": kind})).into())
}

/// Reads a schema, including its references.
struct Reader<'a> {
    root: &'a Value,
}

impl<'a> Reader<'a> {
    /// Returns the schema that a reference within the document leads to.
    fn resolved(&self, schema: &'a Value) -> &'a Value {
        let mut schema = schema;
        // References may form a cycle.
        for _ in 0..8 {
            let Some(target) = schema["$ref"].as_str() else {
                return schema;
            };
            let target = target.strip_prefix('#');
            let target = target.and_then(|target| self.root.pointer(target));
            schema = target.unwrap_or(&Value::Null);
        }
        &Value::Null
    }

    /// Returns the named members, if there are any.
    fn members(&self, schema: &'a Value) -> Option<&'a Map<String, Value>> {
        let members = schema.get("properties")?.as_object()?;
        (!members.is_empty()).then_some(members)
    }

    fn object(&self, schema: &'a Value, depth: usize) -> Value {
        let required = required(schema);
        let members = self.members(schema).into_iter().flatten();
        let members = members.map(|(name, member)| {
            let value = self.value(member, depth - 1);
            let value = match required.contains(&name.as_str()) {
                true => value,
                false => any_of(vec![value, json!({"type": "null"})]),
            };
            (name.clone(), value)
        });
        object(members.collect())
    }

    fn value(&self, schema: &'a Value, depth: usize) -> Value {
        let schema = self.resolved(schema);
        if let Some(values) = values(schema) {
            return values;
        }
        for key in ["anyOf", "oneOf"] {
            if let Some(Value::Array(parts)) = schema.get(key) {
                let parts = parts.iter().take(MOST_ALTERNATIVES);
                let parts: Vec<Value> = parts.map(|part| self.value_below(part, depth)).collect();
                if !parts.is_empty() {
                    return any_of(parts);
                }
            }
        }
        if let Some(Value::Array(parts)) = schema.get("allOf")
            && let [only] = parts.as_slice()
        {
            return self.value_below(only, depth);
        }
        let has_members = self.members(schema).is_some();
        let kinds = types(schema).or_else(|| has_members.then(|| vec!["object"]));
        let known = kinds.unwrap_or_default().into_iter();
        let known = known.filter_map(|kind| self.typed(kind, schema, depth));
        let known: Vec<Value> = known.collect();
        match known.is_empty() {
            true => anything(),
            false => any_of(known),
        }
    }

    /// Converts an alternative, which may refer back to the schema that contains it.
    fn value_below(&self, schema: &'a Value, depth: usize) -> Value {
        match depth {
            0 => anything(),
            _ => self.value(schema, depth - 1),
        }
    }

    fn typed(&self, kind: &str, schema: &'a Value, depth: usize) -> Option<Value> {
        match kind {
            "string" | "integer" | "number" | "boolean" | "null" => Some(json!({"type": kind})),
            "array" if depth == 0 => Some(json!({"type": "string"})),
            "array" => {
                let items = schema.get("items");
                let items = items.map_or_else(anything, |items| self.value(items, depth - 1));
                Some(json!({"type": "array", "items": items}))
            }
            "object" if depth > 0 && self.members(schema).is_some() => {
                Some(self.object(schema, depth))
            }
            "object" => Some(json!({"type": "string"})),
            _ => None,
        }
    }
}

/// Returns the schemas of which a value must match one, or all.
fn parts(schema: &Value) -> Option<&Value> {
    let mut keys = ["anyOf", "oneOf", "allOf"].iter();
    keys.find_map(|key| schema.get(key))
}

/// Returns the types that a value may have; `None` if the schema does not state them.
pub(crate) fn types(schema: &Value) -> Option<Vec<&str>> {
    match schema.get("type")? {
        Value::String(only) => Some(vec![only.as_str()]),
        Value::Array(types) => Some(types.iter().filter_map(Value::as_str).collect()),
        _ => None,
    }
}

/// Returns the names of the required members.
pub(crate) fn required(schema: &Value) -> Vec<&str> {
    let names = schema["required"].as_array().into_iter().flatten();
    names.filter_map(Value::as_str).collect()
}

/// Returns the schema for the values of an `enum` or `const`, by type, if they are scalars and few.
fn values(schema: &Value) -> Option<Value> {
    let values: Vec<Value> = match (schema.get("const"), schema.get("enum")) {
        (Some(only), _) => vec![only.clone()],
        (None, Some(Value::Array(values))) => values.clone(),
        _ => return None,
    };
    if values.is_empty() || values.len() > MOST_VALUES {
        return None;
    }
    let kinds = ["string", "integer", "number", "boolean", "null"];
    let mut by_kind: [Vec<&Value>; 5] = Default::default();
    for value in &values {
        let of_kind = &mut by_kind[match value {
            Value::String(_) => 0,
            Value::Number(number) => 1 + usize::from(number.is_f64()),
            Value::Bool(_) => 3,
            Value::Null => 4,
            Value::Array(_) | Value::Object(_) => return None,
        }];
        if !of_kind.contains(&value) {
            of_kind.push(value);
        }
    }
    let known = kinds
        .iter()
        .zip(by_kind)
        .filter(|(_, values)| !values.is_empty());
    let alternatives = known.map(|(kind, values)| match *kind {
        "null" | "boolean" => json!({"type": kind}),
        _ => json!({"type": kind, "enum": values}),
    });
    Some(any_of(alternatives.collect()))
}

/// Converts arguments back to the tool's own schema. A null for an optional member is removed, and JSON in a text is
/// parsed if the tool accepts no text.
pub(crate) fn restored(value: Value, schema: &Value) -> Value {
    let reader = Reader { root: schema };
    reader.restored(value, schema, MOST_DEPTH * 4)
}

impl<'a> Reader<'a> {
    fn restored(&self, value: Value, schema: &'a Value, depth: usize) -> Value {
        let schema = self.resolved(schema);
        if depth == 0 {
            return value;
        }
        match value {
            Value::Object(members) => {
                let of_part = || self.members_of_part(schema);
                let Some(known) = self.members(schema).or_else(of_part) else {
                    return Value::Object(members);
                };
                let required = required(schema);
                let restored = members.into_iter().filter_map(|(name, value)| {
                    let value = match known.get(&name) {
                        None => value,
                        Some(_) if value.is_null() && !required.contains(&name.as_str()) => {
                            return None;
                        }
                        Some(member) => self.restored(value, member, depth - 1),
                    };
                    Some((name, value))
                });
                Value::Object(restored.collect())
            }
            Value::Array(items) => match schema.get("items") {
                Some(item) => items
                    .into_iter()
                    .map(|value| self.restored(value, item, depth - 1))
                    .collect(),
                None => Value::Array(items),
            },
            Value::String(text) if !self.takes(schema, "string", depth) => {
                match serde_json::from_str(text.trim()) {
                    Ok(read @ (Value::Object(_) | Value::Array(_))) => read,
                    _ => Value::String(text),
                }
            }
            other => other,
        }
    }

    /// Returns the members of the alternative that has some, if it is the only one.
    fn members_of_part(&self, schema: &'a Value) -> Option<&'a Map<String, Value>> {
        let parts = parts(schema)?.as_array()?.iter();
        let mut found = parts.filter_map(|part| self.members(self.resolved(part)));
        let first = found.next()?;
        found.next().is_none().then_some(first)
    }

    /// Returns whether a value of this type is allowed. A schema without a type or members allows any.
    fn takes(&self, schema: &'a Value, kind: &str, depth: usize) -> bool {
        let schema = self.resolved(schema);
        if let Some(Value::Array(parts)) = parts(schema)
            && depth > 0
        {
            return parts.iter().any(|part| self.takes(part, kind, depth - 1));
        }
        match types(schema) {
            Some(types) => types.contains(&kind),
            None => self.members(schema).is_none(),
        }
    }
}

#[cfg(test)]
mod tests;
