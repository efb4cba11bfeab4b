//! Converts parts of results to fields of the API.

use serde_json::{Value, json};

use super::{leading_number, pairs};

/// Returns the text of a part, and of the lines below it in a description.
pub(super) fn text(part: &Value) -> &str {
    let text = part.get("").unwrap_or(part);
    text.as_str().unwrap_or_default()
}

/// Returns the items of a list, or the lines below a line of a description with their keys.
pub(super) fn below(part: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let items = part.as_array().into_iter().flatten();
    let lines = part.as_object().into_iter().flatten();
    let lines = lines.map(|(key, line)| (key.as_str(), line));
    let lines = lines.filter(|(key, _)| !key.is_empty());
    items.map(|item| ("", item)).chain(lines)
}

/// Reads the number before a word: `3 desired | 3 updated`, or `1 Running / 0 Waiting`.
pub(super) fn count(text: &str, sign: char, word: &str) -> Value {
    let part = text.split(sign).find(|part| part.contains(word));
    leading_number(part.unwrap_or_default().trim())
}

pub(super) fn condition(of: &str, is: bool) -> Value {
    json!([{"type": of, "status": if is { "True" } else { "False" }}])
}

/// Parses `80/TCP,8443:30001/TCP`.
pub(super) fn ports(text: &str, field: &str) -> Value {
    let ports = text.split(',').filter_map(|port| {
        let (number, protocol) = port.trim().split_once('/')?;
        Some(json!({field: leading_number(number), "protocol": protocol}))
    });
    ports.collect()
}

/// Expands access modes, which `kubectl describe` abbreviates.
pub(super) fn modes(text: &str) -> Value {
    let modes = text.split(',').map(|mode| match mode.trim() {
        "RWO" => "ReadWriteOnce",
        "ROX" => "ReadOnlyMany",
        "RWX" => "ReadWriteMany",
        other => other,
    });
    modes.filter(|mode| !mode.is_empty()).collect()
}

/// Parses `http-get http://:8080/healthz delay=0s timeout=1s period=10s #success=1 #failure=3`.
pub(super) fn probe(text: &str) -> Value {
    let mut words = text.split_whitespace();
    let (how, target) = (words.next(), words.next().unwrap_or_default());
    let address = target.split_once("://:").map_or(target, |(_, rest)| rest);
    let place = address.split('/').next().unwrap_or_default();
    let place = port(place.trim_start_matches(':'));
    match how {
        Some("http-get") => json!({"httpGet": {"port": place}}),
        Some("tcp-socket") => json!({"tcpSocket": {"port": place}}),
        Some(_) => json!({}),
        None => Value::Null,
    }
}

/// Reads a port: its number or its name.
pub(super) fn port(text: &str) -> Value {
    text.parse::<i64>()
        .map_or_else(|_| text.into(), Value::from)
}

/// Parses `NAME: value`, or `NAME: <set to the key 'k' in secret 's'>`.
pub(super) fn setting((name, value): (&str, &Value)) -> Value {
    let value = text(value);
    let quoted: Vec<&str> = value.split('\'').collect();
    match quoted.as_slice() {
        [before, key, of, object, ..] if before.starts_with("<set to the key") => {
            let field = match of.contains("secret") {
                true => "secretKeyRef",
                false => "configMapKeyRef",
            };
            let optional = value.contains("Optional: true");
            let reference = json!({"name": object, "key": key, "optional": optional});
            json!({"name": name, "valueFrom": {field: reference}})
        }
        _ => json!({"name": name, "value": value.lines().next()}),
    }
}

/// Parses `name  ConfigMap  Optional: false`.
pub(super) fn source((key, optional): (&str, &Value)) -> Option<Value> {
    let mut words = key.split_whitespace();
    let name = words.next()?;
    let field = match words.next()? {
        "ConfigMap" => "configMapRef",
        "Secret" => "secretRef",
        _ => return None,
    };
    Some(json!({field: {"name": name, "optional": *optional == "true"}}))
}

pub(super) fn policy(spec: &Value) -> Value {
    // The rules of a direction: no rule if it is isolated, otherwise one empty rule that stands for allowed traffic.
    let rules = |direction: &str| {
        let below = text(&spec[format!("Allowing {direction} traffic")]);
        let is_closed = below.contains("isolated for");
        Vec::from_iter((!is_closed).then(|| json!({})))
    };
    let selector = text(&spec["PodSelector"]).split('(').next();
    json!({
        "podSelector": {"matchLabels": pairs(selector.unwrap_or_default(), '=')},
        "policyTypes": text(&spec["Policy Types"]).split(", ").collect::<Vec<_>>(),
        "egress": rules("egress"), "ingress": rules("ingress"),
    })
}
