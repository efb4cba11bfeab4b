//! Words in messages of Kubernetes and of applications.

/// Whether a text has one of these, whatever its case.
pub(super) fn has<W: AsRef<str>>(text: &str, words: &[W]) -> bool {
    let lower = text.to_ascii_lowercase();
    words.iter().any(|word| lower.contains(word.as_ref()))
}

/// The text between two marks, at its first occurrence.
pub(super) fn between<'t>(text: &'t str, before: &str, after: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(before)?;
    let (inner, _) = rest.split_once(after)?;
    (!inner.is_empty() && inner.len() < 200).then_some(inner)
}

/// The first text in double quotes; empty if there is none.
pub(super) fn quoted(text: &str) -> &str {
    between(text, "\"", "\"").unwrap_or_default()
}

/// The first of two texts that is not empty.
pub(super) fn first<'t>(one: &'t str, other: &'t str) -> &'t str {
    if one.is_empty() { other } else { one }
}

/// A message short enough for a sentence.
pub(super) fn short(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default().trim();
    match line.char_indices().nth(220) {
        Some((end, _)) => format!("{}..", &line[..end]),
        None => line.trim_end_matches('.').to_owned(),
    }
}

/// A text between two others; empty if there is no text.
pub(super) fn within(before: &str, text: &str, after: &str) -> String {
    match text {
        "" => String::new(),
        text => format!("{before}{text}{after}"),
    }
}

/// A sentence that repeats what Kubernetes reports; empty if that is empty.
pub(super) fn reported(message: &str) -> String {
    within(" Kubernetes reports: ", &short(message), ".")
}

/// Labels as a selector: `app=api,tier=web`.
pub(super) fn selector(labels: &[(&str, &str)]) -> String {
    let pairs = labels.iter().map(|(key, value)| format!("{key}={value}"));
    pairs.collect::<Vec<_>>().join(",")
}
