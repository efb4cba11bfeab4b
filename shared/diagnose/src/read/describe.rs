//! Reads the text of `kubectl describe` as objects of the API.

use serde_json::{Value, json};

use super::convert::{self, text};
use super::{cells, event, fields, leading_number, tree};
use crate::fields::Fields as _;
use crate::source::Hints;

/// Returns the objects that a text describes, and their events.
pub(super) fn objects(text: &str, hints: Hints<'_>) -> Vec<Value> {
    let objects = tree::descriptions(text).into_iter();
    objects.flat_map(|all| described(&all, hints)).collect()
}

fn described(all: &Value, hints: Hints<'_>) -> Vec<Value> {
    let kind = fields::kind_of(all).or(hints.kind).unwrap_or("Unknown");
    let mut object = fields::object("described", kind, all, hints);
    object["status"]["conditions"] = conditions(all, kind);
    let metadata = &object["metadata"];
    let mut found = events(all, kind, metadata);
    if kind == "Service" {
        found.push(json!({
            "kind": "Endpoints", "metadata": metadata,
            "shown": match text(&all["Endpoints"]) { "" => "<none>", some => some },
        }));
        object["spec"]["ports"] = service_ports(all);
    }
    found.push(object);
    found
}

/// Returns the lines below a key, split into cells.
fn rows<'t>(all: &'t Value, key: &str) -> impl Iterator<Item = Vec<&'t str>> {
    text(&all[key]).lines().map(cells)
}

fn events(all: &Value, kind: &str, metadata: &Value) -> Vec<Value> {
    let (name, namespace) = (metadata.text("/name"), metadata.text("/namespace"));
    let about = json!({"kind": kind, "name": name});
    let rows = rows(all, "Events");
    let rows = rows.filter(|row| row.len() >= 5 && ["Warning", "Normal"].contains(&row[0]));
    rows.map(|row| {
        let mut event = event(row[1], &row[4..].join("  "), &about, namespace);
        // The number of occurrences: `3m (x14 over 1h)`.
        let times = row[2].split_once("(x").map(|(_, times)| times);
        event["count"] = times.map(leading_number).into();
        event
    })
    .collect()
}

fn conditions(all: &Value, kind: &str) -> Value {
    let rows = rows(all, "Conditions");
    let rows = rows.filter(|row| row.len() >= 2 && row[0] != "Type" && !row[0].starts_with('-'));
    rows.map(|row| {
        // Conditions of nodes have two times before the reason.
        let has_times = kind == "Node" && row.len() >= 6;
        let reason = if has_times { 4 } else { 2 };
        let message = row.get(reason + 1..).unwrap_or_default().join(" ");
        json!({"type": row[0], "status": row[1], "reason": row.get(reason), "message": message})
    })
    .collect()
}

fn service_ports(all: &Value) -> Value {
    let targets = text(&all["TargetPort"]).lines();
    let ports = text(&all["Port"]).lines().zip(targets);
    let ports = ports.filter_map(|(port, target)| {
        let port = cells(port).pop()?;
        let (number, protocol) = port.split_once('/').unwrap_or((port, "TCP"));
        let target = convert::port(target.split('/').next().unwrap_or_default());
        let number = leading_number(number);
        Some(json!({"port": number, "protocol": protocol, "targetPort": target}))
    });
    ports.collect()
}
