//! Classifies names by what they suggest about their values.

mod lists;
mod words;

use self::lists::{
    ENDINGS, IS_AWS, IS_BENIGN_AFTER, IS_BENIGN_BEFORE, IS_ID, IS_KEY_OF, IS_NEGATED, IS_NEUTRAL,
    IS_PASS_IN_WORD, IS_PASS_OF, IS_PASS_VERB, IS_VALUE, IS_VENDOR, KEY_SUFFIXES,
    PASSWORD_SUFFIXES, on,
};
use self::words::Words;
use crate::bytes::{self, DIGIT};
use crate::pattern::Pattern;

/// Longest name that is classified, in bytes.
pub(crate) const NAME_BYTES: usize = 96;

/// Longest distance between the name of a user and `pass`, in bytes.
const USER_BYTES: usize = 80;

/// Class of a value, known from its name alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Class {
    /// Pattern under which the value is masked.
    pub(crate) pattern: Pattern,
    /// How strongly the name suggests a secret.
    pub(crate) weight: Weight,
}

/// How strongly a name suggests a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Weight {
    /// Only a value that looks random is secret: `key`, `auth`, `token_for_x`.
    Hint,
    /// A value is secret unless it looks like a name, a word or a number: `api_key`, `token`.
    Token,
    /// Nearly any value is secret: `password`.
    Password,
    /// An AWS account number, which has twelve digits.
    Account,
}

/// Classifies the name at `start..end` together with the text before it. `pass` alone is the name of a password if the
/// name of a user is shortly before it.
pub(crate) fn classify_at(text: &[u8], start: usize, end: usize) -> Option<Class> {
    let name = text.get(start..end)?;
    let class = classify(name)?;
    let bare =
        class.pattern == Pattern::Password && class.weight == Weight::Token && is_bare_pass(name);
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

/// Whether `name` is `pass` or `pw`. Alone, these surely mean a password only near the name of a user.
pub(crate) const fn is_bare_pass(name: &[u8]) -> bool {
    name.eq_ignore_ascii_case(b"pass") || name.eq_ignore_ascii_case(b"pw")
}

/// Classifies `name` by what it suggests about its value; `None` if it suggests nothing.
pub(crate) fn classify(name: &[u8]) -> Option<Class> {
    let words = Words::split(name);
    let words = words.slice();
    let endings = words.iter().enumerate().rev();
    let mut endings = endings.filter(|(_, word)| ENDINGS.may_end(word));
    let (at, mut class) = endings.find_map(|(i, word)| {
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
    // `password_hash`: only a value that looks like a hash is secret.
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
        // `pass` is also a verb, so it is a weaker hint without other words.
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
        // `wpa2-pre-shared-key`: a password that people choose and type.
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

/// Whether `word` makes the key or token after it harmless in a sentence: `cache key`, `public key`.
pub(crate) fn is_benign_before(word: &[u8]) -> bool {
    on(word, IS_BENIGN_BEFORE)
}

/// Whether a key after `word` is a credential: `api key`.
pub(crate) fn is_key_of(word: &[u8]) -> bool {
    on(word, IS_KEY_OF)
}

#[cfg(test)]
mod tests {
    use super::lists::WORD_CLASS_ENDINGS;
    use super::*;
    use crate::data;

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
    fn every_ending_is_checked() {
        for word in data::names("pass_of") {
            let name = format!("{word}pass");
            assert_eq!(weight(&name), Some(Weight::Password), "{name}");
        }
        for word in data::names("password_suffix") {
            assert_eq!(weight(word), Some(Weight::Password), "{word}");
        }
        for word in data::names("key_suffix").iter().chain(WORD_CLASS_ENDINGS) {
            let is_part = matches!(*word, "phrase" | "string" | "account");
            assert_eq!(weight(word).is_some(), !is_part, "{word}");
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
