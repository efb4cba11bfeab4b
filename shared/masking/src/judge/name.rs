//! What a name says about its value.

use std::sync::LazyLock;

use crate::bytes::{self, DIGIT, LOWER, UPPER};
use crate::data;
use crate::pattern::Pattern;
use crate::word_set::{Suffixes, WordSet};

/// The longest name that is looked at, in bytes.
pub(crate) const NAME_BYTES: usize = 96;

/// How far before `pass` the name of a user is looked for, in bytes.
const USER_BYTES: usize = 80;

/// What is known of a value from its name alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Class {
    /// Under which pattern the value is masked.
    pub(crate) pattern: Pattern,
    /// How much the name says.
    pub(crate) weight: Weight,
}

/// How much a name says about its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Weight {
    /// Only a value that looks drawn at random is secret: `key`, `auth`, `token_for_x`.
    Hint,
    /// A value is secret unless it looks like a name, a word or a number: `api_key`, `token`.
    Token,
    /// Nearly any value is secret: `password`.
    Password,
    /// An AWS account number: twelve digits.
    Account,
}

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
static PASSWORD_SUFFIXES: LazyLock<Suffixes> =
    LazyLock::new(|| Suffixes::new(data::names("password_suffix")));
static KEY_SUFFIXES: LazyLock<Suffixes> =
    LazyLock::new(|| Suffixes::new(data::names("key_suffix")));
/// What the words end with that [`word_class`] asks for itself.
const TELLING: &[&str] = &[
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
static ENDINGS: LazyLock<Endings> = LazyLock::new(|| {
    let listed = [
        data::names("password_suffix"),
        data::names("key_suffix"),
        TELLING,
    ];
    Endings::of(listed.iter().flat_map(|list| list.iter()))
});
const IS_BENIGN_AFTER: u16 = 1;
const IS_BENIGN_BEFORE: u16 = 1 << 1;
const IS_KEY_OF: u16 = 1 << 2;
const IS_NEUTRAL: u16 = 1 << 3;
const IS_NEGATED: u16 = 1 << 4;
const IS_VALUE: u16 = 1 << 5;
const IS_ID: u16 = 1 << 6;
const IS_AWS: u16 = 1 << 7;
const IS_VENDOR: u16 = 1 << 8;
const IS_PASS_OF: u16 = 1 << 9;
const IS_PASS_VERB: u16 = 1 << 10;
const IS_PASS_IN_WORD: u16 = 1 << 11;

/// What the name at `start..end` says about its value beside what stands before it: `pass` alone is a password's name below
/// or behind that of a user.
pub(crate) fn classify_at(text: &[u8], start: usize, end: usize) -> Option<Class> {
    let name = text.get(start..end)?;
    let class = classify(name)?;
    let bare = class.pattern == Pattern::Password
        && class.weight == Weight::Token
        && (name.eq_ignore_ascii_case(b"pass") || name.eq_ignore_ascii_case(b"pw"));
    let quoted = matches!(bytes::at(text, end), b'"' | b'\'');
    let joined = bytes::blanks_end(text, end + usize::from(quoted));
    if bare && matches!(bytes::at(text, joined), b'=' | b':') {
        let head = text.get(start.saturating_sub(USER_BYTES)..start);
        let head = head.unwrap_or_default();
        if ["user", "login"]
            .iter()
            .any(|w| bytes::contains(head, w.as_bytes()))
        {
            return Some(Class {
                weight: Weight::Password,
                ..class
            });
        }
    }
    Some(class)
}

/// What `name` says about its value; `None` when it says nothing.
pub(crate) fn classify(name: &[u8]) -> Option<Class> {
    let words = Words::of(name);
    let words = words.slice();
    let telling = words.iter().enumerate().rev();
    let mut telling = telling.filter(|(_, word)| ENDINGS.may_end(word));
    let (at, mut class) = telling.find_map(|(i, word)| {
        word_class(words.get(..i).unwrap_or_default(), word).map(|class| (i, class))
    })?;
    let after = words.get(at + 1..).unwrap_or_default();
    let before = words.get(..at).unwrap_or_default();
    if class.weight == Weight::Account {
        return after.first().is_some_and(|w| on(w, IS_ID)).then_some(class);
    }
    // Vault's `secret_id` is the secret half of a login.
    let login = words
        .get(at)
        .is_some_and(|w| w.eq_ignore_ascii_case(b"secret"))
        && matches!(after, [id] if id.eq_ignore_ascii_case(b"id"));
    if login {
        class.weight = Weight::Hint;
        return Some(class);
    }
    // `password_hash`: nothing but a hash is one.
    if class.weight == Weight::Password
        && matches!(after, [hash] if [&b"hash"[..], b"digest"].iter().any(|w| hash.eq_ignore_ascii_case(w)))
    {
        return Some(Class {
            pattern: Pattern::PasswordHash,
            weight: Weight::Hint,
        });
    }
    if after.iter().any(|w| on(w, IS_BENIGN_AFTER))
        && !after.last().is_some_and(|w| on(w, IS_VALUE))
    {
        return None;
    }
    if before.last().is_some_and(|w| on(w, IS_NEGATED)) {
        return None;
    }
    let verb = words
        .get(at)
        .is_some_and(|w| w.eq_ignore_ascii_case(b"pass"));
    if verb && after.first().is_some_and(|w| on(w, IS_PASS_VERB)) {
        return None;
    }
    let neutral = |w: &&[u8]| on(w, IS_NEUTRAL) || bytes::all(w, DIGIT);
    if class.weight == Weight::Token && !after.iter().all(neutral) {
        class.weight = Weight::Hint;
    }
    Some(class)
}

fn word_class(before: &[&[u8]], word: &[u8]) -> Option<Class> {
    let class = |pattern, weight| Some(Class { pattern, weight });
    let ends = |suffix: &str| {
        word.len() >= suffix.len()
            && word
                .get(word.len() - suffix.len()..)
                .is_some_and(|end| end.eq_ignore_ascii_case(suffix.as_bytes()))
    };
    let is = |text: &str| word.eq_ignore_ascii_case(text.as_bytes());
    let previous = before.last().copied().unwrap_or_default();
    if PASSWORD_SUFFIXES.end(word) {
        return class(Pattern::Password, Weight::Password);
    }
    if is("psk") || is("passe") || is("phrase") && previous.eq_ignore_ascii_case(b"pass") {
        return class(Pattern::Password, Weight::Password);
    }
    if is("pass") || is("pw") {
        // Also a verb: only a value drawn at random is one of a `pass` without more.
        let weight = if before.is_empty() {
            Weight::Token
        } else {
            Weight::Password
        };
        return class(Pattern::Password, weight);
    }
    if let Some(stem) = word.len().checked_sub(4).and_then(|at| word.get(..at))
        && ends("pass")
    {
        if on(stem, IS_PASS_IN_WORD) {
            return None;
        }
        let weight = if on(stem, IS_PASS_OF) {
            Weight::Password
        } else {
            Weight::Hint
        };
        return class(Pattern::Password, weight);
    }
    if is("secret") || is("secrets") || is("secrete") || is("secreto") || ends("secret") {
        let weight = if is("secrets") {
            Weight::Hint
        } else {
            Weight::Token
        };
        return class(Pattern::Secret, weight);
    }
    if is("token") || ends("token") || is("jwt") || is("otp") {
        return if on(previous, IS_BENIGN_BEFORE) {
            None
        } else {
            class(Pattern::Token, Weight::Token)
        };
    }
    if KEY_SUFFIXES.end(word) && !ends("publickey") {
        return class(Pattern::ApiKey, Weight::Token);
    }
    if is("key") || is("keys") {
        if on(previous, IS_BENIGN_BEFORE) {
            return None;
        }
        // `wpa2-pre-shared-key`: what people choose and type.
        let pre = before.len().checked_sub(2).and_then(|at| before.get(at));
        if is("key")
            && previous.eq_ignore_ascii_case(b"shared")
            && pre.is_some_and(|word| word.eq_ignore_ascii_case(b"pre"))
        {
            return class(Pattern::Password, Weight::Password);
        }
        let weight = if is("key") && on(previous, IS_KEY_OF | IS_VENDOR) {
            Weight::Token
        } else {
            Weight::Hint
        };
        return class(Pattern::ApiKey, weight);
    }
    if is("pat") {
        let weight = if before.is_empty() {
            Weight::Hint
        } else {
            Weight::Token
        };
        return class(Pattern::Token, weight);
    }
    if is("license") || is("licence") {
        return class(Pattern::ApiKey, Weight::Hint);
    }
    if is("credential") || is("credentials") || is("creds") || is("cred") {
        return class(Pattern::Secret, Weight::Hint);
    }
    if is("auth")
        || is("authorization")
        || is("salt")
        || is("signature")
        || is("signing")
        || is("mnemonic")
        || is("cookie")
    {
        return class(Pattern::Token, Weight::Hint);
    }
    let joined =
        |first: &str, second: &str| previous.eq_ignore_ascii_case(first.as_bytes()) && is(second);
    if is("dsn") || ends("connectionstring") || is("connstr") || joined("connection", "string") {
        return class(Pattern::ConnectionString, Weight::Hint);
    }
    (is("account"))
        .then_some(Class {
            pattern: Pattern::AwsAccountId,
            weight: Weight::Account,
        })
        .filter(|_| on(previous, IS_AWS))
}

/// Whether a sentence calls the key or token behind `word` a harmless one: `cache key`, `public key`.
pub(crate) fn is_benign_before(word: &[u8]) -> bool {
    on(word, IS_BENIGN_BEFORE)
}

/// Whether a key of `word` is a credential: `api key`.
pub(crate) fn is_key_of(word: &[u8]) -> bool {
    on(word, IS_KEY_OF)
}

/// Whether `word` is on one of the lists.
fn on(word: &[u8], lists: u16) -> bool {
    WORDS.lists(word) & lists != 0
}

/// The last two letters of words that tell: most words of names have others, and need no further look.
#[derive(Debug)]
struct Endings([bool; 1024]);

impl Endings {
    fn of<'w>(words: impl Iterator<Item = &'w &'static str>) -> Self {
        let mut endings = Self([false; 1024]);
        for word in words {
            if let Some(ending) = Self::place(word.as_bytes()).and_then(|at| endings.0.get_mut(at))
            {
                *ending = true;
            }
        }
        endings
    }

    /// Whether `word` may end as one of the words does.
    fn may_end(&self, word: &[u8]) -> bool {
        Self::place(word).is_some_and(|at| self.0.get(at) == Some(&true))
    }

    /// Five bits of each of the last two bytes: the same for both cases of a letter.
    fn place(word: &[u8]) -> Option<usize> {
        let [.., first, second] = word else {
            return None;
        };
        Some(usize::from(first & 31) << 5 | usize::from(second & 31))
    }
}

/// The words of a name, at most sixteen: cut at punctuation and where lower case turns to upper case.
struct Words<'n> {
    words: [&'n [u8]; 16],
    count: usize,
}

impl<'n> Words<'n> {
    fn of(name: &'n [u8]) -> Self {
        let mut split = Self {
            words: [&[]; 16],
            count: 0,
        };
        for part in name.split(|b| matches!(b, b'_' | b'-' | b'.')) {
            if bytes::all(part, LOWER) || bytes::all(part, UPPER) {
                split.push(part);
                continue;
            }
            let mut from = 0;
            for i in 1..part.len() {
                let (left, right) = (bytes::at(part, i - 1), bytes::at(part, i));
                let humps = bytes::is(left, LOWER | DIGIT) && bytes::is(right, UPPER);
                let acronym = bytes::is(left, UPPER)
                    && bytes::is(right, UPPER)
                    && bytes::is(bytes::at(part, i + 1), LOWER);
                if humps
                    || acronym
                    || (bytes::is(left, LOWER) && bytes::is(right, DIGIT) && i + 2 >= part.len())
                {
                    split.push(part.get(from..i).unwrap_or_default());
                    from = i;
                }
            }
            split.push(part.get(from..).unwrap_or_default());
        }
        split
    }

    fn push(&mut self, word: &'n [u8]) {
        if word.is_empty() {
            return;
        }
        if self.count == self.words.len() {
            self.words.rotate_left(1);
            self.count -= 1;
        }
        if let Some(slot) = self.words.get_mut(self.count) {
            *slot = word;
            self.count += 1;
        }
    }

    fn slice(&self) -> &[&'n [u8]] {
        self.words.get(..self.count).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weight(name: &str) -> Option<Weight> {
        classify(name.as_bytes()).map(|class| class.weight)
    }

    #[test]
    fn names_that_hold_secrets() {
        for name in [
            "password",
            "DB_PASSWORD",
            "spring.datasource.password",
            "rootPassword",
            "PGPASSWORD",
            "my_password_for_stuff",
            "dbpass",
            "user_pwd",
            "keypass",
        ] {
            assert_eq!(weight(name), Some(Weight::Password), "{name}");
        }
        for name in [
            "client_secret",
            "clientSecret",
            "api_key",
            "apiKey",
            "APIKEY",
            "x-api-key",
            "access_token",
            "authToken",
            "AWS_SECRET_ACCESS_KEY",
            "privateKey",
            "token1",
            "SECRET_KEY_BASE64",
        ] {
            assert_eq!(weight(name), Some(Weight::Token), "{name}");
        }
        assert_eq!(weight("aws_account_id"), Some(Weight::Account));
    }

    #[test]
    fn every_ending_is_looked_at() {
        for word in data::names("pass_of") {
            let name = format!("{word}pass");
            assert_eq!(weight(&name), Some(Weight::Password), "{name}");
        }
        for word in data::names("password_suffix") {
            assert_eq!(weight(word), Some(Weight::Password), "{word}");
        }
        for word in data::names("key_suffix").iter().chain(TELLING) {
            let spoken = matches!(*word, "phrase" | "string" | "account");
            assert_eq!(weight(word).is_some(), !spoken, "{word}");
        }
    }

    #[test]
    fn names_about_secrets() {
        for name in [
            "secretName",
            "password_file",
            "tokenUrl",
            "token_type",
            "passwordLength",
            "max_token",
            "publicKey",
            "public_key",
            "next_page_token",
            "primaryKey",
            "secretKeyRef.name",
            "tokens",
            "keyboard",
            "bypass",
            "account_id",
            "isPassword",
        ] {
            assert_eq!(weight(name), None, "{name}");
        }
    }
}
