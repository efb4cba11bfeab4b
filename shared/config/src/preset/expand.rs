//! Expands the entry of a server with `preset`, as if every key were written out.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};

use super::{Destination, KEYS, Preset, SERVER, is_key};
use crate::fields::{Field, Fields};
use crate::problem::Position;
use crate::suggest;
use crate::yaml::{Key, Node, Value, entry};

type Entries = Vec<(Key, Node)>;

/// Returns the preset that the mapping names, and the mapping with the preset's values filled in. What the person wrote
/// wins. A disabled server needs no keys.
pub(crate) fn expand(fields: &Fields<'_>, enabled: bool) -> Option<(&'static str, Entries)> {
    let named = fields.get(SERVER.preset);
    let given = KEYS.into_iter().filter(|key| fields.get(*key).is_some());
    let given: Vec<&str> = given.map(Field::name).collect();
    let Some(preset) = named.and_then(super::preset) else {
        if !fields.has(SERVER.preset) {
            refuse_without_preset(fields, &given);
        }
        return None;
    };
    let own = entry(fields.entries(), SERVER.connection_params.name());
    // A server at the person's own endpoint needs none of the preset's keys.
    let is_endpoint = own.is_some_and(|own| has(own, "url"));
    refuse_foreign(fields, preset, &given, is_endpoint);
    if enabled && !is_endpoint {
        require_keys(fields, preset, own);
    }
    let effects: BTreeMap<_, _> = preset.effects().collect();
    let mut usual = json!({
        "server_type": preset.server_type,
        "instructions": preset.instructions,
        "allowed_tools": preset.tools,
        "tool_effects": effects,
        "data_masking": {"pattern_groups": preset.masking},
    });
    if !is_endpoint {
        usual["connection_params"] = connection(fields, preset);
    }
    let Value::Map(mut entries) = node(fields.position(), usual).value else {
        return None;
    };
    merge(&mut entries, fields.entries());
    entries.retain(|(key, _)| key.text != SERVER.preset.name() && !is_key(&key.text));
    Some((preset.name, entries))
}

/// Reports keys of presets on a server without a preset.
fn refuse_without_preset(fields: &Fields<'_>, given: &[&str]) {
    for key in given {
        let hint = match *key {
            "url" => "write it in `connection_params`, or name the server's `preset`",
            _ => {
                "name the server's `preset`; without one, values go to `env`, `headers` or `bearer_token` of `connection_params`"
            }
        };
        let message = format!("`{key}` belongs to a preset, and the server names none");
        fields.problem(key, message, hint);
    }
}

/// Reports keys that the preset does not accept, or that would have no effect.
fn refuse_foreign(fields: &Fields<'_>, preset: &Preset, given: &[&str], is_endpoint: bool) {
    let taken: Vec<&str> = preset.keys.iter().map(|key| key.key.as_str()).collect();
    for key in given {
        if !taken.contains(key) {
            let message = format!("preset `{}` takes no `{key}`", preset.name);
            fields.problem(key, message, &suggest::known(key, &taken));
        } else if is_endpoint {
            let message = format!("`{key}` has no effect with `url` in `connection_params`");
            let hint = "the server at that address has settings of its own; remove the key";
            fields.problem(key, message, hint);
        }
    }
}

/// Reports required keys that are neither set nor passed by the person's own `connection_params`.
fn require_keys(fields: &Fields<'_>, preset: &Preset, own: Option<&Node>) {
    let own_env = own.and_then(|own| member(own, "env"));
    for key in preset.keys.iter().filter(|key| key.required) {
        let in_env = match &key.goes_to {
            Destination::Env(variable) => own_env.is_some_and(|env| has(env, variable)),
            Destination::Argument(_) => own.is_some_and(|own| has(own, "args")),
        };
        if !fields.has(&key.key) && !in_env {
            let message = format!("preset `{}` requires `{}`", preset.name, key.key);
            let hint = format!("{}: `{}: \"${{{}}}\"`", key.about, key.key, key.variable());
            fields.problem_here(message, &hint);
        }
    }
}

/// Builds the preset's `connection_params`, with the values that the person set.
fn connection(fields: &Fields<'_>, preset: &Preset) -> Json {
    let (command, mut args) = preset.package.command(fields.context().env);
    args.extend(preset.args.iter().cloned());
    let mut env = preset.env.clone();
    for key in &preset.keys {
        let value = entry(fields.entries(), &key.key).map(|node| &node.value);
        match (&key.goes_to, value) {
            (Destination::Env(name), Some(Value::Scalar { text, .. })) => {
                env.insert(name.clone(), text.clone());
            }
            (Destination::Argument(flag), Some(Value::Scalar { text, .. })) => {
                args.extend([flag.clone(), text.clone()]);
            }
            // It is missing, or was reported because it is not a single value.
            _ => {}
        }
    }
    let timeout = format!("{}s", preset.timeout.as_secs());
    json!({"command": command, "args": args, "env": env, "timeout": timeout})
}

/// Merges `own` into `base`: its members win. Nested mappings are merged in the same way.
fn merge(base: &mut Entries, own: &[(Key, Node)]) {
    for (key, node) in own.iter().filter(|(_, node)| !node.is_null()) {
        let Some((place, value)) = base.iter_mut().find(|(other, _)| other.text == key.text) else {
            base.push((key.clone(), node.clone()));
            continue;
        };
        (*place, value.at) = (key.clone(), node.at);
        match (&mut value.value, &node.value) {
            (Value::Map(entries), Value::Map(members)) => merge(entries, members),
            _ => *value = node.clone(),
        }
    }
}

fn member<'n>(node: &'n Node, key: &str) -> Option<&'n Node> {
    match &node.value {
        Value::Map(entries) => entry(entries, key),
        _ => None,
    }
}

fn has(node: &Node, key: &str) -> bool {
    member(node, key).is_some()
}

/// Converts JSON to a node. Its texts are quoted, so that none is read as null.
fn node(at: Position, json: Json) -> Node {
    let value = match json {
        Json::Array(items) => Value::List(items.into_iter().map(|item| node(at, item)).collect()),
        Json::Object(members) => {
            let entry = |(text, json)| (Key { at, text }, node(at, json));
            Value::Map(members.into_iter().map(entry).collect())
        }
        Json::String(text) => Value::Scalar { text, plain: false },
        other => Value::Scalar {
            text: other.to_string(),
            plain: true,
        },
    };
    Node { at, value }
}
