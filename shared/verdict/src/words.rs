//! Lists of words in files, one a line.

/// A list of words.
#[derive(Clone, Copy)]
pub(crate) struct Words(&'static str);

impl Words {
    pub(crate) const fn new(file: &'static str) -> Self {
        Self(file)
    }

    pub(crate) fn iter(self) -> std::str::Lines<'static> {
        self.0.lines()
    }

    /// Whether it has this word.
    pub(crate) fn has(self, word: &str) -> bool {
        self.iter().any(|known| known == word)
    }

    /// Whether a text has any of the words.
    pub(crate) fn is_in(self, text: &str) -> bool {
        self.iter().any(|word| text.contains(word))
    }
}
