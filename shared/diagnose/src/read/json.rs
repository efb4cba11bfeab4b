//! Finds objects in JSON and YAML, as the Kubernetes API writes them or flattened by a server.

use serde_json::{Map, Value, json};

use super::{fields, get, namespace_or, reference};
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
        Value::Object(map) => object(map, hints, depth),
        _ => Vec::new(),
    }
}

fn object(mut map: Map<String, Value>, hints: Hints<'_>, depth: usize) -> Vec<Value> {
    let of_kind = |kind| Hints { kind, ..hints };
    let own = map.get("kind").and_then(Value::as_str).map(str::to_owned);
    if let Some(items) = map.remove("items").filter(Value::is_array) {
        let of_list = own.as_deref().and_then(|own| own.strip_suffix("List"));
        let kind = of_list.and_then(canonical).or(hints.kind);
        return collect(items, of_kind(kind), depth + 1);
    }
    if map.contains_key("InvolvedObject") || map.contains_key("involved_object") {
        return vec![event(&map, hints)];
    }
    let own = own.or_else(|| hints.kind.map(str::to_owned));
    if map.contains_key("metadata") {
        map.extend(own.map(|own| ("kind".to_owned(), own.into())));
        return vec![map.into()];
    }
    if map.contains_key("name") {
        let object = own.map(|kind| flattened(&kind, &map, hints));
        return object.into_iter().collect();
    }
    let kind_of = |key: &str| canonical(key.rsplit('_').next().unwrap_or_default());
    let lists = map.iter().filter(|(_, list)| list.is_array());
    let mut lists = lists
        .filter_map(|(key, list)| Some((kind_of(key)?, list.clone())))
        .peekable();
    if lists.peek().is_some() && depth < DEEPEST {
        return lists
            .flat_map(|(kind, list)| collect(list, of_kind(Some(kind)), depth + 1))
            .collect();
    }
    // A part of the object that the call asked for.
    let object = own.and_then(|kind| fragment(&kind, &map, hints));
    object.into_iter().collect()
}

fn member(map: &Map<String, Value>) -> impl Fn(&str) -> Value {
    |name| map.get(name).cloned().unwrap_or_default()
}

/// Reads an event of a server that uses its own names of fields.
fn event(map: &Map<String, Value>, hints: Hints<'_>) -> Value {
    let namespace = namespace_or(get(map, &["Namespace", "namespace"]), hints);
    let about = match (map.get("InvolvedObject"), map.get("involved_object")) {
        (Some(Value::Object(about)), _) => json!({
            "kind": get(about, &["Kind", "kind"]), "name": get(about, &["Name", "name"]),
            "namespace": namespace,
        }),
        (_, Some(Value::String(about))) => reference(about, namespace),
        _ => Value::Null,
    };
    let (reason, message) = (["Reason", "reason"], ["Message", "message"]);
    let mut event = super::event(get(map, &reason), get(map, &message), about);
    let count = map.get("Count").or_else(|| map.get("count"));
    event["count"] = count.cloned().into();
    event
}

/// Reads a flattened object, with all fields at the top level.
fn flattened(kind: &str, map: &Map<String, Value>, hints: Hints<'_>) -> Value {
    let mut object = fields::object("flat", kind, member(map));
    match kind {
        "Pod" => object["status"]["containerStatuses"] = statuses(&member(map)("containers")),
        "Node" => object["status"]["conditions"] = node_conditions(map).into(),
        _ => {}
    }
    object["kind"] = kind.into();
    object["metadata"] = json!({
        "name": get(map, &["name"]),
        "namespace": namespace_or(get(map, &["namespace"]), hints),
        "deletionTimestamp": member(map)("deletion_timestamp"),
    });
    object
}

fn node_conditions(map: &Map<String, Value>) -> Vec<Value> {
    let fields = [
        ("Ready", "ready"),
        ("MemoryPressure", "memory_pressure"),
        ("DiskPressure", "disk_pressure"),
        ("PIDPressure", "pid_pressure"),
    ];
    let stated = fields.map(|(condition, field)| (condition, get(map, &[field])));
    let stated = stated.iter().filter(|(_, status)| !status.is_empty());
    stated
        .map(|(condition, status)| json!({"type": condition, "status": status}))
        .collect()
}

/// Reads an object of which only a part is shown: fields of its specification, its status or its container.
fn fragment(kind: &str, map: &Map<String, Value>, hints: Hints<'_>) -> Option<Value> {
    let name = hints.name?;
    let field = member(map);
    let mut container = json!(map);
    container["name"] = "".into();
    let mut object = json!({"spec": map, "status": map, "subsets": field("subsets")});
    object["kind"] = kind.into();
    object["metadata"] = json!({"name": name, "namespace": hints.namespace});
    object["status"]["phase"] = field("status");
    object["spec"]["containers"] = json!([container]);
    object["spec"]["template"] = json!({"spec": {"containers": [container]}});
    let state = match field("waiting") {
        Value::Null => field("state"),
        waiting => json!({"waiting": waiting}),
    };
    if map.contains_key("lastState") || !state.is_null() {
        let restarts = field("restartCount");
        object["status"]["containerStatuses"] = json!([{
            "name": "", "ready": false, "restartCount": restarts, "state": state, "lastState": field("lastState"),
        }]);
    }
    Some(object)
}

fn statuses(containers: &Value) -> Value {
    let status = |container: &Value| {
        let member = |part: &Value, name: &str| part.get(name).cloned().unwrap_or_default();
        let state = &container["state"];
        let details = fields::object("flat", "State", |name| member(state, name));
        let mut status = fields::object("flat", "Status", |name| member(container, name));
        for of in ["waiting", "terminated"] {
            if state[of] == true {
                status["state"][of] = details.clone();
            }
        }
        status
    };
    let all = containers.as_array().into_iter().flatten();
    all.map(status).collect()
}
