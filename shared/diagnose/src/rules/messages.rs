//! Helpers to search messages and to write sentences.

/// Whether a text contains any of these words, which are in lower case. The case of the text is ignored.
pub(super) fn has<W: AsRef<str>>(text: &str, words: &[W]) -> bool {
    let lower = text.to_ascii_lowercase();
    words.iter().any(|word| lower.contains(word.as_ref()))
}

/// Returns the first text between two marks; `None` if it is empty or has 200 bytes or more.
pub(super) fn between<'t>(text: &'t str, before: &str, after: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(before)?;
    let (inner, _) = rest.split_once(after)?;
    (!inner.is_empty() && inner.len() < 200).then_some(inner)
}

/// Returns the first text in double quotes; empty if there is none.
pub(super) fn quoted(text: &str) -> &str {
    between(text, "\"", "\"").unwrap_or_default()
}

/// Returns the first of two texts that is not empty.
pub(super) fn first<'t>(one: &'t str, other: &'t str) -> &'t str {
    if one.is_empty() { other } else { one }
}

/// Shortens a message for use in a sentence: its first line, at most 220 characters.
pub(super) fn short(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default().trim();
    match line.char_indices().nth(220) {
        Some((end, _)) => format!("{}..", &line[..end]),
        None => line.trim_end_matches('.').to_owned(),
    }
}

/// Puts a text between two others; returns an empty text if it is empty.
pub(super) fn within(before: &str, text: &str, after: &str) -> String {
    match text {
        "" => String::new(),
        text => format!("{before}{text}{after}"),
    }
}

/// Returns a sentence that quotes a message of Kubernetes; empty if the message is empty.
pub(super) fn reported(message: &str) -> String {
    within(" Kubernetes reports: ", &short(message), ".")
}

/// Writes labels as a selector: `app=api,tier=web`.
pub(super) fn selector(labels: &[(&str, &str)]) -> String {
    let pairs = labels.iter().map(|(key, value)| format!("{key}={value}"));
    pairs.collect::<Vec<_>>().join(",")
}
