//! Lists of words that determine the class of a name.

use std::sync::LazyLock;

use crate::data;
use crate::word_set::{Suffixes, WordSet};

pub(super) const IS_BENIGN_AFTER: u16 = 1;
pub(super) const IS_BENIGN_BEFORE: u16 = 1 << 1;
pub(super) const IS_KEY_OF: u16 = 1 << 2;
pub(super) const IS_NEUTRAL: u16 = 1 << 3;
pub(super) const IS_NEGATED: u16 = 1 << 4;
pub(super) const IS_VALUE: u16 = 1 << 5;
pub(super) const IS_ID: u16 = 1 << 6;
pub(super) const IS_AWS: u16 = 1 << 7;
pub(super) const IS_VENDOR: u16 = 1 << 8;
pub(super) const IS_PASS_OF: u16 = 1 << 9;
pub(super) const IS_PASS_VERB: u16 = 1 << 10;
pub(super) const IS_PASS_IN_WORD: u16 = 1 << 11;

static WORDS: LazyLock<WordSet> = LazyLock::new(|| {
    WordSet::new(&[
        data::names("benign_after"),
        data::names("benign_before"),
        data::names("key_of"),
        data::names("neutral"),
        data::names("negated"),
        data::names("value"),
        &["id"],
        &["aws"],
        data::services("services"),
        data::names("pass_of"),
        data::names("pass_verb"),
        data::names("pass_in_word"),
    ])
});
pub(super) static PASSWORD_SUFFIXES: LazyLock<Suffixes> =
    LazyLock::new(|| Suffixes::new(data::names("password_suffix")));
pub(super) static KEY_SUFFIXES: LazyLock<Suffixes> =
    LazyLock::new(|| Suffixes::new(data::names("key_suffix")));
/// Ends of the words that [`word_class`](super::word_class) checks itself.
pub(super) const WORD_CLASS_ENDINGS: &[&str] = &[
    "psk",
    "passe",
    "phrase",
    "pass",
    "pw",
    "secret",
    "secrets",
    "secrete",
    "secreto",
    "token",
    "jwt",
    "otp",
    "key",
    "keys",
    "pat",
    "license",
    "licence",
    "credential",
    "credentials",
    "creds",
    "cred",
    "auth",
    "authorization",
    "salt",
    "signature",
    "signing",
    "mnemonic",
    "cookie",
    "dsn",
    "string",
    "connstr",
    "account",
];
pub(super) static ENDINGS: LazyLock<Endings> = LazyLock::new(|| {
    let listed = [
        data::names("password_suffix"),
        data::names("key_suffix"),
        WORD_CLASS_ENDINGS,
    ];
    Endings::from_words(listed.iter().flat_map(|list| list.iter()))
});

/// Whether `word` is on one of the lists.
pub(super) fn on(word: &[u8], lists: u16) -> bool {
    WORDS.lists(word) & lists != 0
}

/// The last two letters of words that determine a class. Most words in names end differently and need no further check.
#[derive(Debug)]
pub(super) struct Endings([bool; 1024]);

impl Endings {
    fn from_words<'w>(words: impl Iterator<Item = &'w &'static str>) -> Self {
        let mut endings = Self([false; 1024]);
        for word in words {
            if let Some(ending) = Self::place(word.as_bytes()).and_then(|at| endings.0.get_mut(at))
            {
                *ending = true;
            }
        }
        endings
    }

    /// Whether `word` has the same last two letters as one of the words.
    pub(super) fn may_end(&self, word: &[u8]) -> bool {
        Self::place(word).is_some_and(|at| self.0.get(at) == Some(&true))
    }

    /// Returns the index of the last two letters: five bits of each byte, which are the same for both cases of a
    /// letter.
    fn place(word: &[u8]) -> Option<usize> {
        let [.., first, second] = word else {
            return None;
        };
        Some(usize::from(first & 31) << 5 | usize::from(second & 31))
    }
}
