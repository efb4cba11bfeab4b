//! Selects the words of a query that are worth searching.

/// Most words that are searched. Each needs its own search.
const MOST: usize = 8;
/// Shortest word, in characters. The index does not contain shorter ones.
const SHORTEST: usize = 3;

/// Words that give no information about a session.
const PLAIN: [&str; 40] = [
    "about", "after", "and", "any", "are", "been", "before", "but", "can", "did", "does", "for",
    "from", "had", "has", "have", "how", "into", "its", "not", "now", "our", "out", "that", "the",
    "their", "them", "then", "there", "this", "was", "were", "what", "when", "where", "which",
    "who", "why", "with", "you",
];

/// Returns the first words of a query, in lower case, without duplicates.
pub(crate) fn words(query: &str) -> Vec<String> {
    let is_inner = |c: char| c.is_alphanumeric() || "-_./:@".contains(c);
    let mut words: Vec<String> = Vec::new();
    for word in query.split(|c: char| !is_inner(c)) {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        let word = word.to_lowercase();
        let is_known = PLAIN.contains(&word.as_str()) || words.contains(&word);
        if word.chars().count() >= SHORTEST && !is_known {
            words.push(word);
        }
    }
    words.truncate(MOST);
    words
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn identifiers_stay_whole_and_plain_words_are_left_out() {
        assert_eq!(
            words("Why was (checkout-7f9.eu) at 10.0.0.7 OOMKilled? The checkout-7f9.eu, why?"),
            ["checkout-7f9.eu", "10.0.0.7", "oomkilled"]
        );
        assert!(words("is it \" of' the?").is_empty());
        assert_eq!(words(&"word ".repeat(5)).len(), 1);
        let many: Vec<String> = (100..120).map(|n| format!("w{n}")).collect();
        assert_eq!(words(&many.join(" ")).len(), 8);
    }
}
