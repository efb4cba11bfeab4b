//! Finds the record that answers a call.

use serde_json::{Map, Value};

use crate::case::{Case, Record};

/// Answer of a case to a call.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Replay<'c> {
    /// The record of the call.
    Recorded(&'c Record),
    /// The tool was recorded, but not with these arguments.
    Missing,
    /// The case has no such tool.
    UnknownTool,
}

impl Case {
    /// Finds the record that answers a call, by the first of these rules that selects one:
    ///
    /// 1. the recorded arguments are those of the call;
    /// 2. all recorded arguments are among those of the call: the record with most of them;
    /// 3. all arguments of the call are among the recorded ones, of one record alone.
    ///
    /// Arguments that are null, empty or `false` count as absent, and numbers equal their text form. The recorded
    /// value `*` equals any value. A wrong record is never chosen: arguments that both have are always equal. If
    /// these rules find no record, `Pod` and `pods` count as `pod`, as they do for the servers that were recorded.
    #[must_use]
    pub fn replay(&self, tool: &str, arguments: &Map<String, Value>) -> Replay<'_> {
        match self.replay_where(tool, arguments, is_equal) {
            Replay::Missing => self.replay_where(tool, arguments, is_same_word),
            found => found,
        }
    }

    fn replay_where(
        &self,
        tool: &str,
        arguments: &Map<String, Value>,
        is_same: fn(&str, &str, &str) -> bool,
    ) -> Replay<'_> {
        let of_tool: Vec<&Record> = self.records.iter().filter(|r| r.tool == tool).collect();
        if of_tool.is_empty() {
            return match self.tools.iter().any(|known| known.name == tool) {
                true => Replay::Missing,
                false => Replay::UnknownTool,
            };
        }
        let given = present(arguments);
        let fits = |record: &&&Record| is_within(&present(&record.args), &given, is_same);
        // Reversed, because `max_by_key` returns the last maximum and the first record must win.
        let fitting = of_tool.iter().rev().filter(fits);
        if let Some(best) = fitting.max_by_key(|record| present(&record.args).len()) {
            return Replay::Recorded(best);
        }
        let is_wider = |record: &&&Record| is_within(&given, &present(&record.args), is_same);
        let mut wider = of_tool.iter().filter(is_wider);
        match (wider.next(), wider.next()) {
            (Some(record), None) => Replay::Recorded(record),
            _ => Replay::Missing,
        }
    }
}

/// Returns the arguments that have a value, as texts.
fn present(arguments: &Map<String, Value>) -> Vec<(&str, String)> {
    let texts = arguments.iter().filter_map(|(name, value)| {
        let text = match value {
            Value::Null | Value::Bool(false) => return None,
            Value::String(text) => text.trim().to_owned(),
            other => other.to_string(),
        };
        (!["", "[]", "{}"].contains(&text.as_str())).then_some((name.as_str(), text))
    });
    texts.collect()
}

/// Returns whether all of `some` are among `all`.
fn is_within(
    some: &[(&str, String)],
    all: &[(&str, String)],
    is_same: fn(&str, &str, &str) -> bool,
) -> bool {
    some.iter().all(|(name, value)| {
        all.iter()
            .any(|(other, text)| other == name && is_same(name, value, text))
    })
}

fn is_equal(_: &str, a: &str, b: &str) -> bool {
    a == "*" || b == "*" || a == b
}

/// Arguments that name a kind of Kubernetes object. Its servers also accept the plural.
const KINDS: [&str; 4] = ["kind", "resource", "resource_type", "type"];

/// Returns whether two values are the same, ignoring upper case, and the plural of a kind.
fn is_same_word(name: &str, a: &str, b: &str) -> bool {
    let singular = |word: &str| {
        let word = word.to_ascii_lowercase();
        match KINDS.contains(&name) {
            true => word.trim_end_matches('s').to_owned(),
            false => word,
        }
    };
    is_equal(name, &singular(a), &singular(b))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn case() -> Case {
        let record =
            |args: Value, result: &str| json!({"tool": "logs", "args": args, "result": result});
        let case = json!({
            "id": "a", "alert": {}, "truth": {},
            "records": [
                record(json!({"pod": "a", "tail": 50}), "a-50"),
                record(json!({"pod": "a"}), "a"),
                record(json!({"pod": "b", "container": "*"}), "b-any"),
                {"tool": "nodes", "result": "all"},
                {"tool": "describe", "args": {"kind": "pod", "name": "a"}, "result": "pod a"},
                {"tool": "describe", "args": {"kind": "pod", "name": "A"}, "result": "pod A"},
            ],
        });
        serde_json::from_value(case).unwrap()
    }

    fn answer(tool: &str, arguments: Value) -> Option<String> {
        match case().replay(tool, arguments.as_object().unwrap()) {
            Replay::Recorded(record) => record.result.clone(),
            _ => None,
        }
    }

    #[test]
    fn the_record_with_most_equal_arguments_answers_and_never_another() {
        for (arguments, result) in [
            (json!({"pod": "a"}), Some("a")),
            (json!({"pod": "a", "tail": "50"}), Some("a-50")),
            (json!({"pod": "a", "tail": 10}), Some("a")),
            (
                json!({"pod": "a", "previous": false, "container": null}),
                Some("a"),
            ),
            (json!({"pod": "b"}), Some("b-any")),
            (json!({"pod": "b", "container": "x"}), Some("b-any")),
            (json!({"pod": "c"}), None),
            (json!({}), None),
        ] {
            let found = answer("logs", arguments.clone());
            assert_eq!(found.as_deref(), result, "{arguments}");
        }
        assert_eq!(
            answer("nodes", json!({"name": "n1"})).as_deref(),
            Some("all")
        );
        for (kind, name, result) in [
            ("pod", "a", Some("pod a")),
            ("pod", "A", Some("pod A")),
            ("Pod", "a", Some("pod a")),
            ("pods", "a", Some("pod a")),
            ("Pods", "as", None),
            ("node", "a", None),
        ] {
            let found = answer("describe", json!({"kind": kind, "name": name}));
            assert_eq!(found.as_deref(), result, "{kind} {name}");
        }
        let none = Map::new();
        assert_eq!(case().replay("reboot", &none), Replay::UnknownTool);
    }

    proptest::proptest! {
        #[test]
        fn an_answer_never_contradicts_the_call(pod in "[abc]", tail in proptest::option::of(0..100)) {
            let arguments = json!({"pod": pod, "tail": tail});
            let case = case();
            if let Replay::Recorded(record) = case.replay("logs", arguments.as_object().unwrap()) {
                proptest::prop_assert_eq!(record.args.get("pod"), arguments.get("pod"));
            }
        }
    }
}
