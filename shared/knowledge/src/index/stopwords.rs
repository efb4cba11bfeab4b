//! English stopwords.

const WORDS: [&str; 68] = [
    "a", "about", "after", "all", "also", "an", "and", "any", "are", "as", "at", "be", "been",
    "but", "by", "can", "could", "did", "do", "does", "for", "from", "had", "has", "have", "how",
    "i", "if", "in", "into", "is", "it", "its", "me", "my", "no", "not", "of", "on", "or", "our",
    "should", "so", "some", "such", "than", "that", "the", "their", "them", "then", "there",
    "these", "they", "this", "those", "to", "was", "we", "were", "what", "when", "where", "which",
    "who", "will", "with", "would",
];

/// Whether a lower-case word is a stopword. Stopwords are left out of the index and of questions.
pub(super) fn is_stopword(word: &str) -> bool {
    WORDS.binary_search(&word).is_ok()
}

#[cfg(test)]
mod tests {
    use super::{WORDS, is_stopword};

    #[test]
    fn words_are_sorted() {
        assert!(WORDS.is_sorted());
        assert!(is_stopword("the") && !is_stopword("reboot"));
    }
}
