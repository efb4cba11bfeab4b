//! Parts of a report.

use crate::sentences::sentences;
use crate::text::beginning;

/// Titles of parts whose names are proposals, not findings.
const PROPOSALS: [&str; 7] = [
    "next steps",
    "recommend",
    "remediation",
    "confidence",
    "mitigation",
    "prevention",
    "action",
];

/// The sentences of an answer's root cause, or of its first paragraph.
#[must_use]
pub fn root_cause_sentences(answer: &str) -> Vec<String> {
    sentences(&Report::parse(beginning(answer, crate::MAX_ANSWER_BYTES)).root_cause())
}

/// A report, taken apart at its headings.
#[derive(Clone, Debug, Default)]
pub(crate) struct Report<'a> {
    /// What stands before the first heading.
    pub(crate) head: String,
    /// Titles in lower case, and what stands below them.
    sections: Vec<(String, Vec<&'a str>)>,
}

impl<'a> Report<'a> {
    pub(crate) fn parse(answer: &'a str) -> Self {
        let mut head: Vec<&str> = Vec::new();
        let mut sections: Vec<(String, Vec<&'a str>)> = Vec::new();
        for line in answer.lines() {
            match (heading(line), sections.last_mut()) {
                (Some((title, rest)), _) => {
                    sections.push((title, Vec::from_iter((!rest.is_empty()).then_some(rest))));
                }
                (None, Some((_, lines))) => lines.push(line),
                (None, None) => head.push(line),
            }
        }
        let head = head.join("\n");
        Self {
            head: head
                .trim()
                .trim_start_matches("Final Answer:")
                .trim()
                .to_owned(),
            sections,
        }
    }

    /// The text of the first part whose title begins like this.
    pub(crate) fn section(&self, title: &str) -> Option<String> {
        let (_, lines) = self
            .sections
            .iter()
            .find(|(known, _)| known.contains(title))?;
        Some(lines.join("\n"))
    }

    /// What says the cause: its own part, or the first paragraph.
    pub(crate) fn root_cause(&self) -> String {
        self.section("root cause")
            .filter(|text| !text.trim().is_empty())
            .unwrap_or_else(|| self.first_paragraph())
    }

    pub(crate) fn first_paragraph(&self) -> String {
        let first_section = || {
            self.sections
                .iter()
                .map(|(_, lines)| lines.join("\n"))
                .find(|text| !text.trim().is_empty())
        };
        let text = match self.head.is_empty() {
            true => first_section().unwrap_or_default(),
            false => self.head.clone(),
        };
        text.split("\n\n")
            .find(|paragraph| !paragraph.trim().is_empty())
            .unwrap_or_default()
            .to_owned()
    }

    /// What the answer says it found, without what it proposes.
    pub(crate) fn findings(&self) -> String {
        let found = self
            .sections
            .iter()
            .filter(|(title, _)| !PROPOSALS.iter().any(|word| title.contains(word)));
        let mut text = self.head.clone();
        for (_, lines) in found {
            text.push_str("\n\n");
            text.push_str(&lines.join("\n"));
        }
        text
    }
}

/// The title of a heading, and what stands after it in its line.
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
    matches!(
        title.as_str(),
        "root cause" | "evidence" | "impact" | "next steps" | "recommendations" | "confidence"
    )
    .then_some((title, rest.trim()))
}
