//! Notations of programs and their documentation in the place of a value.

use std::sync::LazyLock;

use crate::bytes::{self, ALNUM, ALPHA, DIGIT, DOT, LOWER, NAME, UNDERSCORE, UPPER};
use crate::candidate::{Extent, Joint, Sep};
use crate::data;
use crate::word_set::WordSet;

/// Services of the name service switch: `passwd: files systemd`.
static SWITCH: LazyLock<WordSet> = LazyLock::new(|| WordSet::new(&[data::values("name_service")]));

/// Whether an unquoted value is an expression, a type, or a regular expression.
pub(crate) fn is_expression(text: &[u8], joint: &Joint, extent: &Extent, value: &[u8]) -> bool {
    is_index(value)
        || is_call(value)
        || is_compressed(value)
        || is_marked(value)
        || joint.sep == Sep::Equals && is_regex(value)
        || joint.spaced && joint.sep == Sep::Equals && is_tag(value)
        || is_number(value)
        || value.starts_with(b"::")
        || is_argument(text, joint, extent, value)
        || is_type(text, joint, extent, value)
        || is_described(text, joint, extent, value)
}

/// Whether the value is an index expression that its quote cut: `d['access_token`, `int(p['reuse`.
fn is_index(value: &[u8]) -> bool {
    let end = bytes::run(value, 0, ALNUM | UNDERSCORE | DOT, 64);
    end > 0
        && bytes::is(bytes::at(value, 0), ALPHA | UNDERSCORE)
        && match bytes::at(value, end) {
            b'[' => bytes::at(value, end + 1) == b'\'',
            b'(' => {
                let inner = bytes::run(value, end + 1, ALNUM | UNDERSCORE | DOT, 64);
                inner > end + 1
                    && bytes::at(value, inner) == b'['
                    && bytes::at(value, inner + 1) == b'\''
            }
            _ => false,
        }
}

/// Whether the value is a call without arguments: `this$1.getToken()`.
fn is_call(value: &[u8]) -> bool {
    value.strip_suffix(b"()").is_some_and(|name| {
        bytes::is(bytes::at(name, 0), ALPHA | UNDERSCORE)
            && name
                .iter()
                .all(|b| bytes::is(*b, ALNUM | UNDERSCORE | DOT | bytes::COLON) || *b == b'$')
    })
}

/// Whether the value is minified code: `e,b&&(l.forceRefresh=!0)`, `function(e){return`.
fn is_compressed(value: &[u8]) -> bool {
    const MARKS: &[&[u8]] = &[b"&&(", b"||(", b"){", b"(this.", b"}function"];
    value.starts_with(b"function(")
        || value.contains(&b'(')
            && MARKS
                .iter()
                .any(|mark| value.windows(mark.len()).any(|w| w == *mark))
}

/// Whether the value begins with a mark of an expression: `/*@__PURE__*/`, `\&subroutine`, `qr/…/`, `!0`.
fn is_marked(value: &[u8]) -> bool {
    let flag =
        matches!(value, [b'!', b'0' | b'1', rest @ ..] if !bytes::is(bytes::at(rest, 0), ALNUM));
    let comment = value.starts_with(b"/*");
    let perl = value.starts_with(b"\\&") || value.starts_with(b"qr/") || value == b"qq{";
    flag || comment || perl
}

/// Whether the value is a regular expression literal: `/^[)\]}]$/u`.
fn is_regex(value: &[u8]) -> bool {
    let Some(rest) = value.strip_prefix(b"/") else {
        return false;
    };
    let Some(close) = rest.iter().rposition(|b| *b == b'/') else {
        return false;
    };
    let (body, flags) = (rest.get(..close), rest.get(close + 1..));
    let flags = flags.unwrap_or_default();
    body.is_some_and(|body| body.iter().any(|b| matches!(b, b'\\' | b'[' | b'^')))
        && flags.len() <= 4
        && bytes::all(flags, LOWER | bytes::COLON)
}

/// Whether the value is the beginning of markup: `<span`.
fn is_tag(value: &[u8]) -> bool {
    value
        .strip_prefix(b"<")
        .is_some_and(|name| (1..=10).contains(&name.len()) && bytes::all(name, LOWER))
}

/// Whether the value is a type at the end of a declaration: `kPassword: CFStringRef;`, `PasswordFlow: NodeType = {`.
fn is_type(text: &[u8], joint: &Joint, extent: &Extent, value: &[u8]) -> bool {
    let (next, after) = (bytes::at(text, extent.end), bytes::at(text, extent.end + 1));
    let ended = next == b';' && matches!(after, b'\n' | b'\r' | 0)
        || next == b' ' && after == b'=' && bytes::at(text, extent.end + 2) == b' ';
    let head = text.get(..joint.name_start).unwrap_or_default();
    let field = next == b',' && matches!(after, b'\n' | b'\r');
    let public = field && head.ends_with(b"pub ");
    let parameter =
        matches!(next, b'|' | b')') || next == b',' && is_in_call(text, joint.name_start);
    let typed = (ended || public || parameter)
        && joint.sep == Sep::Colon
        && joint.name_quotes.is_none()
        && bytes::is(bytes::at(value, 0), UPPER);
    // `Password: [u16; 256],`
    let array = value
        .strip_prefix(b"[")
        .is_some_and(|kind| next == b';' && after == b' ' && bytes::all(kind, ALNUM | UNDERSCORE));
    if array && matches!(joint.sep, Sep::Colon | Sep::Equals) {
        return true;
    }
    // `lpPassword: LPCWSTR,`
    let shouted = value.len() >= 4
        && (bytes::all(value, UPPER)
            || value.contains(&b'_') && bytes::all(value, UPPER | DIGIT | UNDERSCORE));
    if field && shouted && joint.sep == Sep::Colon && joint.name_quotes.is_none() {
        return bytes::any(value, UPPER);
    }
    // `SERVICE_KEY: QUERY_TYPE = 0;`, `KeyFlags: X509KeyFlags = 32`
    let constant = typed && next == b' ';
    typed
        && bytes::any(value, LOWER)
        && value.iter().skip(1).any(|b| bytes::is(*b, UPPER))
        && bytes::all(value, ALPHA)
        || constant && bytes::all(value, ALNUM | UNDERSCORE)
}

/// Whether a bracket before `at` on its line is open.
fn is_in_call(text: &[u8], at: usize) -> bool {
    let head = text.get(at.saturating_sub(160)..at).unwrap_or_default();
    let line = head.rsplit(|b| *b == b'\n').next().unwrap_or_default();
    let count = |byte: u8| line.iter().filter(|b| **b == byte).count();
    count(b'(') > count(b')')
}

/// Whether the value is a number with its type: `8u32`, `1.5f64`.
fn is_number(value: &[u8]) -> bool {
    let digits = bytes::run(value, 0, DIGIT | DOT | UNDERSCORE, 40);
    let kind = value.get(digits..).unwrap_or_default();
    digits > 0
        && matches!(
            kind,
            b"u8"
                | b"u16"
                | b"u32"
                | b"u64"
                | b"u128"
                | b"usize"
                | b"i8"
                | b"i16"
                | b"i32"
                | b"i64"
                | b"i128"
                | b"isize"
                | b"f32"
                | b"f64"
        )
}

/// Whether the value is an argument of a call: `password=getpass_bad_type)`, `authkey=process.current().authkey)`.
fn is_argument(text: &[u8], joint: &Joint, extent: &Extent, value: &[u8]) -> bool {
    let made = bytes::contains(value, b"().");
    let worded = value.contains(&b'_') && bytes::all(value, LOWER | UNDERSCORE);
    let before = bytes::before(text, joint.name_start);
    joint.sep == Sep::Equals
        && !joint.spaced
        && bytes::at(text, extent.end) == b')'
        && matches!(before, b'(' | b' ')
        && bytes::is(bytes::at(text, joint.name_start), LOWER)
        && bytes::is(bytes::at(value, 0), LOWER)
        && (made || worded)
}

/// Whether the value is documentation of a field in whole sentences:
/// `password: Input only. The password of the account.`
fn is_described(text: &[u8], joint: &Joint, extent: &Extent, value: &[u8]) -> bool {
    let Some((first, rest)) = value.split_first() else {
        return false;
    };
    let word = rest.strip_suffix(b"'s").unwrap_or(rest);
    if joint.sep != Sep::Colon
        || bytes::at(text, extent.end) != b' '
        || !bytes::is(*first, UPPER)
        || word.len() < 2
        || !bytes::all(word, LOWER)
    {
        return false;
    }
    let stop = bytes::line_end(text, extent.end, 160);
    let line = text.get(extent.end..stop).unwrap_or_default().trim_ascii();
    let (mut count, mut alphabetic) = (0, 0);
    for part in line.split(|b| *b == b' ').filter(|part| !part.is_empty()) {
        let part = part
            .strip_suffix(b".")
            .or_else(|| part.strip_suffix(b","))
            .unwrap_or(part);
        count += 1;
        alphabetic += usize::from(
            part.split(|b| matches!(b, b'/' | b'-' | b'\''))
                .all(|p| bytes::all(p, ALPHA)),
        );
    }
    (count >= 4 || count >= 2 && line.ends_with(b".")) && alphabetic * 10 >= count * 8
}

/// Whether the value repeats its own name: `DeriveKey: BCryptDeriveKeyFn`, `passphrase=passphrase`.
pub(crate) fn repeats_own_name(text: &[u8], joint: &Joint, value: &[u8]) -> bool {
    if joint.name_start >= joint.value_start {
        return false;
    }
    let end = bytes::run(text, joint.name_start, ALNUM | UNDERSCORE, 64);
    let name = text.get(joint.name_start..end).unwrap_or_default();
    let name = name.strip_prefix(b"_").unwrap_or(name);
    let digits = |name: &[u8]| name.iter().filter(|b| bytes::is(**b, DIGIT)).count();
    let value = value.strip_prefix(b"!!").unwrap_or(value);
    // `type Token = Token$1`
    let value = match value {
        [value @ .., b'$', number] if bytes::is(*number, DIGIT) => value,
        _ => value,
    };
    // `Key extends LeaseKey = LeaseKey>(options`: the default of a type parameter.
    let default = bytes::run(value, 0, ALNUM | UNDERSCORE, 64);
    let value = match bytes::at(value, default) {
        b'>' => value.get(..default).unwrap_or_default(),
        _ => value,
    };
    if !bytes::all(value, ALNUM | UNDERSCORE) || digits(value) > digits(name) + 3 || name.len() < 7
    {
        return false;
    }
    // One word is too weak as evidence: `password: Password2024`.
    let compound = bytes::any(name, UNDERSCORE)
        || name.iter().skip(1).any(|b| bytes::is(*b, UPPER)) && bytes::any(name, LOWER);
    value.eq_ignore_ascii_case(name)
        || compound
            && value.len() <= name.len() * 3
            && value
                .windows(name.len())
                .any(|w| w.eq_ignore_ascii_case(name))
}

/// Whether the value is the version of a package with such a name: `"pgpass": "1.0.5"`. `password` alone and
/// `DB_PASSWORD` are not names of packages.
pub(crate) fn is_version(text: &[u8], joint: &Joint, value: &[u8]) -> bool {
    let version = match value {
        [b'^' | b'~' | b'v', rest @ ..] => rest,
        _ => value,
    };
    let mut parts = version.split(|b| *b == b'.');
    let numbers = parts.clone().count() == 3;
    if !numbers || !parts.all(|part| (1..=3).contains(&part.len()) && bytes::all(part, DIGIT)) {
        return false;
    }
    let end = bytes::run(text, joint.name_start, NAME, 64);
    let name = text.get(joint.name_start..end).unwrap_or_default();
    joint.name_start >= joint.value_start
        || bytes::all(name, LOWER | DIGIT | bytes::DASH)
            && !data::names("password_suffix").contains(&str::from_utf8(name).unwrap_or_default())
}

/// Whether the value is a list of services in `nsswitch.conf`: `passwd: files systemd`.
pub(crate) fn is_switch(text: &[u8], joint: &Joint, value: &[u8]) -> bool {
    let end = bytes::run(text, joint.name_start, NAME, 16);
    text.get(joint.name_start..end) == Some(b"passwd")
        && value
            .split(u8::is_ascii_whitespace)
            .filter(|word| !word.is_empty())
            .all(|word| SWITCH.has(word))
}

/// Whether the value is code between backticks in a sentence. It is an item of a list such as `CryptoKey`,
/// `DhKeyDeriveParams`, or the object in pass `name`. It may also be a command whose output a variable such as `$pwd`
/// gets.
pub(crate) fn is_quoted_code(text: &[u8], joint: &Joint, extent: &Extent, value: &[u8]) -> bool {
    if !extent.quoted || bytes::before(text, extent.start) != b'`' {
        return false;
    }
    // `openssl rand -base64 24` is a command with options, and `&[u8]` is a type.
    let first = bytes::run(value, 0, LOWER | bytes::DASH, 24);
    let option = value
        .array_windows()
        .any(|w: &[u8; 3]| w[0] == b' ' && w[1] == b'-' && bytes::is(w[2], ALPHA | bytes::DASH));
    if first > 1 && bytes::at(value, first) == b' ' && option || value.starts_with(b"&[") {
        return true;
    }
    let end = bytes::run(text, joint.name_start, NAME, 64);
    let name = text.get(joint.name_start..end).unwrap_or_default();
    let verb = joint.sep == Sep::Quoted
        && name.eq_ignore_ascii_case(b"pass")
        && bytes::at(text, end) == b' ';
    let listed = bytes::before(text, joint.name_start) == b'`'
        && bytes::at(text, end) == b'`'
        && bytes::at(text, end + 1) == b','
        && bytes::all(value, ALNUM | UNDERSCORE | DOT)
        && !bytes::any(value, DIGIT);
    let run = bytes::before(text, joint.name_start) == b'$' && value.contains(&b' ');
    verb || listed || run
}
