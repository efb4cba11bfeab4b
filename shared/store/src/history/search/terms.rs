//! Splits a search text into terms, all of which must match.

/// Returns the words and quoted phrases of a search text, in order. An unclosed quote counts as a character. `disk
/// "out of memory" eu-1` gives `disk`, `out of memory` and `eu-1`.
pub(crate) fn terms(text: &str) -> Vec<String> {
    let mut terms = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let (term, after) = match rest
            .strip_prefix('"')
            .and_then(|inner| inner.split_once('"'))
        {
            Some(phrase) => phrase,
            None => rest.split_at(rest.find(char::is_whitespace).unwrap_or(rest.len())),
        };
        if !term.trim().is_empty() {
            terms.push(term.to_owned());
        }
        rest = after.trim_start();
    }
    terms
}

#[cfg(test)]
mod tests {
    use super::terms;

    #[test]
    fn words_are_split_and_phrases_kept_together() {
        assert_eq!(terms("disk full"), ["disk", "full"]);
        assert_eq!(
            terms(r#" disk "out of memory"  eu"#),
            ["disk", "out of memory", "eu"]
        );
        assert_eq!(terms(r#""full disk""#), ["full disk"]);
        // A quote without a partner is an ordinary character.
        assert_eq!(terms(r#"say "no more"#), ["say", "\"no", "more"]);
        assert_eq!(terms(r#"a""b"#), [r#"a""b"#]);
        assert!(terms(r#"  "" " "  "#).is_empty());
    }
}
