//! What stands where a secret should: words, templates, fillers.

use std::sync::LazyLock;

use crate::bytes::{self, ALNUM, ALPHA, DASH, DIGIT, DOT, DOTTED, SLASH, UNDERSCORE};
use crate::formats::is_filler;
use crate::pieces::{Lexicon, Pieces};

/// Words that stand where a value should: types, states, instructions to the reader.
const WORDS: &str = " null nil none true false undefined undef yes no on off string str text int integer number bool boolean object bytes \
 byte any void optional required option default empty unset missing invalid valid expired incorrect wrong failed failure error ok okay \
 denied rejected accepted unauthorized forbidden authentication authorization authenticated password passwd pwd pass secret token key \
 keys apikey api_key credentials credential username user login changeme change_me changeit replaceme replace_me placeholder redacted \
 masked hidden removed omitted sanitized filtered dummy example sample fake todo tbd fixme xxx na n/a bearer basic digest oauth oauth2 jwt \
 auto manual file env environment vault kubernetes github self this new function return const let var static private public char \
 varchar disable disabled enable enabled prompt ask not and the is was has for with from only must should please enter your type \
 reset update delete create created updated rotated revoked refresh access id name value description encrypted plaintext base64 hex \
 opaque unknown never always loading success successful not_found notfound nopasswd interactive keyring keychain \
 sha1 sha256 sha384 sha512 define undef enable nobody u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64 uint uint8 uint16 uint32 uint64 int8 int16 int32 int64 float float32 \
 float64 double long short size_t uuid datetime hs256 hs384 hs512 rs256 es256 md5 aes256 aes128 scram-sha-256 scram-sha-512 await ";

/// Pieces that give a placeholder away wherever they are.
const PIECES: &[&str] = &[
    "your_",
    "your-",
    "yourpass",
    "yourtoken",
    "yoursecret",
    "yourapi",
    "<your",
    "my_token_here",
    "_here",
    "-here",
    "placeholder",
    "changeme",
    "change-me",
    "change_me",
    "replace_",
    "replace-",
    "replaceme",
    "redacted",
    "example",
    "insert_",
    "insert-",
    "dummy",
    "notreal",
    "not-real",
    "not_real",
    "fake_",
    "fake-",
    "fakesecret",
    "fakepass",
    "fakekey",
    "faketoken",
    "somefake",
    "todo",
    "xxxx",
    "****",
    "....",
    "masked",
    "....",
    "enter_",
    "enter-",
    "<secret",
    "<password",
    "<token",
    "thisisnot",
    "xyzabcdef",
];

static VOCABULARY: LazyLock<Lexicon> = LazyLock::new(|| Lexicon::new(&[WORDS]));

static GIVEAWAYS: LazyLock<Pieces> = LazyLock::new(|| Pieces::new(PIECES));

/// Stands for a value that is put in elsewhere.
pub(crate) fn is_placeholder(value: &[u8]) -> bool {
    // `"'$NAME'"`: a variable between the quotes of two shells.
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
    // `<set to the key 'x' in secret 'y'>` of kubectl, also where a quote or a blank cut it.
    let described = bytes::has_at(value, 0, b"<set")
        && (value.len() == 4 || bytes::at(value, 4) == b' ')
        || bytes::has_at(value, 0, b"<unset")
        || bytes::has_at(value, 0, b"<nil");
    // `[a-zA-Z0-9]+`: an expression for the secret.
    let expression = value.len() < 400
        && [
            &b"a-z"[..],
            b"A-Z",
            b"0-9]",
            b"[0-9",
            b"(?:",
            b"\\\\w",
            b"\\\\d",
        ]
        .iter()
        .any(|part| value.windows(part.len()).any(|w| w == *part));
    let template = described || expression || contains_template(value);
    // `$$NAME` is a variable where `$` has to be written twice.
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
        || GIVEAWAYS.found(value.get(..200).unwrap_or(value))
}

/// `{password!r}`, `{args[0]}`, `{result:?}`, `%s:%s`: what a program fills in.
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

/// `${NAME}`, `{{ name }}`, `#{name}`, `$(command)`, `<%= %>` with little else around.
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

/// Words of a sentence, or one of the words that stand for a value.
pub(crate) fn is_prose(value: &[u8]) -> bool {
    is_word(value)
        || bytes::all(value, ALPHA | DOT) && value.len() < 12
        || value.contains(&b' ') && !bytes::any(value, DIGIT) && !value.contains(&b'=')
}

/// One of the words that stand for a value.
pub(crate) fn is_word(value: &[u8]) -> bool {
    let bare = value.strip_suffix(b"?").unwrap_or(value);
    let bare = bare.strip_prefix(b"__").unwrap_or(bare);
    VOCABULARY.lists(bare) != 0
}
