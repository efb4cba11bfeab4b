//! Containers, volumes and probes of a description.

use serde_json::{Value, json};

use super::super::pairs;
use super::sections::Section;
use super::{children, lines_of, number, quantities, value};

/// What the specification of a pod says, as far as it is described.
pub(super) fn pod_spec(all: &[Section]) -> Value {
    let containers =
        |key: &str| -> Vec<Value> { children(all, key).iter().map(container).collect() };
    json!({
        "nodeName": value(all, "Node").split('/').next(),
        "serviceAccountName": value(all, "Service Account"),
        "containers": containers("Containers"),
        "initContainers": containers("Init Containers"),
        "nodeSelector": pairs(&lines_of(all, "Node-Selectors")),
        "volumes": children(all, "Volumes").iter().map(volume).collect::<Vec<_>>(),
    })
}

/// The states of containers.
pub(super) fn pod_statuses(all: &[Section], key: &str) -> Value {
    let status = |container: &Section| {
        let parts = &container.children;
        json!({
            "name": container.key, "ready": value(parts, "Ready") == "True",
            "restartCount": number(value(parts, "Restart Count")),
            "state": state(parts, "State"), "lastState": state(parts, "Last State"),
        })
    };
    Value::Array(children(all, key).iter().map(status).collect())
}

fn state(parts: &[Section], key: &str) -> Value {
    let of = children(parts, key);
    let details = json!({
        "reason": value(of, "Reason"), "message": value(of, "Message"), "exitCode": number(value(of, "Exit Code")),
    });
    match value(parts, key) {
        "Waiting" => json!({"waiting": details}),
        "Terminated" => json!({"terminated": details}),
        "Running" => json!({"running": {}}),
        _ => json!({}),
    }
}

fn container(section: &Section) -> Value {
    let parts = &section.children;
    let ports = format!("{},{}", value(parts, "Port"), value(parts, "Ports"));
    let ports = ports.split(',').filter_map(|port| {
        let (port, protocol) = port.trim().split_once('/')?;
        Some(json!({"containerPort": number(port), "protocol": protocol}))
    });
    let mut container = json!({
        "name": section.key, "image": value(parts, "Image"), "ports": ports.collect::<Vec<_>>(),
        "env": children(parts, "Environment").iter().map(variable).collect::<Vec<_>>(),
        "envFrom": children(parts, "Environment Variables from").iter().filter_map(variables_from).collect::<Vec<_>>(),
        "resources": {"limits": quantities(parts, "Limits"), "requests": quantities(parts, "Requests")},
    });
    for (key, field) in [
        ("Liveness", "livenessProbe"),
        ("Readiness", "readinessProbe"),
        ("Startup", "startupProbe"),
    ] {
        if let Some(probe) = probe(value(parts, key)) {
            container[field] = probe;
        }
    }
    container
}

/// `NAME: value`, or `NAME: <set to the key 'k' in secret 's'>`.
fn variable(section: &Section) -> Value {
    let quoted: Vec<&str> = section.value.split('\'').collect();
    match (
        section.value.starts_with("<set to the key"),
        quoted.as_slice(),
    ) {
        (true, [_, key, of, name, ..]) => {
            let field = match of.contains("secret") {
                true => "secretKeyRef",
                false => "configMapKeyRef",
            };
            let optional = section.value.contains("Optional: true");
            json!({"name": section.key, "valueFrom": {field: {"name": name, "key": key, "optional": optional}}})
        }
        _ => json!({"name": section.key, "value": section.value}),
    }
}

/// `name  ConfigMap  Optional: false`.
fn variables_from(section: &Section) -> Option<Value> {
    let mut words = section.raw.split_whitespace();
    let (name, kind) = (words.next()?, words.next()?);
    let optional = section.raw.contains("Optional: true");
    let of = json!({"name": name, "optional": optional});
    match kind {
        "ConfigMap" => Some(json!({"configMapRef": of})),
        "Secret" => Some(json!({"secretRef": of})),
        _ => None,
    }
}

fn volume(section: &Section) -> Value {
    let parts = &section.children;
    let kind = value(parts, "Type");
    let optional = value(parts, "Optional") == "true";
    let name = &section.key;
    match () {
        () if kind.starts_with("PersistentVolumeClaim") => {
            json!({"name": name, "persistentVolumeClaim": {"claimName": value(parts, "ClaimName")}})
        }
        () if kind.starts_with("ConfigMap") => {
            json!({"name": name, "configMap": {"name": value(parts, "Name"), "optional": optional}})
        }
        () if kind.starts_with("Secret") => {
            json!({"name": name, "secret": {"secretName": value(parts, "SecretName"), "optional": optional}})
        }
        () => json!({"name": name}),
    }
}

/// `http-get http://:8080/healthz delay=0s timeout=1s period=10s #success=1 #failure=3`.
fn probe(text: &str) -> Option<Value> {
    let mut words = text.split_whitespace();
    let (how, target) = (words.next()?, words.next().unwrap_or_default());
    let port = |text: &str| match number(text) {
        Value::Null => Value::from(text),
        number => number,
    };
    let timing = |name: &str| {
        let word = text
            .split_whitespace()
            .find_map(|word| word.strip_prefix(name));
        word.map_or(Value::Null, |word| number(word.trim_end_matches('s')))
    };
    let mut probe = match how {
        "http-get" => {
            let (scheme, rest) = target.split_once("://:").unwrap_or(("http", target));
            let (number, path) = rest.split_once('/').unwrap_or((rest, ""));
            json!({"httpGet": {"scheme": scheme, "port": port(number), "path": format!("/{path}")}})
        }
        "tcp-socket" => json!({"tcpSocket": {"port": port(target.trim_start_matches(':'))}}),
        "grpc" => json!({"grpc": {}}),
        _ => json!({"exec": {}}),
    };
    probe["initialDelaySeconds"] = timing("delay=");
    probe["timeoutSeconds"] = timing("timeout=");
    probe["periodSeconds"] = timing("period=");
    probe["failureThreshold"] = timing("#failure=");
    Some(probe)
}
