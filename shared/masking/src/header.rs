//! HTTP headers that authenticate: `Authorization`, `Cookie`, `Set-Cookie`, and their schemes anywhere.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::bytes::{self, ALNUM, DASH, DIGIT, TOKEN68};
use crate::context::Context;
use crate::keyed;
use crate::pattern::Pattern;
use crate::shape;

/// The longest header value, in bytes.
const VALUE_BYTES: usize = 4096;
/// How much of an `Authorization` header is judged, in bytes; what follows shares its fate.
const CREDENTIALS_BYTES: usize = 512;
/// Schemes that stand before the credentials of an `Authorization` header.
const SCHEMES: &[&str] = &[
    "basic",
    "bearer",
    "token",
    "digest",
    "apikey",
    "api-key",
    "key",
    "ssws",
    "splunk",
    "geniekey",
    "bot",
    "hmac",
    "aws4-hmac-sha256",
    "oauth",
    "sharedaccesssignature",
    "sharedkey",
    "negotiate",
    "apitoken",
    "discogs",
];

/// What describes a cookie and is none.
const COOKIE_ATTRIBUTES: &[&str] = &["samesite", "path", "domain", "max-age", "expires", "secure"];

/// Looks at a header whose name has the cue at `start..end` in it; returns the end of what it claimed.
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
    // `cookieJar === undefined` compares.
    let compared = text.get(opened..opened + 2) == Some(b"==");
    if compared || !matches!(bytes::at(text, opened), b':' | b'=') {
        return 0;
    }
    let from = opened
        + 1
        + text
            .get(opened + 1..)
            .unwrap_or_default()
            .iter()
            .take(8)
            .take_while(|b| matches!(b, b'"' | b'\'' | b'\\' | b' ' | b'[' | b'>'))
            .count();
    let rest = text.get(from..).unwrap_or_default();
    let length = rest
        .iter()
        .take(if cookie {
            VALUE_BYTES
        } else {
            CREDENTIALS_BYTES
        })
        .take_while(|b| !matches!(b, b'\n' | b'\r' | b'"' | b'\'' | b'`' | b'\\' | b'<' | b'>'))
        .count();
    let value = rest.get(..length).unwrap_or_default().trim_ascii_end();
    if cookie {
        let pair = value.iter().position(|b| *b == b'=');
        let named = pair.is_some_and(|at| {
            value
                .get(..at)
                .is_some_and(|n| bytes::all(n, ALNUM | DASH | bytes::UNDERSCORE | bytes::DOT))
        });
        let attribute = pair.and_then(|at| value.get(..at)).is_some_and(|name| {
            COOKIE_ATTRIBUTES
                .iter()
                .any(|a| name.eq_ignore_ascii_case(a.as_bytes()))
        });
        if named && !attribute && value.len() >= 8 && !keyed::is_placeholder(value) {
            context.claim(from, from + value.len(), Pattern::Cookie);
            return from + value.len();
        }
        return 0;
    }
    let scheme_end = bytes::run(value, 0, ALNUM | DASH, 24);
    let scheme = value.get(..scheme_end).unwrap_or_default();
    let known = SCHEMES
        .iter()
        .any(|s| scheme.eq_ignore_ascii_case(s.as_bytes()))
        && bytes::at(value, scheme_end) == b' ';
    let skip = if known { scheme_end + 1 } else { 0 };
    let credentials = value.get(skip..).unwrap_or_default();
    let start = from + skip;
    if is_credentials(credentials)
        && (known
            || bytes::any(credentials, DIGIT)
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

fn is_credentials(value: &[u8]) -> bool {
    value.len() >= 6
        && !value.starts_with(b"{")
        && !value.contains(&b'(')
        && !keyed::is_placeholder(value)
        && !keyed::is_prose(value)
        && !keyed::is_reference(value)
}

/// Looks at what follows `bearer ` or `basic `.
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
        value.len() >= 12 && random && !keyed::is_placeholder(value)
    };
    if secret {
        context.claim(from, end, Pattern::AuthHeader);
    }
}
