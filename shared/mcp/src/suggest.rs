//! Guesses from the names of tools which of them only read.

use crate::survey::SurveyedTool;
use crate::tool::fits;
use tarsy_model::EffectClass;

/// Suggested entries for a server's `tool_effects`, which a person reviews.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct EffectSuggestion {
    /// Names, and patterns with `*`, of unclassified tools whose names suggest that they read. The pattern with the
    /// most matches comes first.
    pub read_only: Vec<String>,
    /// Unclassified tools whose names suggest a change, or give no hint.
    pub undecided: Vec<String>,
}

/// Verbs in the names of tools that read.
const READS: &[&str] = &[
    "count", "describe", "explain", "fetch", "find", "get", "inspect", "list", "lookup", "query",
    "read", "search", "show", "view",
];

/// Words in the names of tools that may change something, no matter what the rest of the name suggests.
const CHANGES: &[&str] = &[
    "abort",
    "acknowledge",
    "add",
    "apply",
    "approve",
    "archive",
    "assign",
    "attach",
    "build",
    "cancel",
    "clear",
    "clone",
    "close",
    "commit",
    "configure",
    "connect",
    "copy",
    "cordon",
    "create",
    "deactivate",
    "delete",
    "deploy",
    "detach",
    "disable",
    "download",
    "drain",
    "drop",
    "edit",
    "enable",
    "evict",
    "exec",
    "execute",
    "export",
    "fork",
    "grant",
    "import",
    "insert",
    "install",
    "invoke",
    "kill",
    "link",
    "lock",
    "merge",
    "modify",
    "move",
    "mute",
    "open",
    "patch",
    "pause",
    "post",
    "promote",
    "publish",
    "purge",
    "push",
    "put",
    "reboot",
    "register",
    "remove",
    "rename",
    "replace",
    "reset",
    "resolve",
    "restart",
    "restore",
    "resume",
    "retry",
    "revoke",
    "rollback",
    "rollout",
    "rotate",
    "run",
    "save",
    "scale",
    "send",
    "set",
    "shutdown",
    "silence",
    "snooze",
    "start",
    "stop",
    "submit",
    "suspend",
    "switch",
    "sync",
    "tag",
    "terminate",
    "toggle",
    "transfer",
    "transition",
    "trigger",
    "truncate",
    "unlock",
    "update",
    "upgrade",
    "upload",
    "upsert",
    "write",
];

/// Languages in which a `query` may be a statement that changes data.
const LANGUAGES: &[&str] = &["cypher", "database", "db", "sql"];

/// Suggests effects for the tools of one server that neither configuration nor annotations classify.
///
/// A name is weak evidence. A person must review the suggestion before it is used.
#[must_use]
pub fn suggested_effects(tools: &[SurveyedTool]) -> EffectSuggestion {
    let mut suggestion = EffectSuggestion::default();
    let mut patterns: Vec<(usize, String)> = Vec::new();
    for surveyed in tools.iter().filter(|surveyed| !surveyed.is_classified) {
        let name = &surveyed.tool.name;
        let Some(pattern) = reading_pattern(name) else {
            suggestion.undecided.push(name.clone());
            continue;
        };
        let fitting = || {
            tools
                .iter()
                .filter(|other| fits(&pattern, &other.tool.name))
        };
        let is_safe = fitting().all(reads);
        if !is_safe || fitting().count() == 1 {
            suggestion.read_only.push(name.clone());
        } else if !patterns.iter().any(|(_, known)| *known == pattern) {
            patterns.push((fitting().count(), pattern));
        }
    }
    patterns.sort_by_key(|(fitting, _)| std::cmp::Reverse(*fitting));
    let mut kept: Vec<String> = Vec::new();
    for (_, pattern) in patterns {
        // A wider pattern covers this one, as `get*` covers `get_*`.
        if !kept.iter().any(|wider| fits(wider, &pattern)) {
            kept.push(pattern);
        }
    }
    suggestion.read_only.splice(0..0, kept);
    suggestion
}

fn reads(surveyed: &SurveyedTool) -> bool {
    match surveyed.is_classified {
        true => surveyed.tool.effect == EffectClass::ReadOnly,
        false => reading_pattern(&surveyed.tool.name).is_some(),
    }
}

/// Returns a pattern for similar names if this name suggests that the tool reads.
fn reading_pattern(name: &str) -> Option<String> {
    let words = words(name);
    let has_word_of = |list: &[&str]| {
        let mut of_name = words.iter();
        of_name.any(|(_, word)| list.contains(&word.as_str()))
    };
    if has_word_of(CHANGES) {
        return None;
    }
    // Positions of the verb in `get_pods`, `k8s_get_pods` and `pods_list`.
    let is_verb = |at: &usize| READS.contains(&words[*at].1.as_str());
    let places = [0, 1, words.len().saturating_sub(1)];
    let at = places
        .into_iter()
        .filter(|at| *at < words.len())
        .find(is_verb)?;
    let (end, verb) = &words[at];
    if verb == "query" && (at + 1 == words.len() || has_word_of(LANGUAGES)) {
        return None;
    }
    if at + 1 == words.len() {
        let begin = end - verb.len();
        return Some(format!("*{}", &name[begin.saturating_sub(1)..]));
    }
    let separator = name[*end..].chars().next().filter(|c| !c.is_alphanumeric());
    let end = end + separator.map_or(0, char::len_utf8);
    Some(format!("{}*", &name[..end]))
}

/// Splits a name into words in lower case, each with the byte at which it ends. `getPods`, `get_pods` and `get-pods`
/// have two words.
fn words(name: &str) -> Vec<(usize, String)> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut before = ' ';
    for (at, c) in name.char_indices() {
        let begins = !c.is_alphanumeric() || c.is_uppercase() && before.is_lowercase();
        if begins && !word.is_empty() {
            words.push((at, std::mem::take(&mut word)));
        }
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
        before = c;
    }
    if !word.is_empty() {
        words.push((name.len(), word));
    }
    words
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::survey::Admission;
    use crate::tool::{ToolInfo, ToolPin};

    fn tool(name: &str, effect: Option<EffectClass>) -> SurveyedTool {
        SurveyedTool {
            tool: ToolInfo {
                server: "s".to_owned(),
                name: name.to_owned(),
                description: String::new(),
                input_schema: json!({}),
                effect: effect.unwrap_or(EffectClass::Destructive),
                pin: ToolPin::new(name, "", &json!({})),
            },
            admission: Admission::Destructive,
            is_classified: effect.is_some(),
        }
    }

    fn suggested(names: &[&str]) -> EffectSuggestion {
        let tools: Vec<SurveyedTool> = names.iter().map(|name| tool(name, None)).collect();
        suggested_effects(&tools)
    }

    #[test]
    fn names_that_read_become_patterns() {
        let suggestion = suggested(&[
            "get_pods",
            "get_events",
            "list_nodes",
            "delete_pod",
            "getLogs",
            "getMetrics",
            "aws_describe_instances",
            "aws_describe_volumes",
            "topics_list",
            "groups_list",
            "ping",
        ]);
        assert_eq!(
            suggestion.read_only,
            ["get*", "aws_describe_*", "*_list", "list_nodes"]
        );
        assert_eq!(suggestion.undecided, ["delete_pod", "ping"]);
    }

    #[test]
    fn a_word_of_change_or_a_statement_is_left_to_a_person() {
        let names = [
            "get_or_create_topic",
            "list_and_delete",
            "query",
            "sql_query",
            "query_database",
            "run_query",
            "restart",
            "reset_view",
        ];
        assert_eq!(suggested(&names).undecided, names);
        assert_eq!(suggested(&["query_range"]).read_only, ["query_range"]);
    }

    #[test]
    fn no_pattern_covers_a_tool_that_changes_something() {
        let tools = [
            tool("get_a", None),
            tool("get_b", None),
            tool("get_lock", Some(EffectClass::Destructive)),
        ];
        assert_eq!(suggested_effects(&tools).read_only, ["get_a", "get_b"]);
    }

    proptest! {
        /// Each tool gets one decision, and no suggestion matches a tool that does not read.
        #[test]
        fn a_suggestion_fits_only_what_reads(
            names in proptest::collection::vec("(get|list|set|delete|pods|query|Read|db)([_.-]?(get|list|pods|update|Logs|sql)){0,3}", 1..12),
        ) {
            let tools: Vec<SurveyedTool> = names.iter().map(|name| tool(name, None)).collect();
            let suggestion = suggested_effects(&tools);
            for surveyed in &tools {
                let name = &surveyed.tool.name;
                let is_read = suggestion.read_only.iter().any(|pattern| fits(pattern, name));
                prop_assert_eq!(is_read, !suggestion.undecided.contains(name));
                prop_assert_eq!(is_read, reading_pattern(name).is_some());
            }
        }
    }
}
