//! Results of tool calls, and hints that the calls give about their results.

use serde_json::Value;

use crate::kind;

/// The result of one tool call.
#[derive(Clone, Debug, PartialEq)]
pub struct Source {
    /// Name of the tool, with or without its server.
    pub tool: String,
    /// Arguments of the call, as a JSON object.
    pub arguments: Value,
    /// Result of the call: YAML, JSON, a table, the text of `kubectl describe`, or a log.
    pub text: String,
}

/// Hints about a result, taken from the tool's name and its arguments.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Hints<'a> {
    pub(crate) kind: Option<&'static str>,
    pub(crate) name: Option<&'a str>,
    pub(crate) namespace: &'a str,
    pub(crate) is_log: bool,
}

impl Source {
    /// Formats the call for people: `pods_get name=api namespace=shop`.
    #[must_use]
    pub fn call(&self) -> String {
        let arguments = self.arguments.as_object().into_iter().flatten();
        let call = arguments.map(|(name, value)| match value {
            Value::String(text) => format!(" {name}={text}"),
            other => format!(" {name}={other}"),
        });
        std::iter::once(self.tool.clone()).chain(call).collect()
    }

    fn argument(&self, names: &[&str]) -> Option<&str> {
        let given = names
            .iter()
            .filter_map(|name| self.arguments.get(name)?.as_str());
        given.map(str::trim).find(|text| !text.is_empty())
    }

    pub(crate) fn hints(&self) -> Hints<'_> {
        let name = self.tool.rsplit('.').next().unwrap_or_default();
        let words = || name.split(['_', '-']);
        let is_log = words().any(|word| matches!(word, "log" | "logs"));
        let named = self.argument(&["kind", "resource_type", "resource", "type"]);
        let kind = named
            .and_then(kind::canonical)
            .filter(|_| !words().any(|word| word.starts_with("event")))
            .or_else(|| words().find_map(kind::canonical))
            .filter(|_| !is_log);
        Hints {
            kind,
            name: self.argument(&["name", "pod_name", "resource_name", "pod"]),
            namespace: self.argument(&["namespace", "ns"]).unwrap_or_default(),
            is_log,
        }
    }
}
