//! Splits an answer into parts by its headings.

use crate::sentences::sentences;
use crate::text::beginning;
use crate::words::Words;

/// Titles of parts that contain proposals, not findings.
static PROPOSALS: Words = Words::new(include_str!("words/proposals.txt"));

/// Titles that count as headings without a mark, if a colon follows.
static TITLES: Words = Words::new(include_str!("words/titles.txt"));

/// Returns the sentences of an answer's root cause, or of its first paragraph if it has no such part.
#[must_use]
pub fn root_cause_sentences(answer: &str) -> Vec<String> {
    sentences(Report::parse(beginning(answer, crate::MAX_ANSWER_BYTES)).root_cause())
}

/// An answer, split at its headings: pairs of a title in lower case and its text. The first pair is the text before any
/// heading, with an empty title.
pub(crate) struct Report(Vec<(String, String)>);

impl Report {
    pub(crate) fn parse(answer: &str) -> Self {
        let mut head = Vec::new();
        let mut sections: Vec<(String, Vec<&str>)> = Vec::new();
        for line in answer.lines() {
            match (heading(line), sections.last_mut()) {
                (Some((title, "")), _) => sections.push((title, Vec::new())),
                (Some((title, rest)), _) => sections.push((title, vec![rest])),
                (None, Some((_, lines))) => lines.push(line),
                (None, None) => head.push(line),
            }
        }
        let head = head.join("\n");
        let head = head.trim().trim_start_matches("Final Answer:").trim();
        let sections = sections
            .into_iter()
            .map(|(title, lines)| (title, lines.join("\n")));
        let head = (String::new(), head.to_owned());
        Self([head].into_iter().chain(sections).collect())
    }

    /// Returns the text of the first part whose title contains these words.
    pub(crate) fn section(&self, title: &str) -> Option<&str> {
        let (_, text) = self.0.iter().find(|(known, _)| known.contains(title))?;
        Some(text)
    }

    /// Returns the part about the root cause, or the first paragraph if there is no such part.
    pub(crate) fn root_cause(&self) -> &str {
        self.section("root cause")
            .filter(|text| !text.trim().is_empty())
            .unwrap_or_else(|| self.first_paragraph())
    }

    pub(crate) fn first_paragraph(&self) -> &str {
        let mut paragraphs = self.0.iter().flat_map(|(_, text)| text.split("\n\n"));
        paragraphs
            .find(|paragraph| !paragraph.trim().is_empty())
            .unwrap_or_default()
    }

    /// Returns the text of all parts except proposals.
    pub(crate) fn findings(&self) -> String {
        let found = self.0.iter().filter(|(title, _)| !PROPOSALS.is_in(title));
        let texts: Vec<&str> = found.map(|(_, text)| text.as_str()).collect();
        texts.join("\n\n")
    }
}

/// Returns the title of a heading, and the rest of its line.
fn heading(line: &str) -> Option<(String, &str)> {
    let line = line.trim();
    if line.starts_with('#') {
        return Some((line.trim_matches(['#', ' ', '*', ':']).to_lowercase(), ""));
    }
    if let Some(rest) = line.strip_prefix("**")
        && let Some((title, rest)) = rest.split_once("**")
    {
        let is_title = title.ends_with(':') || rest.starts_with(':') || rest.trim().is_empty();
        return (is_title && title.len() < 40).then(|| {
            (
                title.trim_matches([':', ' ']).to_lowercase(),
                rest.trim_start_matches(':').trim(),
            )
        });
    }
    let (title, rest) = line.split_once(':')?;
    let title = title.trim().to_lowercase();
    TITLES.has(&title).then_some((title, rest.trim()))
}
