//! All that the results show of a cluster, one entry for each object.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::finding::ObjectRef;
use crate::read;
use crate::source::Source;

/// What is known. Results can be added one by one.
#[derive(Clone, Debug, Default)]
pub struct Cluster {
    pub(crate) sources: Vec<Source>,
    pub(crate) objects: BTreeMap<ObjectRef, Object>,
    /// Events, with their source.
    pub(crate) events: Vec<(usize, Value)>,
    pub(crate) logs: Vec<Log>,
    /// Kinds that were listed whole, with the namespace; an empty one is all of them.
    listed: BTreeSet<(String, String)>,
}

/// An object with the results that show it.
#[derive(Clone, Debug)]
pub(crate) struct Object {
    pub(crate) id: ObjectRef,
    pub(crate) value: Value,
    pub(crate) sources: Vec<usize>,
}

impl Object {
    /// The newest result that shows it.
    pub(crate) fn source(&self) -> usize {
        self.sources.last().copied().unwrap_or(0)
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
            let name = hints.name.unwrap_or_default().to_owned();
            self.add_log(number, hints.namespace.to_owned(), name, &source.text);
        }
        for value in objects {
            self.add_object(number, value);
        }
        self.sources.push(source);
    }

    fn add_log(&mut self, source: usize, namespace: String, pod: String, text: &str) {
        if let Ok(Value::Object(map)) = serde_json::from_str(text.trim_start()) {
            let get = |key: &str| map.get(key).and_then(Value::as_str).unwrap_or_default();
            if let Some(Value::String(lines)) = map.get("logs") {
                let (namespace, pod) = (get("namespace").to_owned(), get("pod_name").to_owned());
                return self.keep_log(source, namespace, pod, lines);
            }
            // Entries of many pods: those of one service together.
            let mut services: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
            for entry in map
                .get("logs")
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
            {
                let service = entry["service"].as_str().or_else(|| entry["host"].as_str());
                let lines = services.entry(service.unwrap_or_default()).or_default();
                lines.push(entry["message"].as_str().unwrap_or_default());
            }
            for (service, lines) in services {
                self.keep_log(
                    source,
                    namespace.clone(),
                    service.to_owned(),
                    &lines.join("\n"),
                );
            }
            return;
        }
        self.keep_log(source, namespace, pod, read::shown(text));
    }

    fn keep_log(&mut self, source: usize, namespace: String, pod: String, text: &str) {
        let mut lines: Vec<String> = text
            .lines()
            .rev()
            .take(LOG_LINES)
            .map(str::to_owned)
            .collect();
        lines.reverse();
        self.logs.push(Log {
            source,
            namespace,
            pod,
            lines,
        });
    }

    fn add_object(&mut self, source: usize, value: Value) {
        let text = |pointer: &str| value.pointer(pointer).and_then(Value::as_str).unwrap_or("");
        let kind = text("/kind").to_owned();
        if kind == "Event" {
            self.events.push((source, value));
            return;
        }
        let id = ObjectRef::new(&kind, text("/metadata/namespace"), text("/metadata/name"));
        if id.name.is_empty() || kind.is_empty() {
            return;
        }
        let known = self.objects.entry(id.clone()).or_insert_with(|| Object {
            id,
            value: Value::Null,
            sources: Vec::new(),
        });
        merge(&mut known.value, value);
        if !known.sources.contains(&source) {
            known.sources.push(source);
        }
    }

    pub(crate) fn of_kind<'c>(&'c self, kind: &'c str) -> impl Iterator<Item = &'c Object> {
        self.objects
            .values()
            .filter(move |object| object.id.kind == kind)
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
