//! Compares texts by their words.

/// Words that carry no information about an incident.
const STOP_WORDS: [&str; 24] = [
    "a", "an", "and", "are", "as", "at", "be", "by", "for", "from", "has", "in", "is", "it", "its",
    "of", "on", "or", "that", "the", "this", "to", "was", "with",
];
/// A wording with more words than this, not counting stop words, need not occur completely.
const SHORT: usize = 3;
/// Least share of a longer wording's words that must occur.
const SHARE: f64 = 0.6;

/// Returns the words of a text in lower case. A word may contain `-`, `_`, `.` and `%`, as names of resources do.
pub(crate) fn words(text: &str) -> Vec<String> {
    let is_inside = |c: char| c.is_alphanumeric() || "-_.%".contains(c);
    text.split(|c| !is_inside(c))
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric() && c != '%'))
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

/// Returns whether a text contains this wording. All words of a short wording must occur in a row; of a longer one,
/// most words must occur anywhere.
pub(crate) fn says(text: &str, wording: &str) -> bool {
    let (said, wanted) = (words(text), words(wording));
    let is_telling = |word: &&String| !STOP_WORDS.contains(&word.as_str());
    let telling: Vec<&String> = wanted.iter().filter(is_telling).collect();
    if telling.len() <= SHORT {
        return !wanted.is_empty()
            && said.windows(wanted.len()).any(|row| {
                let mut pairs = row.iter().zip(&wanted);
                pairs.all(|(word, wanted)| names(word, wanted))
            });
    }
    let is_said = |wanted: &&&String| said.iter().any(|word| names(word, wanted));
    let found = telling.iter().filter(is_said).count();
    found as f64 >= telling.len() as f64 * SHARE
}

/// Returns whether a word of a text is the wanted one, its plural, or a name that begins with it: `coredns-7c65` for
/// `coredns`. Numbers must be equal.
fn names(word: &str, wanted: &str) -> bool {
    let Some(rest) = word.strip_prefix(wanted) else {
        return false;
    };
    let is_name = wanted.chars().any(char::is_alphabetic);
    rest.is_empty() || is_name && (rest == "s" || rest.starts_with(['-', '_']))
}

#[cfg(test)]
mod tests {
    use super::says;

    #[test]
    fn short_wordings_are_said_whole_and_long_ones_mostly() {
        let answer = "The pod `payments-api-7f9d` was **OOMKilled** (exit code 137).";
        assert!(says(answer, "Exit code 137"));
        assert!(says(answer, "oomkilled"));
        assert!(!says(answer, "exit code 1") && !says(answer, ""));
        assert!(says(answer, "payments-api") && !says(answer, "payments-ap"));
        assert!(!says(answer, "code exit 137"));
        assert!(says(
            answer,
            "the pod payments-api-7f9d was killed with exit code 137"
        ));
        assert!(!says(
            answer,
            "the node ran out of disk and evicted the pod"
        ));
    }
}
