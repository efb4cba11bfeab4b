//! Fields with arbitrary values, such as arguments and schemas, as JSON.

use schemars::json_schema;
use serde_json::{Map, Number, Value as Json};

use super::collections::ByName;
use super::scalars::inlined;
use super::{FieldValue, Fields};
use crate::context::Context;
use crate::yaml::{Node, Value};

/// Any value. Templates in it are not filled in, because values that become part of a session must not contain secrets
/// of the environment.
pub(crate) struct Anything;
inlined!([] Anything, "Anything", json_schema!(true));

impl FieldValue for Anything {
    type Read<'a> = Json;

    fn read<'a>(fields: &Fields<'a>, key: &'static str) -> Option<Json> {
        Some(convert(fields.context, fields.node(key)?))
    }
}

impl FieldValue for ByName<Anything> {
    type Read<'a> = Map<String, Json>;

    fn read<'a>(fields: &Fields<'a>, key: &'static str) -> Option<Map<String, Json>> {
        match Anything::read(fields, key)? {
            Json::Object(object) => Some(object),
            _ => {
                let message = format!("`{key}` must be a mapping");
                fields.problem(key, message, "write `name: value`, one a line");
                None
            }
        }
    }
}

fn convert(context: &Context<'_>, node: &Node) -> Json {
    match &node.value {
        Value::Scalar { text, plain: false } => Json::String(text.clone()),
        Value::Scalar { text, plain: true } => scalar(node, text),
        Value::List(items) => items.iter().map(|item| convert(context, item)).collect(),
        Value::Map(entries) => {
            let mut object = Map::new();
            for (key, value) in entries {
                let value = convert(context, value);
                if object.insert(key.text.clone(), value).is_some() {
                    context.report(
                        key.at,
                        format!("duplicate key `{}`", key.text),
                        Some("remove one of them".to_owned()),
                    );
                }
            }
            Json::Object(object)
        }
    }
}

/// Converts an unquoted scalar by YAML's core schema.
fn scalar(node: &Node, text: &str) -> Json {
    if node.is_null() {
        return Json::Null;
    }
    match text {
        "true" | "True" | "TRUE" => return Json::Bool(true),
        "false" | "False" | "FALSE" => return Json::Bool(false),
        _ => {}
    }
    let may_be_number = text
        .trim_start_matches(['-', '+'])
        .starts_with(|c: char| c.is_ascii_digit() || c == '.');
    let number = || {
        let digits = text.strip_prefix('+').unwrap_or(text);
        let whole = digits.parse::<i64>().map(Number::from).ok();
        whole.or_else(|| digits.parse::<f64>().ok().and_then(Number::from_f64))
    };
    match may_be_number.then(number).flatten() {
        Some(number) => Json::Number(number),
        None => Json::String(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::context::Variables;
    use crate::references::References;
    use crate::settings::Environment;
    use crate::yaml;

    #[test]
    fn values_keep_their_types() {
        let text = "{a: 1, b: -2.5, c: true, d: ~, e: '1', f: [x, 1e3], g: {h: '${HOME}'}, i: 1.2.3, j: .5, k: 007}";
        let environment = Environment::from_pairs([("HOME", "/secret")]);
        let references = References::default();
        let context = Context::new("f", text, &environment, Variables::Required, &references);
        let node = yaml::parse(text).expect("YAML").expect("a document");
        assert_eq!(
            convert(&context, &node),
            json!({"a": 1, "b": -2.5, "c": true, "d": null, "e": "1", "f": ["x", 1000.0], "g": {"h": "${HOME}"},
                   "i": "1.2.3", "j": 0.5, "k": 7})
        );
    }
}
