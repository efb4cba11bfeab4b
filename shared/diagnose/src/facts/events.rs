//! Events.

use serde_json::Value;

use super::text;
use crate::finding::ObjectRef;

#[derive(Clone, Debug)]
pub(crate) struct Event<'c> {
    pub(crate) source: usize,
    pub(crate) about: ObjectRef,
    pub(crate) reason: &'c str,
    pub(crate) message: &'c str,
    pub(crate) count: i64,
}

impl<'c> Event<'c> {
    pub(crate) fn new(source: usize, value: &'c Value) -> Self {
        let about = |field: &str| text(value, &format!("/involvedObject/{field}"));
        let namespace = match about("namespace") {
            "" => text(value, "/metadata/namespace"),
            namespace => namespace,
        };
        let about = match about("name") {
            // It does not say what it is about.
            "" => ObjectRef::new("Namespace", "", namespace),
            name => ObjectRef::new(about("kind"), namespace, name),
        };
        Self {
            source,
            about,
            reason: text(value, "/reason"),
            message: text(value, "/message"),
            count: value.get("count").and_then(Value::as_i64).unwrap_or(1),
        }
    }
}
