//! Reads events that are written one per line: `Warning FailedCreate replicaset/api-1 Error creating: ..`.

use serde_json::Value;

use super::reference;
use crate::kind::canonical;
use crate::source::Hints;

pub(super) fn objects(text: &str, hints: Hints<'_>) -> Vec<Value> {
    text.lines()
        .filter_map(|line| event(line, hints.namespace))
        .collect()
}

fn event(line: &str, namespace: &str) -> Option<Value> {
    let marks = ["Warning ", "Normal "].into_iter();
    let at = marks.filter_map(|mark| line.find(mark)).min()?;
    let mut words = line[at..].splitn(3, char::is_whitespace).skip(1);
    let (reason, rest) = (words.next()?, words.next()?.trim_start());
    let (object, message) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let object = object.trim_end_matches(':');
    let kind = object.split_once('/').and_then(|(kind, _)| canonical(kind));
    let (object, message) = match kind {
        Some(_) => (object, message.trim()),
        None => ("", rest),
    };
    Some(super::event(reason, message, &reference(object), namespace))
}
