//! Finds tools by exact names or words.

use tarsy_mcp::ToolInfo;

use crate::paging::OWN_SERVER;
use crate::resolve::resolve;

/// Most tools that one search by words loads.
const MOST_FOUND: usize = 8;
/// Most tools that are loaded by their names at once.
const MOST_NAMED: usize = 20;
/// Most words of a query.
const MOST_WORDS: usize = 30;
/// Words that carry no information about a tool.
const COMMON: [&str; 14] = [
    "a", "an", "and", "by", "for", "from", "in", "of", "on", "or", "the", "to", "tool", "with",
];

/// Returns the tools that a query means, best first, and how many more match.
pub(super) fn find<'a>(query: &str, offers: &'a [ToolInfo]) -> (Vec<&'a ToolInfo>, usize) {
    let mut named: Vec<&ToolInfo> = Vec::new();
    let mut others = Vec::new();
    let parts = query.split(|char: char| char.is_whitespace() || ",;\"`[]()".contains(char));
    let parts: Vec<&str> = parts
        .filter(|part| !part.is_empty())
        .take(MOST_WORDS)
        .collect();
    for part in &parts {
        // A plain word among others may be the bare name of a tool by chance.
        let is_name = parts.len() == 1 || part.contains(|char: char| !char.is_alphanumeric());
        match resolve(part, offers) {
            Ok(tool) if is_name && tool.server != OWN_SERVER => {
                if !named.iter().any(|one| std::ptr::eq(*one, tool)) {
                    named.push(tool);
                }
            }
            _ => others.push(*part),
        }
    }
    if !named.is_empty() {
        let left = named.len().saturating_sub(MOST_NAMED);
        named.truncate(MOST_NAMED);
        return (named, left);
    }
    let mut words: Vec<String> = others.iter().flat_map(|part| words(part)).collect();
    words.retain(|word| !COMMON.contains(&word.as_str()));
    words.sort();
    words.dedup();
    let offers = offers.iter().filter(|offer| offer.server != OWN_SERVER);
    let scored = offers.map(|offer| (score(offer, &words), offer));
    let mut scored: Vec<_> = scored.filter(|(score, _)| *score > 0).collect();
    // The sort is stable: tools with equal scores stay in the order of the servers.
    scored.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    let left = scored.len().saturating_sub(MOST_FOUND);
    let found = scored.into_iter().map(|(_, offer)| offer);
    (found.take(MOST_FOUND).collect(), left)
}

/// Scores how well a tool matches the words. A word in its name counts more than one in its description. An
/// additional matching word counts more than this difference.
fn score(offer: &ToolInfo, query: &[String]) -> usize {
    let name = words(&format!("{} {}", offer.server, offer.name));
    let description = words(&offer.description);
    let of_word = |word: &String| match word {
        word if name.contains(word) => 14,
        word if name.iter().any(|part| part.starts_with(word.as_str())) => 13,
        word if description.contains(word) => 11,
        _ => 0,
    };
    query.iter().map(of_word).sum()
}

/// Returns the words of a text, in lower case and without the `s` of a plural. `podsList` has two words.
fn words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for char in text.chars() {
        if !char.is_alphanumeric() || (was_lower && char.is_uppercase()) {
            words.push(String::new());
        }
        was_lower = char.is_lowercase();
        if let Some(word) = words.last_mut().filter(|_| char.is_alphanumeric()) {
            word.extend(char.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    for word in &mut words {
        if word.len() > 3 && word.ends_with('s') && !word.ends_with("ss") {
            word.pop();
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;
    use tarsy_mcp::ToolPin;
    use tarsy_model::EffectClass;

    use super::*;

    fn offers() -> Vec<ToolInfo> {
        let tools = [
            ("k8s", "pods_list", "List pods in a namespace"),
            ("k8s", "pods_log", "Logs of a container"),
            ("k8s", "eventsList", "Events of a namespace"),
            ("loki", "query_logs", "Search log lines"),
            ("db", "replication_slots", "Slots and their retained WAL"),
            ("tarsy", "find_tools", "Load tools of logs and events"),
        ];
        let offer = |(server, name, description): (&str, &str, &str)| ToolInfo {
            server: server.into(),
            name: name.into(),
            description: description.into(),
            input_schema: Value::Null,
            effect: EffectClass::ReadOnly,
            pin: ToolPin::new(name, description, &Value::Null),
        };
        tools.map(offer).into()
    }

    #[test]
    fn tools_are_found_by_names_or_words() {
        let offers = offers();
        for (query, expected) in [
            ("k8s.pods_log", vec!["pods_log"]),
            (
                "pods_log, db__replication_slots pods_log",
                vec!["pods_log", "replication_slots"],
            ),
            ("[\"k8s.pods_log\"]", vec!["pods_log"]),
            ("logs", vec!["pods_log", "query_logs"]),
            ("pod logs", vec!["pods_log", "pods_list", "query_logs"]),
            ("the events of a namespace", vec!["eventsList", "pods_list"]),
            ("WAL", vec!["replication_slots"]),
            ("", vec![]),
            ("of the", vec![]),
            ("find_tools", vec![]),
        ] {
            let (found, left) = find(query, &offers);
            let found: Vec<&str> = found.iter().map(|tool| tool.name.as_str()).collect();
            assert_eq!((found, left), (expected, 0), "{query}");
        }
    }

    proptest! {
        #[test]
        fn any_query_finds_a_bounded_number_of_tools(query in "\\PC{0,200}") {
            let offers = offers();
            let (found, _) = find(&query, &offers);
            prop_assert!(found.len() <= MOST_NAMED);
        }
    }
}
