//! Summarises an analysis in one line.

/// Maximum length of a headline, in characters.
const LONGEST: usize = 160;

/// Headings that are skipped, because they only name the kind of text.
const FORMAL: [&str; 8] = [
    "analysis",
    "conclusion",
    "executive summary",
    "final analysis",
    "final answer",
    "report",
    "root cause",
    "summary",
];

/// Returns the first line with content of a Markdown text, without its markup.
pub(crate) fn headline(markdown: &str) -> Option<String> {
    let mut lines = markdown.lines().map(plain);
    let line = lines.find(|line| {
        let word = line.trim_end_matches(':').to_lowercase();
        line.chars().any(char::is_alphanumeric) && !FORMAL.contains(&word.as_str())
    })?;
    let mut short: String = line.chars().take(LONGEST).collect();
    if short.len() < line.len() {
        short.push('…');
    }
    Some(short)
}

/// Removes the markup of headings, lists, quotes, emphasis and code from a line.
fn plain(line: &str) -> String {
    let text = line.trim_start_matches(['#', '>', '-', '*', '+', ' ', '\t']);
    text.replace(['*', '`'], "").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::headline;

    #[test]
    fn the_first_line_with_text_without_marks() {
        for (markdown, expected) in [
            ("# It was DNS\n\nThe resolver.", "It was DNS"),
            (
                "\n## Root Cause:\n\nThe `resolver` was **down**.",
                "The resolver was down.",
            ),
            ("**Summary**\n---\n> - it works again", "it works again"),
            ("Plain text", "Plain text"),
        ] {
            assert_eq!(headline(markdown).as_deref(), Some(expected));
        }
        assert_eq!(headline("# Analysis\n\n***"), None);
        assert_eq!(
            headline(&"ä".repeat(300)).map(|line| line.chars().count()),
            Some(161)
        );
    }
}
