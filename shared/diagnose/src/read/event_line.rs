//! Events that are written one a line: `Warning FailedCreate replicaset/api-1 Error creating: ..`.

use serde_json::{Value, json};

use super::reference;
use crate::kind::canonical;
use crate::source::Hints;

pub(super) fn objects(text: &str, hints: Hints<'_>) -> Vec<Value> {
    text.lines()
        .filter_map(|line| event(line, hints.namespace))
        .collect()
}

fn event(line: &str, namespace: &str) -> Option<Value> {
    let at = ["Warning ", "Normal "]
        .iter()
        .filter_map(|kind| line.find(kind))
        .min()?;
    let mut words = line.get(at..)?.splitn(3, char::is_whitespace);
    let (kind, reason, rest) = (words.next()?, words.next()?, words.next()?.trim_start());
    let (object, message) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let object = object.trim_end_matches(':');
    let kind_of_object = object.split_once('/').and_then(|(kind, _)| canonical(kind));
    let (object, message) = match kind_of_object {
        Some(_) => (object, message.trim()),
        None => ("", rest),
    };
    Some(json!({
        "kind": "Event", "type": kind, "reason": reason, "message": message,
        "involvedObject": reference(object, namespace),
    }))
}
