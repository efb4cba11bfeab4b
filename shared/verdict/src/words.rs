//! Lists of words in files, one per line.

use std::sync::OnceLock;

/// A list of words or phrases. In its file, `_` stands for a blank at an end of a phrase.
pub(crate) struct Words {
    file: &'static str,
    words: OnceLock<Vec<String>>,
}

impl Words {
    pub(crate) const fn new(file: &'static str) -> Self {
        Self {
            file,
            words: OnceLock::new(),
        }
    }

    pub(crate) fn iter(&self) -> std::slice::Iter<'_, String> {
        let read = || self.file.lines().map(|line| line.replace('_', " "));
        self.words.get_or_init(|| read().collect()).iter()
    }

    /// Whether the list contains this word.
    pub(crate) fn has(&self, word: &str) -> bool {
        self.iter().any(|known| known == word)
    }

    /// Whether a text contains any of the words.
    pub(crate) fn is_in(&self, text: &str) -> bool {
        self.iter().any(|word| text.contains(word))
    }

    /// Whether a text begins with any of the words.
    pub(crate) fn begins(&self, text: &str) -> bool {
        self.iter().any(|word| text.starts_with(word))
    }

    /// Whether a text ends with any of the words.
    pub(crate) fn ends(&self, text: &str) -> bool {
        self.iter().any(|word| text.ends_with(word))
    }

    /// Returns the byte at which the first occurrence of any of the words begins.
    pub(crate) fn first_in(&self, text: &str) -> Option<usize> {
        self.iter().filter_map(|word| text.find(word)).min()
    }
}
