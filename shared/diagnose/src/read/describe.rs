//! Reads the text of `kubectl describe` as objects of the API.

mod containers;

use serde_json::{Value, json};

use super::tree::{Section, sections};
use super::{cells, event, fields, leading_number, namespace_or, pairs, reference};
use crate::kind::is_workload;
use crate::source::Hints;
use containers::{pod_spec, statuses};

/// Returns the objects that a text describes, and their events.
pub(super) fn objects(text: &str, hints: Hints<'_>) -> Vec<Value> {
    let all = sections(text.lines());
    let is_first = |section: &Section<'_>| section.key == "Name" && section.depth == 0;
    let objects = all.chunk_by(|_, next| !is_first(next));
    let objects = objects.filter(|all| is_first(&all[0]));
    objects.flat_map(|all| described(all, hints)).collect()
}

fn find<'s, 't>(all: &'s [Section<'t>], key: &str) -> Option<&'s Section<'t>> {
    all.iter().find(|section| section.key == key)
}

fn value<'t>(all: &[Section<'t>], key: &str) -> &'t str {
    match find(all, key).map_or("", |section| section.value) {
        "<none>" | "<unset>" | "<nil>" => "",
        text => text,
    }
}

fn children<'s, 't>(all: &'s [Section<'t>], key: &str) -> &'s [Section<'t>] {
    find(all, key).map_or(&[], |section| &section.children)
}

/// Returns the value of a key, and the lines below it.
fn text(all: &[Section<'_>], key: &str) -> String {
    let below = children(all, key).iter().map(|child| child.raw);
    let lines = std::iter::once(value(all, key)).chain(below);
    lines.collect::<Vec<_>>().join("\n")
}

/// Builds an object of a kind from keys that the table of fields lists.
fn object(kind: &str, all: &[Section<'_>]) -> Value {
    fields::object("described", kind, |key| text(all, key).into())
}

fn described(all: &[Section<'_>], hints: Hints<'_>) -> Vec<Value> {
    let name = value(all, "Name");
    let namespace = namespace_or(value(all, "Namespace"), hints);
    let kind = fields::kind_of(|key| find(all, key).is_some()).or(hints.kind);
    let kind = kind.unwrap_or("Unknown");
    let mut found = events(all, kind, name, namespace);
    let mut object = object(kind, all);
    match kind {
        "Pod" => {
            pod_spec(all, &mut object["spec"]);
            object["status"]["containerStatuses"] = statuses(all, "Containers");
            object["status"]["initContainerStatuses"] = statuses(all, "Init Containers");
        }
        "Service" => {
            found.push(json!({
                "kind": "Endpoints", "metadata": {"name": name, "namespace": namespace},
                "shown": match value(all, "Endpoints") { "" => "<none>", some => some },
            }));
            object["spec"]["ports"] = service_ports(all);
        }
        "NetworkPolicy" => object["spec"] = policy(children(all, "Spec")),
        kind if is_workload(kind) => workload(all, &mut object),
        _ => {}
    }
    let status = value(all, "Status");
    let finalizers = value(all, "Finalizers").trim_matches(['[', ']']);
    let is_deleted = status.starts_with("Terminating");
    let owner = Some(value(all, "Controlled By")).filter(|owner| !owner.is_empty());
    object["kind"] = kind.into();
    object["status"]["conditions"] = conditions(all, kind);
    object["metadata"] = json!({
        "name": name, "namespace": namespace, "deletionTimestamp": is_deleted.then_some(status),
        "labels": pairs(&text(all, "Labels"), '='),
        "finalizers": finalizers.split_whitespace().collect::<Vec<_>>(),
        "ownerReferences": Vec::from_iter(owner.map(|owner| reference(owner, namespace))),
    });
    found.push(object);
    found
}

/// Returns the rows below a key, split into cells.
fn rows<'t>(all: &[Section<'t>], key: &str) -> impl Iterator<Item = Vec<&'t str>> {
    children(all, key).iter().map(|row| cells(row.raw))
}

fn events(all: &[Section<'_>], kind: &str, name: &str, namespace: &str) -> Vec<Value> {
    let rows = rows(all, "Events");
    let rows = rows.filter(|row| row.len() >= 5 && ["Warning", "Normal"].contains(&row[0]));
    rows.map(|row| {
        // The number of occurrences: `3m (x14 over 1h)`.
        let times = row[2].split_once("(x").map(|(_, times)| times);
        let about = json!({"kind": kind, "name": name, "namespace": namespace});
        let mut event = event(row[1], &row[4..].join("  "), about);
        event["count"] = times.map(leading_number).into();
        event
    })
    .collect()
}

fn conditions(all: &[Section<'_>], kind: &str) -> Value {
    let rows = rows(all, "Conditions");
    let rows = rows.filter(|row| row.len() >= 2 && row[0] != "Type" && !row[0].starts_with('-'));
    rows.map(|row| {
        // Conditions of nodes have two times before the reason.
        let reason = if kind == "Node" && row.len() >= 6 {
            4
        } else {
            2
        };
        let message = row.get(reason + 1..).unwrap_or_default().join(" ");
        json!({"type": row[0], "status": row[1], "reason": row.get(reason), "message": message})
    })
    .collect()
}

fn service_ports(all: &[Section<'_>]) -> Value {
    let mut ports: Vec<Value> = Vec::new();
    for section in all {
        match (section.key, ports.last_mut()) {
            ("Port", _) => {
                let cells = cells(section.value);
                let Some(port) = cells.last() else { continue };
                let (port, protocol) = port.split_once('/').unwrap_or((port, "TCP"));
                ports.push(json!({"port": leading_number(port), "protocol": protocol}));
            }
            ("TargetPort", Some(last)) => {
                let target = section.value.split('/').next().unwrap_or_default();
                last["targetPort"] = fields::port(target);
            }
            _ => {}
        }
    }
    ports.into()
}

fn policy(spec: &[Section<'_>]) -> Value {
    // The rules of a direction: no rule if it is isolated, otherwise one empty rule that stands for allowed traffic.
    let rules = |direction: &str| {
        let below = children(spec, &format!("Allowing {direction} traffic"));
        let is_closed = below.iter().any(|line| line.raw.contains("isolated for"));
        Vec::from_iter((!is_closed).then(|| json!({})))
    };
    let selector = value(spec, "PodSelector").split('(').next();
    json!({
        "podSelector": {"matchLabels": pairs(selector.unwrap_or_default(), '=')},
        "policyTypes": value(spec, "Policy Types").split(", ").collect::<Vec<_>>(),
        "egress": rules("egress"), "ingress": rules("ingress"),
    })
}

fn workload(all: &[Section<'_>], object: &mut Value) {
    let counts = value(all, "Replicas");
    // `3 desired | 3 updated`, or `1 Running / 0 Waiting`.
    let count = |counts: &str, sign: char, word: &str| {
        let part = counts.split(sign).find(|part| part.contains(word));
        part.map_or(Value::Null, |part| leading_number(part.trim()))
    };
    let desired = match value(all, "Desired Number of Nodes Scheduled") {
        "" if counts.contains("desired") => count(counts, '|', "desired"),
        "" => leading_number(counts.rsplit('/').next().unwrap_or_default().trim()),
        desired => leading_number(desired),
    };
    let template = children(all, "Pod Template");
    object["spec"]["replicas"] = desired;
    object["spec"]["template"]["metadata"]["labels"] = pairs(&text(template, "Labels"), '=');
    pod_spec(template, &mut object["spec"]["template"]["spec"]);
    object["status"]["readyReplicas"] = count(counts, '|', "available");
    object["status"]["failed"] = count(value(all, "Pods Statuses"), '/', "Failed");
}
