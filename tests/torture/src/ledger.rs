//! Ledger of the tool calls that reached the MCP server.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

/// Calls by tool and incident.
#[derive(Debug, Default)]
pub(crate) struct Ledger(BTreeMap<(String, String), usize>);

impl Ledger {
    /// Reads what the servers of a run have written; empty before the first call.
    pub(crate) fn read(folder: &Path) -> std::io::Result<Self> {
        match std::fs::read_to_string(folder.join("ledger")) {
            Ok(text) => Ok(Self::parse(&text)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(error),
        }
    }

    /// An incomplete last line is still being written.
    fn parse(text: &str) -> Self {
        let mut calls = BTreeMap::new();
        let whole = text
            .lines()
            .filter_map(|line| serde_json::from_str(line).ok());
        for line in whole {
            let line: Value = line;
            let text = |key: &str| line[key].as_str().unwrap_or_default().to_owned();
            *calls.entry((text("tool"), text("incident"))).or_default() += 1;
        }
        Self(calls)
    }

    /// Number of calls of this tool for this incident.
    pub(crate) fn count(&self, tool: &str, incident: &str) -> usize {
        let key = (tool.to_owned(), incident.to_owned());
        self.0.get(&key).copied().unwrap_or(0)
    }

    /// Incidents that this tool was called for, with the number of calls.
    pub(crate) fn of_tool(&self, wanted: &str) -> Vec<(&str, usize)> {
        let calls = self.0.iter().filter(|((tool, _), _)| tool == wanted);
        calls
            .map(|((_, incident), n)| (incident.as_str(), *n))
            .collect()
    }

    /// Number of calls of all tools.
    pub(crate) fn calls(&self) -> usize {
        self.0.values().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINES: &str = "{\"tool\": \"look\", \"incident\": \"a\"}\n{\"tool\": \"act\", \"incident\": \"a\"}\n\
                         {\"tool\": \"act\", \"incident\": \"b\"}\n{\"tool\": \"act\", \"incident\": \"b\"}\n{\"tool\": \"a";

    #[test]
    fn calls_are_counted_by_tool_and_incident() {
        let ledger = Ledger::parse(LINES);
        assert_eq!(
            (ledger.count("look", "a"), ledger.count("look", "b")),
            (1, 0)
        );
        assert_eq!(ledger.of_tool("act"), [("a", 1), ("b", 2)]);
        assert_eq!(ledger.calls(), 4, "the torn line is none");
    }
}
