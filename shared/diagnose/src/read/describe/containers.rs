//! Reads containers and volumes of a description.

use serde_json::{Value, json};

use super::super::{fields, tree::Section};
use super::{children, object, text, value};

/// Adds the containers and volumes that are described to the specification of a pod.
pub(super) fn pod_spec(all: &[Section<'_>], spec: &mut Value) {
    let each = |key: &str, read: fn(&Section<'_>) -> Value| -> Value {
        children(all, key).iter().map(read).collect()
    };
    spec["containers"] = each("Containers", container);
    spec["initContainers"] = each("Init Containers", container);
    spec["volumes"] = each("Volumes", volume);
}

/// Returns the statuses of containers.
pub(super) fn statuses(all: &[Section<'_>], key: &str) -> Value {
    let state = |parts: &[Section<'_>], key: &str| {
        let state = value(parts, key).to_ascii_lowercase();
        json!({state: object("State", children(parts, key))})
    };
    let status = |container: &Section<'_>| {
        let mut status = object("Status", &container.children);
        status["name"] = container.key.into();
        status["state"] = state(&container.children, "State");
        status["lastState"] = state(&container.children, "Last State");
        status
    };
    children(all, key).iter().map(status).collect()
}

fn container(section: &Section<'_>) -> Value {
    let parts = &section.children;
    let settings = children(parts, "Environment").iter();
    let sources = children(parts, "Environment Variables from").iter();
    let mut container = object("Container", parts);
    container["name"] = section.key.into();
    container["env"] = settings.map(setting).collect();
    container["envFrom"] = sources.filter_map(source).collect();
    container
}

/// Parses `NAME: value`, or `NAME: <set to the key 'k' in secret 's'>`.
fn setting(section: &Section<'_>) -> Value {
    let (name, value) = (section.key, section.value);
    let quoted: Vec<&str> = value.split('\'').collect();
    match quoted.as_slice() {
        [before, key, of, object, ..] if before.starts_with("<set to the key") => {
            let is_secret = of.contains("secret");
            let field = if is_secret {
                "secretKeyRef"
            } else {
                "configMapKeyRef"
            };
            let optional = value.contains("Optional: true");
            let reference = json!({"name": object, "key": key, "optional": optional});
            json!({"name": name, "valueFrom": {field: reference}})
        }
        _ => json!({"name": name, "value": value}),
    }
}

/// Parses `name  ConfigMap  Optional: false`.
fn source(section: &Section<'_>) -> Option<Value> {
    let mut words = section.raw.split_whitespace();
    let name = words.next()?;
    let field = match words.next()? {
        "ConfigMap" => "configMapRef",
        "Secret" => "secretRef",
        _ => return None,
    };
    let optional = section.raw.contains("Optional: true");
    Some(json!({field: {"name": name, "optional": optional}}))
}

fn volume(section: &Section<'_>) -> Value {
    let kind = value(&section.children, "Type").split(' ').next();
    let get = |key: &str| text(&section.children, key).into();
    fields::object("volume", kind.unwrap_or_default(), get)
}
