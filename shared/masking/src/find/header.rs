//! HTTP headers with credentials: `Authorization`, `Cookie`, `Set-Cookie`, and authentication schemes anywhere in the
//! text.

use std::sync::LazyLock;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::bytes::{self, ALNUM, DASH, DIGIT, TOKEN68};
use crate::context::Context;
use crate::data;
use crate::judge::placeholder::{is_placeholder, is_prose};
use crate::judge::reference::is_reference;
use crate::pattern::Pattern;
use crate::shape;
use crate::word_set::WordSet;

/// Longest header value, in bytes.
const VALUE_BYTES: usize = 4096;
/// Part of an `Authorization` header that is judged, in bytes. The rest is treated in the same way.
const CREDENTIALS_BYTES: usize = 512;
/// Schemes before the credentials in an `Authorization` header.
static SCHEMES: LazyLock<WordSet> = LazyLock::new(|| WordSet::new(&[data::values("auth_scheme")]));

/// Names of cookie attributes, which are not cookies.
static COOKIE_ATTRIBUTES: LazyLock<WordSet> =
    LazyLock::new(|| WordSet::new(&[data::values("cookie_attribute")]));

/// Scans the header whose name contains the anchor at `start..end`. Returns the end of the claimed part, or 0.
pub(crate) fn scan_named(context: &mut Context<'_>, start: usize, end: usize) -> usize {
    let text = context.bytes;
    let cookie = bytes::has_at(text, start, b"cookie");
    if !cookie && !bytes::has_at(text, start, b"authorization") {
        return 0;
    }
    let name_end = bytes::run(text, end, ALNUM | DASH, 24);
    let opened = name_end
        + text
            .get(name_end..)
            .unwrap_or_default()
            .iter()
            .take(6)
            .take_while(|b| matches!(b, b'"' | b'\'' | b'\\' | b' ' | b']'))
            .count();
    // `cookieJar === undefined` is a comparison.
    let compared = text.get(opened..opened + 2) == Some(b"==");
    // `proxy_set_header Authorization "Basic …";` in nginx.
    let directed = matches!(text.get(name_end..opened), Some(b" \"" | b" '"));
    if compared || !directed && !matches!(bytes::at(text, opened), b':' | b'=') {
        return 0;
    }
    let after = opened + usize::from(!directed);
    let from = after
        + text
            .get(after..)
            .unwrap_or_default()
            .iter()
            .take(8)
            .take_while(|b| matches!(b, b'"' | b'\'' | b'\\' | b' ' | b'[' | b'>'))
            .count();
    let rest = text.get(from..).unwrap_or_default();
    let bracket = bytes::before(text, from) == b'[';
    let length = rest
        .iter()
        .take(if cookie {
            VALUE_BYTES
        } else {
            CREDENTIALS_BYTES
        })
        .take_while(|b| !matches!(b, b'\n' | b'\r' | b'"' | b'\'' | b'`' | b'\\' | b'<' | b'>'))
        .take_while(|b| **b != b')' && !(bracket && **b == b']'))
        .count();
    let value = rest.get(..length).unwrap_or_default().trim_ascii_end();
    if cookie {
        let pair = value.iter().position(|b| *b == b'=');
        let named = pair.is_some_and(|at| {
            value
                .get(..at)
                .is_some_and(|n| bytes::all(n, ALNUM | DASH | bytes::UNDERSCORE | bytes::DOT))
        });
        let attribute = pair
            .and_then(|at| value.get(..at))
            .is_some_and(|name| COOKIE_ATTRIBUTES.has(name));
        if named && !attribute && value.len() >= 8 && !is_placeholder(value) {
            cookies(context, from, value.len());
            return from + value.len();
        }
        return 0;
    }
    let scheme_end = bytes::run(value, 0, ALNUM | DASH, 24);
    let scheme = value.get(..scheme_end).unwrap_or_default();
    let known = SCHEMES.has(scheme) && bytes::at(value, scheme_end) == b' ';
    if known && scheme.eq_ignore_ascii_case(b"digest") {
        return digest(context, from);
    }
    let skip = if known { scheme_end + 1 } else { 0 };
    let credentials = value.get(skip..).unwrap_or_default();
    let start = from + skip;
    if is_credentials(credentials)
        && (known
            || !directed
                && bytes::any(credentials, DIGIT)
                && credentials.len() >= 12
                && !credentials.contains(&b' '))
    {
        let end = start + credentials.len();
        let end = if length == CREDENTIALS_BYTES {
            bytes::run(text, end, TOKEN68, VALUE_BYTES)
        } else {
            end
        };
        context.claim(start, end, Pattern::AuthHeader);
        return end;
    }
    0
}

/// Claims the values of the cookies at `from`. Leaves names, attributes, numbers and very short values.
fn cookies(context: &mut Context<'_>, from: usize, length: usize) {
    let text = context.bytes;
    let line = text.get(from..from + length).unwrap_or_default();
    let mut start = from;
    for pair in line.split(|b| *b == b';') {
        let end = start + pair.len();
        let name = pair.iter().position(|b| *b == b'=').unwrap_or(pair.len());
        let value = pair.get(name + 1..).unwrap_or_default().trim_ascii();
        let name = pair.get(..name).unwrap_or_default().trim_ascii();
        let number = value.len() <= 10 && bytes::all(value, DIGIT);
        if value.len() >= 5 && !number && !COOKIE_ATTRIBUTES.has(name) {
            let lead = pair.len() - pair.trim_ascii_end().len();
            context.claim(end - lead - value.len(), end - lead, Pattern::Cookie);
        }
        start = end + 1;
    }
}

/// Claims the response in `Digest username="…", response="…"`.
fn digest(context: &mut Context<'_>, from: usize) -> usize {
    let text = context.bytes;
    let line = text
        .get(from..bytes::line_end(text, from, CREDENTIALS_BYTES))
        .unwrap_or_default();
    let Some(at) = memchr::memmem::find(line, b"response=\"") else {
        return 0;
    };
    let start = from + at + b"response=\"".len();
    let end = bytes::run(text, start, bytes::HEX, 128);
    context.claim(start, end, Pattern::AuthHeader);
    end
}

fn is_credentials(value: &[u8]) -> bool {
    value.len() >= 6
        && !value.starts_with(b"{")
        && !value.contains(&b'(')
        && !is_placeholder(value)
        && !is_prose(value)
        && !is_reference(value)
}

/// Scans the text after `bearer ` or `basic `.
pub(crate) fn scan_scheme(context: &mut Context<'_>, from: usize) {
    let text = context.bytes;
    let basic = bytes::has_at(text, from.saturating_sub(6), b"basic ");
    let end = bytes::run(text, from, TOKEN68, VALUE_BYTES);
    let value = text.get(from..end).unwrap_or_default();
    let length = value.iter().rposition(|b| *b != b'.').map_or(0, |i| i + 1);
    let value = value.get(..length).unwrap_or_default();
    let end = from + length;
    let secret = if basic {
        let decoded = STANDARD.decode(value).unwrap_or_default();
        value.len() >= 8 && decoded.contains(&b':') && decoded.iter().all(|b| (32..127).contains(b))
    } else {
        let random = bytes::any(value, DIGIT)
            && (shape::is_random(value, 8) || shape::is_uuid(value) || value.len() >= 20);
        value.len() >= 12 && random && !is_placeholder(value)
    };
    if secret {
        context.claim(from, end, Pattern::AuthHeader);
    }
}
