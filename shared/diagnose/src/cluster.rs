//! The state of a cluster, merged from tool results: one entry for each object, plus events and logs.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::fields::Fields;
use crate::finding::ObjectRef;
use crate::read;
use crate::source::Source;

/// The known state of a cluster. Results can be added one by one.
#[derive(Clone, Debug, Default)]
pub struct Cluster {
    pub(crate) sources: Vec<Source>,
    pub(crate) objects: BTreeMap<ObjectRef, Object>,
    pub(crate) events: Vec<Event>,
    pub(crate) logs: Vec<Log>,
    /// Kinds of which a complete list was read, with the namespace; an empty namespace means all namespaces.
    listed: BTreeSet<(String, String)>,
}

/// An object, merged from all results that show it. `source` is the newest of them.
#[derive(Clone, Debug)]
pub(crate) struct Object {
    pub(crate) id: ObjectRef,
    pub(crate) value: Value,
    pub(crate) source: usize,
}

impl Object {
    /// Creates an object without any fields.
    pub(crate) fn new(id: ObjectRef) -> Self {
        let (value, source) = (Value::Null, 0);
        Self { id, value, source }
    }
}

impl Fields for Object {
    fn at(&self, pointer: &str) -> Option<&Value> {
        self.value.pointer(pointer)
    }
}

/// An event of Kubernetes about an object.
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
            // An event that names no object counts as one about its namespace.
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

/// A log of a container.
#[derive(Clone, Debug)]
pub(crate) struct Log {
    pub(crate) source: usize,
    /// Pod, or the service or host that a log server names in its place; without a name if neither is known.
    pub(crate) pod: ObjectRef,
    pub(crate) lines: Vec<String>,
}

/// Maximum number of lines that are kept of a log, counted from its end.
const LOG_LINES: usize = 4_000;

impl Cluster {
    /// Adds one more result.
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

    /// Adds the log of a pod, or a JSON result with log entries of many pods.
    fn add_log(&mut self, source: usize, namespace: &str, pod: &str, text: &str) {
        let Ok(answer @ Value::Object(_)) = serde_json::from_str(text.trim_start()) else {
            return self.keep_log(source, namespace, pod, read::shown(text));
        };
        if let Some(Value::String(lines)) = answer.get("logs") {
            let (namespace, pod) = (answer.text("/namespace"), answer.text("/pod_name"));
            return self.keep_log(source, namespace, pod, lines);
        }
        // Groups the entries of many pods by service.
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
        let older = text.lines().count().saturating_sub(LOG_LINES);
        let lines = text.lines().skip(older).map(str::to_owned).collect();
        self.logs.push(Log {
            source,
            pod: ObjectRef::new("Pod", namespace, pod),
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
        let known = self.objects.entry(id.clone());
        let known = known.or_insert_with(|| Object::new(id));
        merge(&mut known.value, value);
        known.source = source;
    }

    pub(crate) fn of_kind<'c>(&'c self, kind: &'c str) -> impl Iterator<Item = &'c Object> {
        // References are ordered by kind first.
        let objects = self.objects.range(ObjectRef::new(kind, "", "")..);
        objects
            .map(|(_, object)| object)
            .take_while(move |object| object.id.kind == kind)
    }

    pub(crate) fn get(&self, kind: &str, namespace: &str, name: &str) -> Option<&Object> {
        self.objects.get(&ObjectRef::new(kind, namespace, name))
    }

    /// Whether a complete list of a kind in a namespace was read.
    pub(crate) fn is_listed(&self, kind: &str, namespace: &str) -> bool {
        ["", namespace]
            .iter()
            .any(|of| self.listed.contains(&(kind.to_owned(), (*of).to_owned())))
    }
}

/// Merges what another result shows of an object into the known value. Of two different values the newer one wins.
///
/// There are exceptions: null, an empty text and a shorter list replace nothing, and a list or text never replaces an
/// object.
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
