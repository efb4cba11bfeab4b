//! Containers and volumes of a description.

use serde_json::{Value, json};

use super::super::tree::Section;
use super::{children, object, value};

/// Adds what the specification of a pod says, as far as it is described.
pub(super) fn pod_spec(all: &[Section<'_>], spec: &mut Value) {
    let each = |key: &str, read: fn(&Section<'_>) -> Value| -> Value {
        children(all, key).iter().map(read).collect()
    };
    spec["containers"] = each("Containers", container);
    spec["initContainers"] = each("Init Containers", container);
    spec["volumes"] = each("Volumes", volume);
}

/// The states of containers.
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

/// `NAME: value`, or `NAME: <set to the key 'k' in secret 's'>`.
fn setting(section: &Section<'_>) -> Value {
    let (name, value) = (section.key, section.value);
    let quoted: Vec<&str> = value.split('\'').collect();
    let [before, key, of, object, ..] = quoted.as_slice() else {
        return json!({"name": name, "value": value});
    };
    let field = match of.contains("secret") {
        _ if !before.starts_with("<set to the key") => return json!({"name": name, "value": value}),
        true => "secretKeyRef",
        false => "configMapKeyRef",
    };
    let optional = value.contains("Optional: true");
    json!({"name": name, "valueFrom": {field: {"name": object, "key": key, "optional": optional}}})
}

/// `name  ConfigMap  Optional: false`.
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
    let parts = &section.children;
    let optional = value(parts, "Optional") == "true";
    match value(parts, "Type").split(' ').next() {
        Some("PersistentVolumeClaim") => {
            json!({"persistentVolumeClaim": {"claimName": value(parts, "ClaimName")}})
        }
        Some("ConfigMap") => {
            json!({"configMap": {"name": value(parts, "Name"), "optional": optional}})
        }
        Some("Secret") => {
            json!({"secret": {"secretName": value(parts, "SecretName"), "optional": optional}})
        }
        _ => json!({}),
    }
}
