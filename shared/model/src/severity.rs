//! Severities of alerts: their order, their words, and the job priority of each.

use crate::Comparison;

/// Words for severities, the least severe first. The words of one row have the same rank.
const WORDS: [&[&str]; 5] = [
    &[
        "info",
        "informational",
        "information",
        "notice",
        "debug",
        "none",
        "ok",
        "p5",
        "sev5",
    ],
    &["low", "minor", "p4", "sev4"],
    &[
        "warning", "warn", "medium", "moderate", "average", "p3", "sev3",
    ],
    &["high", "major", "error", "p2", "sev2"],
    &[
        "critical",
        "fatal",
        "emergency",
        "page",
        "disaster",
        "p1",
        "sev1",
    ],
];

/// Rank of an unknown or missing severity: that of a warning.
pub const UNKNOWN_SEVERITY_RANK: usize = 2;

/// Returns the rank of a severity, 4 for the most severe.
#[must_use]
pub fn severity_rank(severity: &str) -> usize {
    let word = severity.trim().to_lowercase();
    severity_words()
        .find(|(_, words)| words.contains(&word.as_str()))
        .map_or(UNKNOWN_SEVERITY_RANK, |(rank, _)| rank)
}

/// Returns the words for severities in lower case, by rank.
pub fn severity_words() -> impl Iterator<Item = (usize, &'static [&'static str])> {
    WORDS.into_iter().enumerate()
}

/// Returns the severities that compare with `word` in this way, in each spelling that senders use: lower case, upper
/// case, and capitalised. Returns `None` if `word` is no severity.
#[must_use]
pub fn severities_compared(comparison: Comparison, word: &str) -> Option<Vec<String>> {
    let word = word.to_lowercase();
    let rank = WORDS
        .iter()
        .position(|words| words.contains(&word.as_str()))?;
    let those = WORDS.iter().enumerate();
    let those = those.filter(|(other, _)| comparison.holds(other, &rank));
    let words = those.flat_map(|(_, words)| words.iter());
    let written = words.flat_map(|word| {
        let (first, rest) = word.split_at(1);
        [
            (*word).to_owned(),
            word.to_uppercase(),
            format!("{}{rest}", first.to_uppercase()),
        ]
    });
    Some(written.collect())
}

/// Returns the priority of a job for an alert of this severity: 3 is first, 0 last.
///
/// Severities are free text. The words of the common monitoring systems are recognised in any case; any other word
/// counts as a warning.
#[must_use]
pub fn priority_of(severity: &str) -> i16 {
    match severity.trim().to_ascii_lowercase().as_str() {
        "critical" | "page" | "emergency" | "fatal" | "p1" | "sev1" | "disaster" => 3,
        "high" | "error" | "major" | "p2" | "sev2" => 2,
        "info" | "informational" | "low" | "debug" | "notice" | "ok" | "none" | "p4" | "p5"
        | "sev4" | "sev5" => 0,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::priority_of;

    #[test]
    fn a_page_precedes_a_warning_and_a_notice_is_last() {
        assert!(priority_of("CRITICAL") > priority_of("high"));
        assert!(priority_of("high") > priority_of("warning"));
        assert_eq!(priority_of("warning"), priority_of("whatever"));
        assert!(priority_of("warning") > priority_of("info"));
    }

    #[test]
    fn a_word_has_the_rank_of_those_that_mean_the_same() {
        use crate::severity_rank;
        assert_eq!(severity_rank(" P1 "), severity_rank("critical"));
        assert!(severity_rank("Critical") > severity_rank("high"));
        assert!(severity_rank("low") > severity_rank("none"));
        assert_eq!(severity_rank("weird"), severity_rank("warning"));
    }

    #[test]
    fn severities_are_compared_by_their_rank() {
        use crate::{Comparison, severities_compared};
        let found = severities_compared(Comparison::GreaterOrEqual, "High").unwrap();
        for word in ["high", "HIGH", "Critical", "p1", "P2", "error"] {
            assert!(found.contains(&word.to_owned()), "{word}");
        }
        assert!(!found.contains(&"warning".to_owned()));
        let below = severities_compared(Comparison::Less, "low").unwrap();
        assert!(below.contains(&"info".to_owned()) && !below.contains(&"low".to_owned()));
        assert_eq!(severities_compared(Comparison::Less, "weird"), None);
    }
}
