//! Turns titles that a model wrote as labels, `Root cause: ..`, into headings of a report.

/// Titles of the parts of a report, as its form names them: [`crate::prompt::report`].
const TITLES: [&str; 6] = [
    "Root cause",
    "Evidence",
    "Ruled out",
    "Impact",
    "Next steps",
    "Confidence",
];

/// Least number of different titles that make a text a report.
const LEAST_TITLES: usize = 2;

/// Returns whether a text is a report: it has Markdown headings, or lines that begin with different report titles.
pub(crate) fn is_report(text: &str) -> bool {
    text.lines().filter(|line| is_heading(line)).count() >= LEAST_TITLES || is_labelled(text)
}

/// Returns a report with its labels turned into headings, because readers find its parts by their headings. Any other
/// text stays unchanged.
pub(crate) fn with_headings(text: &str) -> String {
    if text.lines().any(is_heading) || !is_labelled(text) {
        return text.to_owned();
    }
    let lines = labels(text).map(|(line, label)| match label {
        Some((title, rest)) => format!("\n## {title}\n\n{rest}"),
        None => line.to_owned(),
    });
    lines.collect::<Vec<_>>().join("\n").trim().to_owned()
}

fn is_labelled(text: &str) -> bool {
    let found = labels(text).filter_map(|(_, label)| label);
    let mut titles: Vec<&str> = found.map(|(title, _)| title).collect();
    titles.sort_unstable();
    titles.dedup();
    titles.len() >= LEAST_TITLES
}

/// Returns the lines of a text with their labels. Lines in a code block have none, because they quote output.
fn labels(text: &str) -> impl Iterator<Item = (&str, Option<(&'static str, &str)>)> {
    let mut in_block = false;
    text.lines().map(move |line| {
        let is_fence = line.trim_start().starts_with("```");
        in_block ^= is_fence;
        let label = if in_block || is_fence {
            None
        } else {
            label(line)
        };
        (line, label)
    })
}

fn is_heading(line: &str) -> bool {
    let title = line.trim_start_matches('#');
    title.len() < line.len() && title.starts_with(' ')
}

/// Returns the title that a line begins with, and the text after its colon: `**Root cause:** The quota.`
fn label(line: &str) -> Option<(&'static str, &str)> {
    let bare = line.trim_start().trim_start_matches('*');
    let title = TITLES.into_iter().find(|title| {
        let start = bare.get(..title.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(title))
    })?;
    let rest = bare[title.len()..].trim_start_matches('*');
    let rest = rest.strip_prefix(':')?;
    Some((title, rest.trim_start_matches('*').trim()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const LABELLED: &str = "The quota was used up.\n\nRoot cause: The quota `pods` is 10.\nEvidence: `exceeded quota`\n\
        **Next steps:** Raise it.\n**Confidence**: high";

    #[test]
    fn labels_become_headings() {
        assert!(is_report(LABELLED));
        let headed = "The quota was used up.\n\n\n## Root cause\n\nThe quota `pods` is 10.\n\n## Evidence\n\n`exceeded quota`\n\n\
            ## Next steps\n\nRaise it.\n\n## Confidence\n\nhigh";
        assert_eq!(with_headings(LABELLED), headed);
        assert_eq!(with_headings(headed), headed);
    }

    #[test]
    fn one_label_is_no_report_and_headings_stay() {
        for text in [
            "I look for the root cause: the pod first.",
            "Root cause: the quota.\nRoot cause: the quota.",
            "Evidence is missing.\nImpact is unknown.",
            "Impacts: a\nEvidences: b",
            "The file says:\n```\nImpact: high\nEvidence: none\n```",
        ] {
            assert!(!is_report(text), "{text}");
            assert_eq!(with_headings(text), text);
        }
        let headed = "# What\n\nRoot cause: a\nEvidence: b";
        assert_eq!(with_headings(headed), headed);
    }

    proptest! {
        #[test]
        fn headings_keep_every_word(text in "((Root cause|Impact|\\*\\*Evidence\\*\\*)?:?[ a-zé*\n]{0,9}){0,8}") {
            let words = |text: &str| {
                let text = text.to_lowercase().replace(['#', '*', ':'], " ");
                text.split_whitespace().map(str::to_owned).collect::<Vec<_>>()
            };
            prop_assert_eq!(words(&with_headings(&text)), words(&text));
        }
    }
}
