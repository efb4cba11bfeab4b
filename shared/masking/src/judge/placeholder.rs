//! Placeholders in the place of a secret: words, templates, fillers.

use std::sync::LazyLock;

use crate::bytes::{self, ALNUM, ALPHA, DASH, DIGIT, DOT, DOTTED, SLASH, UNDERSCORE};
use crate::data;
use crate::shape::is_filler;
use crate::word_set::{Substrings, WordSet};

/// Words that are used in the place of a value.
static WORDS: LazyLock<WordSet> = LazyLock::new(|| WordSet::new(&[data::values("placeholder")]));
/// Parts that identify a placeholder.
static PARTS: LazyLock<Substrings> =
    LazyLock::new(|| Substrings::new(data::values("placeholder_part")));
/// Parts of regular expressions for a secret.
static EXPRESSIONS: LazyLock<Substrings> =
    LazyLock::new(|| Substrings::in_case(data::values("expression_part")));

/// Whether the value is a placeholder for one that is inserted elsewhere.
pub(crate) fn is_placeholder(value: &[u8]) -> bool {
    // `"'$NAME'"`: a variable between two levels of shell quotes.
    let value = value
        .strip_prefix(b"'")
        .and_then(|v| v.strip_suffix(b"'"))
        .unwrap_or(value);
    let first = bytes::at(value, 0);
    let last = bytes::before(value, value.len());
    let wrapped = matches!((first, last), (b'<', b'>') | (b'%', b'%') | (b'@', b'@'))
        || (first == b'['
            && last == b']'
            && bytes::all(
                value.get(1..value.len() - 1).unwrap_or_default(),
                ALPHA | UNDERSCORE | DASH | DOT,
            ));
    // `<set to the key 'x' in secret 'y'>` of kubectl, even if a quote or a blank cut it.
    let described = bytes::has_at(value, 0, b"<set")
        && (value.len() == 4 || bytes::at(value, 4) == b' ')
        || bytes::has_at(value, 0, b"<unset")
        || bytes::has_at(value, 0, b"<nil");
    // `[a-zA-Z0-9]+`: a regular expression for the secret.
    let expression = value.len() < 400
        && value
            .iter()
            .any(|b| matches!(b, b'-' | b'[' | b'(' | b'\\'))
        && EXPRESSIONS.found(value);
    let template = described || expression || contains_template(value);
    // `$$NAME` is a variable in files where `$` must be written twice.
    let value = value
        .strip_prefix(b"$")
        .filter(|v| v.starts_with(b"$"))
        .unwrap_or(value);
    let variable = first == b'$'
        && value.len() > 1
        && (bytes::all(
            value.get(1..).unwrap_or_default(),
            ALPHA | UNDERSCORE | DOT | DIGIT,
        ) && !bytes::is(bytes::at(value, 1), DIGIT)
            || matches!(bytes::at(value, 1), b'(' | b'{') && matches!(last, b')' | b'}'));
    let format = value.len() <= 4 && first == b'%'
        || value.starts_with(b"%(")
        || value.starts_with(b"{")
            && last == b'}'
            && bytes::all(
                value.get(1..value.len() - 1).unwrap_or_default(),
                ALNUM | UNDERSCORE | DOT,
            )
        || is_interpolated(value);
    let blank = !value.iter().any(|b| bytes::is(*b, ALNUM) || *b >= 128);
    let repeated = value.iter().skip(1).all(|b| *b == first);
    wrapped
        || template
        || variable
        || format
        || blank
        || repeated
        || is_filler(value)
        || PARTS.found(value.get(..200).unwrap_or(value))
}

/// Whether the value is a field that a program fills in: `{password!r}`, `{args[0]}`, `{result:?}`, `%s:%s`.
fn is_interpolated(value: &[u8]) -> bool {
    if let Some(inner) = value.strip_prefix(b"{").and_then(|v| v.strip_suffix(b"}")) {
        let end = bytes::run(inner, 0, ALNUM | UNDERSCORE | DOT, 64);
        let rest = inner.get(end..).unwrap_or_default();
        let index = rest.starts_with(b"[") && rest.ends_with(b"]") && rest.len() <= 24;
        return end > 0 && (index || matches!(rest, b"!r" | b"!s" | b":?" | b":#?"));
    }
    value.len() <= 16
        && value.first() == Some(&b'%')
        && value
            .split(|b| matches!(b, b':' | b'@' | b'/' | b'-' | b'_'))
            .all(|part| matches!(part, b"%s" | b"%d" | b"%v" | b"%q"))
}

/// Whether the value is a template with little text around it: `${NAME}`, `{{ name }}`, `#{name}`, `$(command)`,
/// `<%= %>`.
fn contains_template(value: &[u8]) -> bool {
    let value = value.get(..256).unwrap_or(value);
    if !value.iter().any(|b| matches!(b, b'{' | b'(' | b'%' | b'[')) {
        return false;
    }
    const PAIRS: &[(&[u8], &[u8])] = &[
        (b"${", b"}"),
        (b"{{", b"}}"),
        (b"#{", b"}"),
        (b"$(", b")"),
        (b"<%", b"%>"),
        (b"((", b"))"),
        (b"$[", b"]"),
    ];
    PAIRS.iter().any(|(open, close)| {
        let Some(from) = value.windows(open.len()).position(|w| w == *open) else {
            return false;
        };
        let rest = value.get(from + open.len()..).unwrap_or_default();
        let Some(length) = rest.windows(close.len()).position(|w| w == *close) else {
            return false;
        };
        let inner = rest.get(..length).unwrap_or_default();
        let outside = value.len() - length - open.len() - close.len();
        let named = inner.len() >= 2
            && inner.iter().all(|b| {
                bytes::is(*b, DOTTED | SLASH)
                    || matches!(
                        b,
                        b' ' | b':'
                            | b'|'
                            | b'"'
                            | b'\''
                            | b'?'
                            | b'('
                            | b')'
                            | b'$'
                            | b'['
                            | b']'
                            | b','
                    )
            });
        named && outside <= 12
    })
}

/// Whether the value is words of a sentence, or a word that is used in the place of a value.
pub(crate) fn is_prose(value: &[u8]) -> bool {
    is_word(value)
        || bytes::all(value, ALPHA | DOT) && value.len() < 12
        || value.contains(&b' ') && !bytes::any(value, DIGIT) && !value.contains(&b'=')
}

/// Whether the value is a word that is used in the place of a value.
pub(crate) fn is_word(value: &[u8]) -> bool {
    let bare = value.strip_suffix(b"?").unwrap_or(value);
    let bare = bare.strip_prefix(b"__").unwrap_or(bare);
    WORDS.has(bare)
}
