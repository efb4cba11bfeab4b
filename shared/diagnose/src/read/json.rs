//! Objects out of JSON and YAML: of the Kubernetes API, or of servers that flatten it.

use serde_json::{Map, Value, json};

use super::{get, namespace_or, reference};
use crate::kind::canonical;
use crate::source::Hints;

/// All objects in a value: it, its `items`, or lists under the name of a kind.
pub(super) fn objects(value: Value, hints: Hints<'_>) -> Vec<Value> {
    let mut found = Vec::new();
    collect(value, hints.kind, hints, &mut found, 0);
    found
}

fn collect(
    value: Value,
    kind: Option<&'static str>,
    hints: Hints<'_>,
    found: &mut Vec<Value>,
    depth: usize,
) {
    match value {
        Value::Array(items) if depth < 4 => {
            for item in items {
                collect(item, kind, hints, found, depth + 1);
            }
        }
        Value::Object(map) => object(map, kind, hints, found, depth),
        _ => {}
    }
}

fn object(
    mut map: Map<String, Value>,
    kind: Option<&'static str>,
    hints: Hints<'_>,
    found: &mut Vec<Value>,
    depth: usize,
) {
    let own = map.get("kind").and_then(Value::as_str).map(str::to_owned);
    if let Some(items) = map.remove("items").filter(Value::is_array) {
        let of_list = own.as_deref().and_then(|own| own.strip_suffix("List"));
        let kind = of_list.and_then(canonical).or(kind);
        return collect(items, kind, hints, found, depth + 1);
    }
    if map.contains_key("InvolvedObject") || map.contains_key("involved_object") {
        found.push(event(&map, hints));
        return;
    }
    let own = own.or_else(|| kind.map(str::to_owned));
    if map.contains_key("metadata") {
        let mut value = Value::Object(map);
        if let Some(own) = own {
            value["kind"] = own.into();
        }
        found.push(value);
        return;
    }
    let lists: Vec<(&'static str, Value)> = map
        .iter()
        .filter(|(_, value)| value.is_array())
        .filter_map(|(key, value)| {
            let word = key.rsplit('_').next().unwrap_or_default();
            Some((canonical(word)?, value.clone()))
        })
        .collect();
    if !map.contains_key("name") && !lists.is_empty() && depth < 4 {
        for (kind, list) in lists {
            collect(list, Some(kind), hints, found, depth + 1);
        }
        return;
    }
    match (own, map.contains_key("name")) {
        (Some(kind), true) => found.push(flattened(&kind, &map, hints)),
        // A part of the object that was asked for.
        (Some(kind), false) => found.extend(fragment(&kind, map, hints)),
        _ => {}
    }
}

fn first(map: &Map<String, Value>, names: &[&str]) -> Value {
    let found = names.iter().find_map(|name| map.get(*name));
    found.cloned().unwrap_or(Value::Null)
}

/// An event of a server that names its fields in its own way.
fn event(map: &Map<String, Value>, hints: Hints<'_>) -> Value {
    let namespace = namespace_or(get(map, &["Namespace", "namespace"]), hints);
    let involved = match (map.get("InvolvedObject"), map.get("involved_object")) {
        (Some(Value::Object(about)), _) => json!({
            "kind": get(about, &["Kind", "kind"]), "name": get(about, &["Name", "name"]),
            "namespace": namespace,
        }),
        (_, Some(Value::String(about))) => reference(about, namespace),
        _ => Value::Null,
    };
    json!({
        "kind": "Event", "involvedObject": involved,
        "type": get(map, &["Type", "type"]),
        "reason": get(map, &["Reason", "reason"]),
        "message": get(map, &["Message", "message"]),
        "count": first(map, &["Count", "count"]),
    })
}

/// An object whose fields are all at its top.
fn flattened(kind: &str, map: &Map<String, Value>, hints: Hints<'_>) -> Value {
    let mut object = match kind {
        "Pod" => json!({
            "spec": {"nodeName": get(map, &["node_name", "node"])},
            "status": {
                "phase": get(map, &["phase", "status"]),
                "conditions": first(map, &["conditions"]),
                "containerStatuses": statuses(&first(map, &["containers"])),
            },
        }),
        "Node" => json!({
            "spec": {"unschedulable": first(map, &["unschedulable"])},
            "status": {"conditions": node_conditions(map), "allocatable": {
                "cpu": get(map, &["allocatable_cpu"]), "memory": get(map, &["allocatable_memory"]),
            }},
        }),
        _ => json!({
            "spec": {"replicas": first(map, &["desired", "replicas"])},
            "status": {
                "phase": get(map, &["phase", "status"]),
                "readyReplicas": first(map, &["ready", "available"]),
            },
        }),
    };
    object["kind"] = kind.into();
    object["metadata"] = json!({
        "name": get(map, &["name"]),
        "namespace": namespace_or(get(map, &["namespace"]), hints),
        "deletionTimestamp": first(map, &["deletion_timestamp"]),
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

/// An object of which only a part is shown: fields of its specification, its status or its container.
fn fragment(kind: &str, map: Map<String, Value>, hints: Hints<'_>) -> Option<Value> {
    let name = hints.name?;
    let field = |name: &str| map.get(name).cloned().unwrap_or(Value::Null);
    let mut container = json!({"name": ""});
    for name in [
        "env",
        "image",
        "livenessProbe",
        "readinessProbe",
        "ports",
        "resources",
    ] {
        container[name] = field(name);
    }
    let mut object = match kind {
        "Pod" => {
            let state = match field("waiting") {
                Value::Null => field("state"),
                waiting => json!({"waiting": waiting}),
            };
            let status = json!({"name": "", "ready": false, "restartCount": field("restartCount"), "state": state, "lastState": field("lastState")});
            let is_status = map.contains_key("lastState") || !status["state"].is_null();
            let statuses = match is_status {
                true => json!([status]),
                false => Value::Null,
            };
            json!({
                "spec": {"containers": [container]},
                "status": {"phase": field("status"), "containerStatuses": statuses, "conditions": field("conditions")},
            })
        }
        "Deployment" => {
            json!({"spec": {"template": {"spec": {"containers": [container]}}, "replicas": field("replicas")}})
        }
        "Service" => json!({"spec": {"selector": field("selector"), "ports": field("ports")}}),
        "Endpoints" => json!({"subsets": field("subsets")}),
        _ => json!({"status": {"phase": field("status"), "conditions": field("conditions")}}),
    };
    object["kind"] = kind.into();
    object["metadata"] = json!({"name": name, "namespace": hints.namespace});
    Some(object)
}

fn statuses(containers: &Value) -> Value {
    let status = |container: &Value| {
        let state = &container["state"];
        let inner = json!({
            "reason": state["reason"], "message": state["message"], "exitCode": state["exit_code"],
        });
        let state = match () {
            () if state["waiting"] == true => json!({"waiting": inner}),
            () if state["terminated"] == true => json!({"terminated": inner}),
            () => json!({"running": {}}),
        };
        json!({
            "name": container["name"], "ready": container["ready"],
            "restartCount": container["restart_count"], "state": state,
        })
    };
    let all = containers.as_array().into_iter().flatten();
    Value::Array(all.map(status).collect())
}
