//! Finds objects in JSON and YAML, as the Kubernetes API writes them or flattened by a server.

use serde_json::{Value, json};

use super::fields;
use crate::kind::canonical;
use crate::source::Hints;

/// Maximum depth of nested lists that are searched.
const DEEPEST: usize = 4;

/// Returns all objects in a value: the value itself, its `items`, or lists under the name of a kind.
pub(super) fn objects(value: Value, hints: Hints<'_>) -> Vec<Value> {
    collect(value, hints, 0)
}

fn collect(value: Value, hints: Hints<'_>, depth: usize) -> Vec<Value> {
    match value {
        Value::Array(items) if depth < DEEPEST => {
            let items = items.into_iter();
            items
                .flat_map(|item| collect(item, hints, depth + 1))
                .collect()
        }
        Value::Object(_) => object(value, hints, depth),
        _ => Vec::new(),
    }
}

fn object(mut value: Value, hints: Hints<'_>, depth: usize) -> Vec<Value> {
    let of_kind = |kind| Hints { kind, ..hints };
    let own = value["kind"].as_str().map(str::to_owned);
    if value["items"].is_array() {
        let of_list = own.as_deref().and_then(|own| own.strip_suffix("List"));
        let kind = of_list.and_then(canonical).or(hints.kind);
        return collect(value["items"].take(), of_kind(kind), depth + 1);
    }
    let has = |name| value.get(name).is_some();
    let flat = |kind: &str| fields::object("flat", kind, &value, hints);
    if has("InvolvedObject") || has("involved_object") {
        return vec![flat("Event")];
    }
    let own = own.or_else(|| hints.kind.map(str::to_owned));
    if has("metadata") {
        if let Some(own) = own {
            value["kind"] = own.into();
        }
        return vec![value];
    }
    if has("name") {
        return own.iter().map(|kind| flat(kind)).collect();
    }
    let kind_of = |key: &str| canonical(key.rsplit('_').next().unwrap_or_default());
    let lists = value.as_object().into_iter().flatten();
    let lists = lists.filter(|(_, list)| list.is_array());
    let lists = lists.filter_map(|(key, list)| Some((kind_of(key)?, list.clone())));
    let mut lists = lists.peekable();
    if lists.peek().is_some() && depth < DEEPEST {
        let found = lists.flat_map(|(kind, list)| collect(list, of_kind(Some(kind)), depth + 1));
        return found.collect();
    }
    // A part of the object that the call asked for.
    let object = own.and_then(|kind| fragment(&kind, &value, hints));
    object.into_iter().collect()
}

/// Reads an object of which only a part is shown: fields of its specification, its status or its container.
fn fragment(kind: &str, value: &Value, hints: Hints<'_>) -> Option<Value> {
    let name = hints.name?;
    let field = |name| value[name].clone();
    let mut container = value.clone();
    container["name"] = "".into();
    let mut object = json!({"spec": value, "status": value, "subsets": field("subsets")});
    object["kind"] = kind.into();
    object["metadata"] = json!({"name": name, "namespace": hints.namespace});
    object["status"]["phase"] = field("status");
    object["spec"]["containers"] = json!([container]);
    object["spec"]["template"] = json!({"spec": {"containers": [container]}});
    let state = match field("waiting") {
        Value::Null => field("state"),
        waiting => json!({"waiting": waiting}),
    };
    if value.get("lastState").is_some() || !state.is_null() {
        let restarts = field("restartCount");
        object["status"]["containerStatuses"] = json!([{
            "name": "", "ready": false, "restartCount": restarts, "state": state, "lastState": field("lastState"),
        }]);
    }
    Some(object)
}
