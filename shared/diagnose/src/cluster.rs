//! All that the results show of a cluster, one entry for each object.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::fields::Fields;
use crate::finding::ObjectRef;
use crate::read;
use crate::source::Source;

/// What is known. Results can be added one by one.
#[derive(Clone, Debug, Default)]
pub struct Cluster {
    pub(crate) sources: Vec<Source>,
    pub(crate) objects: BTreeMap<ObjectRef, Object>,
    pub(crate) events: Vec<Event>,
    pub(crate) logs: Vec<Log>,
    /// Kinds that were listed whole, with the namespace; an empty one is all of them.
    listed: BTreeSet<(String, String)>,
}

/// An object with the newest result that shows it.
#[derive(Clone, Debug)]
pub(crate) struct Object {
    pub(crate) id: ObjectRef,
    pub(crate) value: Value,
    pub(crate) source: usize,
}

impl Fields for Object {
    fn at(&self, pointer: &str) -> Option<&Value> {
        self.value.pointer(pointer)
    }
}

/// What Kubernetes reports about an object.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    pub(crate) source: usize,
    pub(crate) about: ObjectRef,
    pub(crate) reason: String,
    pub(crate) message: String,
    pub(crate) count: i64,
}

impl Event {
    fn new(source: usize, value: &Value) -> Self {
        let namespace = match value.text("/involvedObject/namespace") {
            "" => value.text("/metadata/namespace"),
            namespace => namespace,
        };
        let about = match value.text("/involvedObject/name") {
            // It does not say what it is about.
            "" => ObjectRef::new("Namespace", "", namespace),
            name => ObjectRef::new(value.text("/involvedObject/kind"), namespace, name),
        };
        Self {
            source,
            about,
            reason: value.text("/reason").to_owned(),
            message: value.text("/message").to_owned(),
            count: value.number("/count").unwrap_or(1),
        }
    }
}

/// Lines that a container wrote.
#[derive(Clone, Debug)]
pub(crate) struct Log {
    pub(crate) source: usize,
    pub(crate) namespace: String,
    /// Pod, or what stands for it; empty if it is not known.
    pub(crate) pod: String,
    pub(crate) lines: Vec<String>,
}

/// Longest log that is read, from its end.
const LOG_LINES: usize = 4_000;

impl Cluster {
    /// Reads one more result.
    pub fn add(&mut self, source: Source) {
        let number = self.sources.len();
        let objects = read::objects(&source);
        let hints = source.hints();
        if let (Some(kind), None) = (hints.kind, hints.name)
            && !objects.is_empty()
        {
            self.listed
                .insert((kind.to_owned(), hints.namespace.to_owned()));
        }
        if hints.is_log {
            let name = hints.name.unwrap_or_default();
            self.add_log(number, hints.namespace, name, &source.text);
        }
        for value in objects {
            self.add_object(number, value);
        }
        self.sources.push(source);
    }

    /// The log of a pod, or of many pods as JSON.
    fn add_log(&mut self, source: usize, namespace: &str, pod: &str, text: &str) {
        let Ok(answer @ Value::Object(_)) = serde_json::from_str(text.trim_start()) else {
            return self.keep_log(source, namespace, pod, read::shown(text));
        };
        if let Some(Value::String(lines)) = answer.get("logs") {
            let (namespace, pod) = (answer.text("/namespace"), answer.text("/pod_name"));
            return self.keep_log(source, namespace, pod, lines);
        }
        // Entries of many pods: those of one service together.
        let mut services: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for entry in answer.list("/logs") {
            let service = entry["service"].as_str().unwrap_or(entry.text("/host"));
            let lines = services.entry(service).or_default();
            lines.push(entry.text("/message"));
        }
        for (service, lines) in services {
            self.keep_log(source, namespace, service, &lines.join("\n"));
        }
    }

    fn keep_log(&mut self, source: usize, namespace: &str, pod: &str, text: &str) {
        let newest = text.lines().rev().take(LOG_LINES);
        let mut lines: Vec<String> = newest.map(str::to_owned).collect();
        lines.reverse();
        self.logs.push(Log {
            source,
            namespace: namespace.to_owned(),
            pod: pod.to_owned(),
            lines,
        });
    }

    fn add_object(&mut self, source: usize, value: Value) {
        let kind = value.text("/kind");
        if kind == "Event" {
            self.events.push(Event::new(source, &value));
            return;
        }
        let (namespace, name) = (
            value.text("/metadata/namespace"),
            value.text("/metadata/name"),
        );
        let id = ObjectRef::new(kind, namespace, name);
        if id.name.is_empty() || id.kind.is_empty() {
            return;
        }
        let known = self.objects.entry(id.clone()).or_insert_with(|| Object {
            id,
            value: Value::Null,
            source,
        });
        merge(&mut known.value, value);
        known.source = source;
    }

    pub(crate) fn of_kind<'c>(&'c self, kind: &'c str) -> impl Iterator<Item = &'c Object> {
        // Their references begin with the kind.
        let objects = self.objects.range(ObjectRef::new(kind, "", "")..);
        objects
            .map(|(_, object)| object)
            .take_while(move |object| object.id.kind == kind)
    }

    pub(crate) fn get(&self, kind: &str, namespace: &str, name: &str) -> Option<&Object> {
        self.objects.get(&ObjectRef::new(kind, namespace, name))
    }

    /// Whether all objects of a kind in a namespace are known.
    pub(crate) fn is_listed(&self, kind: &str, namespace: &str) -> bool {
        ["", namespace]
            .iter()
            .any(|of| self.listed.contains(&(kind.to_owned(), (*of).to_owned())))
    }
}

/// Adds what another result shows of an object; of two different values the newer counts.
fn merge(known: &mut Value, new: Value) {
    match (known, new) {
        (Value::Object(known), Value::Object(new)) => {
            for (key, value) in new {
                merge(known.entry(key).or_insert(Value::Null), value);
            }
        }
        (_, Value::Null) => {}
        (Value::Array(known), Value::Array(new)) if new.len() < known.len() => {}
        (known, Value::String(new)) if new.is_empty() && !known.is_null() => {}
        (Value::Object(_), Value::Array(_) | Value::String(_)) => {}
        (known, new) => *known = new,
    }
}
