//! The text of `kubectl describe`, as objects of the API.

mod containers;
mod sections;

use serde_json::{Value, json};

use super::{cells, leading_number, namespace_or, pairs, reference};
use crate::source::Hints;
use containers::{pod_spec, pod_statuses};
use sections::{Section, sections};

/// The objects that a text describes, and their events.
pub(super) fn objects(text: &str, hints: Hints<'_>) -> Vec<Value> {
    let mut texts: Vec<String> = Vec::new();
    for line in text.lines() {
        match (line.starts_with("Name:"), texts.last_mut()) {
            (true, _) => texts.push(line.to_owned()),
            (false, Some(last)) => {
                last.push('\n');
                last.push_str(line);
            }
            (false, None) => {}
        }
    }
    texts
        .iter()
        .flat_map(|text| described(&sections(text), hints))
        .collect()
}

fn find<'s>(all: &'s [Section], key: &str) -> Option<&'s Section> {
    all.iter().find(|section| section.key == key)
}

fn value<'s>(all: &'s [Section], key: &str) -> &'s str {
    match find(all, key).map_or("", |section| section.value.as_str()) {
        "<none>" | "<unset>" | "<nil>" => "",
        text => text,
    }
}

fn children<'s>(all: &'s [Section], key: &str) -> &'s [Section] {
    find(all, key).map_or(&[], |section| &section.children)
}

/// `a=b` on the key's line and those below it.
fn lines_of(all: &[Section], key: &str) -> String {
    let below = children(all, key).iter().map(|child| child.raw.as_str());
    let first = std::iter::once(value(all, key));
    first.chain(below).collect::<Vec<_>>().join("\n")
}

fn number(text: &str) -> Value {
    let digits = text.split_whitespace().next().unwrap_or_default();
    digits.parse::<i64>().map_or(Value::Null, Value::from)
}

fn described(all: &[Section], hints: Hints<'_>) -> Vec<Value> {
    let name = value(all, "Name");
    let namespace = namespace_or(value(all, "Namespace"), hints);
    let kind = kind_of(all, hints);
    let mut found = events(all, kind, name, namespace);
    let status = value(all, "Status");
    let mut object = match kind {
        "Pod" => json!({
            "spec": pod_spec(all),
            "status": {
                "phase": status.split_whitespace().next(), "reason": value(all, "Reason"),
                "message": value(all, "Message"), "containerStatuses": pod_statuses(all, "Containers"),
                "initContainerStatuses": pod_statuses(all, "Init Containers"),
            },
        }),
        "Node" => json!({
            "spec": {"unschedulable": value(all, "Unschedulable") == "true", "taints": taints(all)},
            "status": {"allocatable": quantities(all, "Allocatable"), "capacity": quantities(all, "Capacity"), "podCount": number(value(all, "Non-terminated Pods").trim_start_matches('('))},
        }),
        "Service" => {
            found.push(json!({
                "kind": "Endpoints", "metadata": {"name": name, "namespace": namespace},
                "shown": match value(all, "Endpoints") { "" => "<none>", some => some },
            }));
            json!({"spec": {
                "selector": pairs(value(all, "Selector")), "type": value(all, "Type"), "ports": service_ports(all),
            }})
        }
        "PersistentVolumeClaim" | "PersistentVolume" => json!({
            "spec": {
                "storageClassName": value(all, "StorageClass"), "volumeName": value(all, "Volume"),
                "accessModes": modes(value(all, "Access Modes")),
                "capacity": {"storage": value(all, "Capacity")},
                "claimRef": reference(&value(all, "Claim").replace('/', " "), ""),
            },
            "status": {"phase": status},
        }),
        "ResourceQuota" => quota(all),
        "Namespace" => json!({"status": {"phase": status}}),
        "NetworkPolicy" => policy(all),
        _ => workload(all),
    };
    object["kind"] = kind.into();
    object["status"]["conditions"] = conditions(all, kind);
    object["metadata"] = json!({
        "name": name, "namespace": namespace, "labels": pairs(&lines_of(all, "Labels")),
        "finalizers": value(all, "Finalizers").trim_matches(['[', ']']).split_whitespace().collect::<Vec<_>>(),
        "deletionTimestamp": match status.starts_with("Terminating") { true => json!(status), false => Value::Null },
        "ownerReferences": match value(all, "Controlled By") {
            "" => json!([]),
            owner => json!([reference(owner, namespace)]),
        },
    });
    found.push(object);
    found
}

fn kind_of(all: &[Section], hints: Hints<'_>) -> &'static str {
    let has = |key: &str| find(all, key).is_some();
    let kinds = [
        ("Deployment", has("StrategyType") || has("NewReplicaSet")),
        ("Pod", has("QoS Class") || has("Containers") && has("Node")),
        ("Node", has("Unschedulable") || has("Allocatable")),
        (
            "Service",
            has("Selector") && (has("TargetPort") || has("Endpoints")),
        ),
        ("PersistentVolume", has("Reclaim Policy")),
        ("PersistentVolumeClaim", has("Access Modes")),
        ("NetworkPolicy", has("Spec") && has("Created on")),
    ];
    let sure = kinds.into_iter().find_map(|(kind, is)| is.then_some(kind));
    sure.or(hints.kind).unwrap_or("Unknown")
}

fn events(all: &[Section], kind: &str, name: &str, namespace: &str) -> Vec<Value> {
    let rows = children(all, "Events").iter().map(|row| cells(&row.raw));
    let rows = rows.filter(|row| row.len() >= 5 && (row[0] == "Warning" || row[0] == "Normal"));
    rows.map(|row| {
        json!({
            "kind": "Event", "type": row[0], "reason": row[1], "message": row[4..].join("  "),
            "count": count(row[2]),
            "involvedObject": {"kind": kind, "name": name, "namespace": namespace},
        })
    })
    .collect()
}

/// How often an event occurred: `3m (x14 over 1h)`.
fn count(age: &str) -> Value {
    age.split("(x").nth(1).map_or(Value::Null, leading_number)
}

fn conditions(all: &[Section], kind: &str) -> Value {
    let rows = children(all, "Conditions")
        .iter()
        .map(|row| cells(&row.raw));
    let rows = rows.filter(|row| row.len() >= 2 && row[0] != "Type" && !row[0].starts_with('-'));
    let rows = rows.map(|row| {
        let (reason, message) = match (kind, row.len()) {
            ("Node", 6..) => (row[4], row[5..].join(" ")),
            (_, 3..) => (row[2], row[3..].join(" ")),
            _ => ("", String::new()),
        };
        json!({"type": row[0], "status": row[1], "reason": reason, "message": message})
    });
    Value::Array(rows.collect())
}

fn taints(all: &[Section]) -> Value {
    let lines = lines_of(all, "Taints");
    let taints = lines.lines().map(str::trim).filter(|line| !line.is_empty());
    let taint = |line: &str| {
        let (key, effect) = line.rsplit_once(':').unwrap_or((line, ""));
        let (key, value) = key.split_once('=').unwrap_or((key, ""));
        json!({"key": key, "value": value, "effect": effect})
    };
    Value::Array(taints.map(taint).collect())
}

fn quantities(all: &[Section], key: &str) -> Value {
    let pairs = children(all, key).iter();
    pairs
        .map(|child| (child.key.clone(), child.value.clone()))
        .collect()
}

fn service_ports(all: &[Section]) -> Value {
    let mut ports: Vec<Value> = Vec::new();
    for section in all {
        match section.key.as_str() {
            "Port" => {
                let cells = cells(&section.value);
                let (name, port) = match cells.as_slice() {
                    [name, port] => (*name, *port),
                    [port] => ("", *port),
                    _ => continue,
                };
                let (port, protocol) = port.split_once('/').unwrap_or((port, "TCP"));
                let name = name.trim_matches(['<', '>']);
                ports.push(json!({"name": name, "port": number(port), "protocol": protocol}));
            }
            "TargetPort" => {
                let target = section.value.split('/').next().unwrap_or_default();
                if let Some(last) = ports.last_mut() {
                    last["targetPort"] = match number(target) {
                        Value::Null => target.into(),
                        number => number,
                    };
                }
            }
            _ => {}
        }
    }
    Value::Array(ports)
}

/// Access modes by their names; `describe` shortens them.
fn modes(text: &str) -> Value {
    let modes = text.split(',').map(|mode| match mode.trim() {
        "RWO" => "ReadWriteOnce",
        "ROX" => "ReadOnlyMany",
        "RWX" => "ReadWriteMany",
        other => other,
    });
    modes.filter(|mode| !mode.is_empty()).collect()
}

fn quota(all: &[Section]) -> Value {
    let (mut used, mut hard) = (json!({}), json!({}));
    for section in all {
        let cells = cells(&section.raw);
        if let [name, in_use, limit] = cells.as_slice()
            && limit.starts_with(|c: char| c.is_ascii_digit())
        {
            used[*name] = (*in_use).into();
            hard[*name] = (*limit).into();
        }
    }
    json!({"status": {"used": used, "hard": hard}})
}

fn policy(all: &[Section]) -> Value {
    let spec = children(all, "Spec");
    let closed = |direction: &str| {
        let key = format!("Allowing {direction} traffic");
        children(spec, &key)
            .iter()
            .any(|child| child.raw.contains("isolated for"))
    };
    json!({"spec": {
        "podSelector": {"matchLabels": pairs(value(spec, "PodSelector").split('(').next().unwrap_or_default())},
        "policyTypes": value(spec, "Policy Types").split(", ").collect::<Vec<_>>(),
        "egress": match closed("egress") { true => json!([]), false => json!([{}]) },
        "ingress": match closed("ingress") { true => json!([]), false => json!([{}]) },
    }})
}

fn workload(all: &[Section]) -> Value {
    let counts = value(all, "Replicas");
    let count = |word: &str| {
        let part = counts.split('|').find(|part| part.contains(word));
        part.map_or(Value::Null, |part| number(part.trim()))
    };
    let pods = value(all, "Pods Statuses");
    let failed = pods.split('/').find(|part| part.contains("Failed"));
    let template = children(all, "Pod Template");
    let desired = match value(all, "Desired Number of Nodes Scheduled") {
        "" => match count("desired") {
            Value::Null => number(counts.rsplit('/').next().unwrap_or_default().trim()),
            desired => desired,
        },
        desired => number(desired),
    };
    json!({
        "spec": {
            "replicas": desired, "selector": {"matchLabels": pairs(value(all, "Selector"))},
            "template": {"metadata": {"labels": pairs(&lines_of(template, "Labels"))}, "spec": pod_spec(template)},
        },
        "status": {
            "readyReplicas": count("available"), "updatedReplicas": count("updated"),
            "failed": failed.map_or(Value::Null, |part| number(part.trim())),
        },
    })
}
