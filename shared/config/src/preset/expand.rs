//! Expands the entry of a server with `preset`, as if every key were written out.

use super::{Destination, KEYS, Package, Preset};
use crate::fields::Fields;
use crate::problem::Position;
use crate::suggest;
use crate::yaml::{Key, Node, Value};

type Entries = Vec<(Key, Node)>;

/// Sections that are merged key by key; what the person wrote wins. Any other key replaces the preset's value entirely.
const JOINED: [&str; 3] = ["connection_params", "data_masking", "tool_effects"];

/// Returns the preset that the mapping names, and the mapping with the preset's values filled in. A disabled server
/// needs no keys.
pub(crate) fn expand(fields: &Fields<'_>, enabled: bool) -> Option<(&'static str, Entries)> {
    let named = fields.choice("preset", &super::NAMES);
    let given: Vec<&'static str> = KEYS
        .into_iter()
        .filter(|&key| fields.text(key).is_some())
        .collect();
    let Some(preset) = named.and_then(super::preset) else {
        if !fields.has("preset") {
            refuse_without_preset(fields, &given);
        }
        return None;
    };
    let at = fields.position();
    let written = |key: &str| entry(fields.entries(), key);
    let own = written("connection_params");
    refuse_foreign(fields, preset, &given, own);
    if enabled {
        require_keys(fields, preset, own);
    }
    let mut entries: Entries = fields.entries().to_vec();
    entries.retain(|(key, node)| {
        let key = key.text.as_str();
        key != "preset" && !KEYS.contains(&key) && !JOINED.contains(&key) && !node.is_null()
    });
    for (key, node) in [
        ("server_type", scalar(at, &preset.server_type)),
        ("instructions", scalar(at, &preset.instructions)),
        ("allowed_tools", list(at, &preset.tools)),
    ] {
        if written(key).is_none() {
            entries.push((key_at(at, key), node));
        }
    }
    let effects = preset
        .effects()
        .map(|(tool, effect)| (key_at(at, tool), scalar(at, effect.as_str())));
    let groups = (key_at(at, "pattern_groups"), list(at, &preset.masking));
    let connection = match own {
        Some(own) if has(own, "url") => own.clone(),
        own => merge(connection(fields, preset), own),
    };
    entries.extend([
        (key_at(at, "connection_params"), connection),
        (
            key_at(at, "tool_effects"),
            merge(map(at, effects.collect()), written("tool_effects")),
        ),
        (
            key_at(at, "data_masking"),
            merge(map(at, vec![groups]), written("data_masking")),
        ),
    ]);
    Some((preset.name, entries))
}

/// Reports keys of presets on a server without a preset.
fn refuse_without_preset(fields: &Fields<'_>, given: &[&'static str]) {
    for key in given {
        let hint = match *key {
            "url" => "write it in `connection_params`, or name the server's `preset`",
            _ => {
                "name the server's `preset`; without one, values go to `env`, `headers` or `bearer_token` of `connection_params`"
            }
        };
        fields.problem(
            key,
            format!("`{key}` belongs to a preset, and the server names none"),
            hint,
        );
    }
}

/// Reports keys that the preset does not accept, or that would have no effect.
fn refuse_foreign(
    fields: &Fields<'_>,
    preset: &Preset,
    given: &[&'static str],
    own: Option<&Node>,
) {
    let taken: Vec<&str> = preset.keys.iter().map(|key| key.key).collect();
    let is_endpoint = own.is_some_and(|own| has(own, "url"));
    for key in given {
        if !taken.contains(key) {
            let message = format!("preset `{}` takes no `{key}`", preset.name);
            fields.problem(key, message, &suggest::known(key, &taken));
        } else if is_endpoint {
            let message = format!("`{key}` has no effect with `url` in `connection_params`");
            fields.problem(
                key,
                message,
                "the server at that address has settings of its own; remove the key",
            );
        }
    }
}

/// Reports required keys that are missing. A server at the person's own endpoint needs none of them.
fn require_keys(fields: &Fields<'_>, preset: &Preset, own: Option<&Node>) {
    if own.is_some_and(|own| has(own, "url")) {
        return;
    }
    let own_env = own.and_then(|own| member(own, "env"));
    for key in preset.keys.iter().filter(|key| key.required) {
        let in_env = match &key.goes_to {
            Destination::Env(variable) => own_env.is_some_and(|env| has(env, variable)),
            Destination::Argument(_) => own.is_some_and(|own| has(own, "args")),
        };
        if !fields.has(key.key) && !in_env {
            let hint = format!("{}: `{}: \"${{{}}}\"`", key.about, key.key, key.variable());
            fields.problem_here(
                format!("preset `{}` requires `{}`", preset.name, key.key),
                &hint,
            );
        }
    }
}

/// Builds the preset's `connection_params`, with the values that the person set.
fn connection(fields: &Fields<'_>, preset: &Preset) -> Node {
    let at = fields.position();
    let package: &Package = &preset.package;
    let (command, mut args) = package.command(fields.context().env);
    args.extend(preset.args.iter().cloned());
    let mut args: Vec<Node> = args.iter().map(|arg| scalar(at, arg)).collect();
    let fixed = preset.env.iter();
    let mut env: Entries = fixed
        .map(|(name, value)| (key_at(at, name), scalar(at, value)))
        .collect();
    for key in &preset.keys {
        let Some(value) = entry(fields.entries(), key.key) else {
            continue;
        };
        match &key.goes_to {
            Destination::Env(name) => env.push((key_at(value.at, name), value.clone())),
            Destination::Argument(flag) => args.extend([scalar(value.at, flag), value.clone()]),
        }
    }
    let timeout = format!("{}s", preset.timeout.as_secs());
    map(
        at,
        vec![
            (key_at(at, "command"), scalar(at, &command)),
            (
                key_at(at, "args"),
                Node {
                    at,
                    value: Value::List(args),
                },
            ),
            (key_at(at, "env"), map(at, env)),
            (key_at(at, "timeout"), scalar(at, &timeout)),
        ],
    )
}

/// Merges `own` into `base`: its members win. Nested mappings are merged in the same way.
fn merge(base: Node, own: Option<&Node>) -> Node {
    let Some(own) = own else { return base };
    let (Value::Map(mut entries), Value::Map(members)) = (base.value, &own.value) else {
        // Not a mapping: the reader reports that at its position.
        return own.clone();
    };
    for (key, node) in members.iter().filter(|(_, node)| !node.is_null()) {
        match entries.iter_mut().find(|(other, _)| other.text == key.text) {
            Some((place, value)) => {
                let is_map = matches!((&value.value, &node.value), (Value::Map(_), Value::Map(_)));
                *value = match is_map {
                    true => merge(value.clone(), Some(node)),
                    false => node.clone(),
                };
                *place = key.clone();
            }
            None => entries.push((key.clone(), node.clone())),
        }
    }
    map(own.at, entries)
}

fn member<'n>(node: &'n Node, key: &str) -> Option<&'n Node> {
    match &node.value {
        Value::Map(entries) => entry(entries, key),
        _ => None,
    }
}

/// Returns the value of a key that is set and not null.
fn entry<'n>(entries: &'n [(Key, Node)], key: &str) -> Option<&'n Node> {
    let found = entries
        .iter()
        .find(|(k, node)| k.text == key && !node.is_null());
    found.map(|(_, node)| node)
}

fn has(node: &Node, key: &str) -> bool {
    member(node, key).is_some()
}

fn key_at(at: Position, text: &str) -> Key {
    Key {
        at,
        text: text.to_owned(),
    }
}

/// Builds a quoted text, which is never read as null.
fn scalar(at: Position, text: &str) -> Node {
    Node {
        at,
        value: Value::Scalar {
            text: text.to_owned(),
            plain: false,
        },
    }
}

fn list(at: Position, texts: &[String]) -> Node {
    let items = texts.iter().map(|text| scalar(at, text)).collect();
    Node {
        at,
        value: Value::List(items),
    }
}

fn map(at: Position, entries: Entries) -> Node {
    Node {
        at,
        value: Value::Map(entries),
    }
}
