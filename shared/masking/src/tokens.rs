//! Tokens without a prefix: random text next to a vendor's name or a telling word, high entropy in quotes,
//! encoded secrets.

use std::sync::LazyLock;

use base64::Engine as _;

use crate::bytes::{self, ALNUM, ALPHA, BASE64, DIGIT, DOT, HEX, LOWER, UPPER, URLSAFE};
use crate::context::Context;
use crate::encoded::{STANDARD, is_encoded, is_text};
use crate::formats::is_filler;
use crate::keyed;
use crate::pattern::Pattern;
use crate::pieces::Pieces;
use crate::prefixed::is_prefixed;
use crate::shape;

/// How far behind a vendor's name a token may start, in bytes.
const VENDOR_REACH: usize = 56;
/// How far behind a telling word a token may start, in bytes.
const WORD_REACH: usize = 28;

/// Looks at every run of token characters.
pub(crate) fn scan(context: &mut Context<'_>) {
    let class = URLSAFE | DOT | bytes::SLASH | bytes::PLUS | bytes::TILDE;
    let text = context.bytes;
    let (mut at, mut vendor, mut word) = (0, 0, 0);
    while at < text.len() {
        if !bytes::is(bytes::at(text, at), class) {
            at += 1;
            continue;
        }
        let stop = bytes::run(text, at, class, usize::MAX);
        if stop - at < 24 {
            short_base64(context, at, stop);
        }
        if stop - at >= 16 {
            let padded = bytes::run(text, stop, bytes::EQUALS, 2);
            let end = if bytes::is(bytes::at(text, padded), ALNUM) {
                stop
            } else {
                padded
            };
            while context
                .vendors
                .get(vendor + 1)
                .is_some_and(|(start, _)| *start < end)
            {
                vendor += 1;
            }
            while context.words.get(word + 1).is_some_and(|near| *near <= at) {
                word += 1;
            }
            let near = context.vendors.get(vendor).copied();
            let told = context.words.get(word).copied().filter(|near| *near <= at);
            candidate(context, at, end, near, told);
        }
        at = stop + 1;
    }
}

/// `key: cGFzc3dk`, padded or in whole groups of four, alone on its line, that decodes to text.
fn short_base64(context: &mut Context<'_>, start: usize, stop: usize) {
    if !context.set.has(Pattern::Base64Short) || stop - start < 6 {
        return;
    }
    let text = context.bytes;
    let end = bytes::run(text, stop, bytes::EQUALS, 2);
    let token = text.get(start..end).unwrap_or_default();
    let alone = matches!(bytes::at(text, end), 0 | b'\n' | b'\r' | b'"')
        && matches!(bytes::before(text, start), b' ' | b'"');
    let keyed = text
        .get(start.saturating_sub(3)..start)
        .is_some_and(|head| head.contains(&b':'));
    if alone && keyed && end > stop && token.len().is_multiple_of(4) && bytes::all(token, BASE64) {
        let decoded = STANDARD.decode(token).unwrap_or_default();
        if !decoded.is_empty() && decoded.iter().all(|b| is_text(*b)) {
            context.claim(start, end, Pattern::Base64Short);
        }
    }
}

fn candidate(
    context: &mut Context<'_>,
    start: usize,
    end: usize,
    vendor: Option<(usize, usize)>,
    word: Option<usize>,
) {
    let text = context.bytes;
    let start = bytes::behind_escape(text, start).min(end);
    let start = start
        + text
            .get(start..end)
            .unwrap_or_default()
            .iter()
            .take_while(|b| matches!(b, b'.' | b'-' | b'/' | b'~'))
            .count();
    let end = end
        - text
            .get(start..end)
            .unwrap_or_default()
            .iter()
            .rev()
            .take_while(|b| matches!(b, b'.' | b'/' | b'~'))
            .count();
    let token = text.get(start..end).unwrap_or_default();
    if token.len() < 16 || is_filler(token) {
        return;
    }
    if context.depth < 3
        && context.set.has(Pattern::Encoded)
        && token.len() >= 20
        && is_encoded(context, token)
    {
        return context.claim(start, end, Pattern::Encoded);
    }
    let digested = is_digest_label(text, start) || keyed::is_in_arn(text, start);
    if digested || !bytes::any(token, ALPHA) {
        return;
    }
    let harmless = word.is_some_and(|near| start - near <= 4 && keyed::is_about(text, near));
    if !harmless && context.set.has(Pattern::SaasToken) && shaped(context, start, end, token) {
        return;
    }
    let vendor = vendor.filter(|(from, to)| {
        *to <= start && start - from <= VENDOR_REACH + 16 && start - to <= VENDOR_REACH
    });
    let word = word.filter(|near| start - near <= WORD_REACH);
    if context.set.has(Pattern::VendorToken)
        && let Some((from, to)) = vendor
        && !context.touches_marker(from, start)
    {
        let named = text.get(from..start).unwrap_or_default();
        let between = text.get(to..start).unwrap_or_default();
        if near_vendor(named, between, token, word.is_some()) {
            return context.claim(start, end, Pattern::VendorToken);
        }
    }
    if let Some(near) = word {
        let between = text.get(near..start).unwrap_or_default();
        if !keyed::is_about(text, near)
            && !between.contains(&b'\n')
            && !is_about_id(between)
            && bytes::all(token, URLSAFE | DOT)
            && token.len() >= 20
            && shape::is_random(token, 20)
            && !is_member(token)
            && !shape::is_uuid(token)
            && !shape::is_hex(token)
        {
            return context.claim(start, end, Pattern::Token);
        }
        // `the secret 4f1d…`: nothing but a blank between, and no word that makes it an identifier.
        let said = between == b" "
            && ["secret", "token", "api key"]
                .iter()
                .any(|word| ends_with(text, near, word));
        if said && !keyed::is_about(text, near) && is_opaque(token) {
            return context.claim(start, end, Pattern::Token);
        }
    }
    let quoted = matches!(bytes::before(text, start), b'"' | b'\'' | b'`')
        && matches!(bytes::at(text, end), b'"' | b'\'' | b'`' | b'\\');
    if context.set.has(Pattern::HighEntropy)
        && quoted
        && (32..2048).contains(&token.len())
        && shape::is_base64(token)
        && shape::entropy(token) >= 4.5_f32.min(4.0 + token.len() as f32 / 100.0)
        && !is_about_id(
            text.get(start.saturating_sub(40)..start)
                .unwrap_or_default(),
        )
    {
        return context.claim(start, end, Pattern::HighEntropy);
    }
    if context.set.has(Pattern::Base64Secret) && token.len() >= 24 && shape::is_base64(token) {
        context.claim(start, end, Pattern::Base64Secret);
    }
}

/// Whether `word`, in any case, ends at `end`.
fn ends_with(text: &[u8], end: usize, word: &str) -> bool {
    end.checked_sub(word.len())
        .is_some_and(|from| bytes::has_at(text, from, word.as_bytes()))
}

/// A UUID, or hexadecimal digits as long as those of keys.
fn is_opaque(token: &[u8]) -> bool {
    shape::is_uuid(token) || token.len() >= 32 && shape::is_hex(token)
}

/// `Ed25519.BlindSignatures`: a type, and a member of it in words.
fn is_member(token: &[u8]) -> bool {
    let mut parts = token.split(|b| *b == b'.');
    let (Some(_), Some(member), None) = (parts.next(), parts.next(), parts.next()) else {
        return false;
    };
    let humps = member.iter().filter(|b| bytes::is(**b, UPPER)).count();
    member.len() >= 6 && bytes::all(member, ALPHA) && humps * 3 <= member.len()
}

/// Tokens whose shape alone tells.
fn shaped(context: &mut Context<'_>, start: usize, end: usize, token: &[u8]) -> bool {
    let head = token.get(..2).unwrap_or_default();
    let rest = token.get(2..).unwrap_or_default();
    let pattern = if token.len() == 34
        && matches!(head, b"AC" | b"SK")
        && bytes::all(rest, LOWER | DIGIT)
        && bytes::any(rest, DIGIT)
    {
        Pattern::SaasToken
    } else if token.len() >= 11
        && head == b"AP"
        && bytes::is(bytes::at(token, 2), HEX & !LOWER)
        && bytes::all(token, ALNUM)
        && bytes::any(token, DIGIT)
        && bytes::any(token, LOWER)
        && bytes::any(token, UPPER)
    {
        Pattern::PackageToken
    } else if is_discord(token) {
        Pattern::ChatToken
    } else if token.len() >= 36
        && bytes::has_at(token, 32, b"-us")
        && bytes::all(token.get(..32).unwrap_or_default(), LOWER | DIGIT)
        && bytes::all(token.get(35..).unwrap_or_default(), DIGIT)
    {
        Pattern::SaasToken
    } else if token.len() == 26
        && token.starts_with(b"s.")
        && bytes::all(rest, ALNUM)
        && shape::is_random(rest, 20)
    {
        Pattern::InfraToken
    } else if is_long_pat(token) || is_dashed_hex(token) || is_truenas(token) || is_prefixed(token)
    {
        Pattern::SaasToken
    } else if token.len() == 88 && token.ends_with(b"==") && shape::is_base64(token) {
        Pattern::AzureKey
    } else {
        return false;
    };
    context.claim(start, end, pattern);
    true
}

/// Airtable: `pat`, fourteen characters, a dot, 64 hexadecimal digits.
fn is_long_pat(token: &[u8]) -> bool {
    token.starts_with(b"pat") && token.len() >= 70 && bytes::at(token, 17) == b'.'
}

/// Mailgun: 32, 8 and 8 hexadecimal digits.
fn is_dashed_hex(token: &[u8]) -> bool {
    token.len() == 50
        && bytes::at(token, 32) == b'-'
        && bytes::at(token, 41) == b'-'
        && bytes::all(token, HEX | bytes::DASH)
}

/// Of `TrueNAS`: a number of one digit, a dash, 64 characters.
fn is_truenas(token: &[u8]) -> bool {
    let rest = token.get(2..).unwrap_or_default();
    rest.len() == 64
        && bytes::is(bytes::at(token, 0), DIGIT)
        && bytes::at(token, 1) == b'-'
        && bytes::all(rest, ALNUM)
}

/// Discord bot: base64 of a number, six characters, 27 or more.
fn is_discord(token: &[u8]) -> bool {
    let mut parts = token.split(|b| *b == b'.');
    let (Some(id), Some(time), Some(mac), None) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return false;
    };
    (23..=28).contains(&id.len())
        && matches!(bytes::at(id, 0), b'M' | b'N' | b'O')
        && time.len() == 6
        && (25..=40).contains(&mac.len())
        && bytes::all(token, URLSAFE | DOT)
}

/// Whether the token is the credential of the vendor named before it.
fn near_vendor(named: &[u8], between: &[u8], token: &[u8], told: bool) -> bool {
    if between.iter().filter(|b| **b == b'\n').count() > 1 || is_about_id(named) {
        return false;
    }
    let told = told
        || bytes::contains(named, b"api")
        || bytes::contains(named, b"key")
        || bytes::contains(named, b"token")
        || bytes::contains(named, b"secret");
    let assigned = between
        .iter()
        .any(|b| matches!(b, b'=' | b':' | b'"' | b'\''))
        && between.iter().filter(|b| b.is_ascii_whitespace()).count() <= 3;
    let plain = bytes::all(token, ALNUM | bytes::DASH | bytes::UNDERSCORE);
    if between.starts_with(b"://") {
        return false;
    }
    if shape::is_uuid(token) || shape::is_hex(token) {
        // `vendor 0123…`: keys have these lengths, commits another.
        let bare = between == b" " && matches!(token.len(), 32 | 64);
        let tight = assigned && between.len() <= 6;
        return told || bare || tight || (assigned && token.len() >= 32 && shape::is_hex(token));
    }
    let single = plain && !shape::looks_like_path(token);
    (shape::is_random(token, 16) && (told || assigned || single))
        || (told
            && single
            && token.len() >= 20
            && bytes::any(token, DIGIT)
            && shape::is_random(token, 10))
}

const NAMES_OF_IDENTIFIERS: &[&str] = &[
    "sha256",
    "sha1",
    "sha512",
    "sha384",
    "digest",
    "uuid",
    "trace",
    "span",
    "commit",
    "image",
    "request",
    "checksum",
    "integrity",
    "etag",
    "hash",
    "revision",
    "container",
    "correlation",
    "instance",
    "resourceversion",
    "fingerprint",
    "public",
    "md5",
    "build",
    "nonce",
    "cursor",
    "continue",
    "thumbprint",
    "blob/",
    "tree/",
    "pod",
    "node",
    "replicaset",
    "tag",
    "version",
    "http://",
    "https://",
    "sourcemap",
    "data:",
    "verify",
    "module",
    "serial",
    "resolved",
];
static IDENTIFIERS: LazyLock<Pieces> = LazyLock::new(|| Pieces::new(NAMES_OF_IDENTIFIERS));

/// Whether the words before a token call it an identifier or a checksum.
fn is_about_id(named: &[u8]) -> bool {
    if IDENTIFIERS.found(named) {
        return true;
    }
    // The last name before the token ends in `id`.
    let trimmed = named
        .iter()
        .rposition(|b| bytes::is(*b, ALNUM))
        .map_or(0, |i| i + 1);
    let name_start = bytes::run_back(named, trimmed, URLSAFE | DOT, 48);
    let name = named.get(name_start..trimmed).unwrap_or_default();
    let tail = name.get(name.len().saturating_sub(3)..).unwrap_or_default();
    name.eq_ignore_ascii_case(b"id")
        || name.eq_ignore_ascii_case(b"uid")
        || name.ends_with(b"Id")
        || name.ends_with(b"ID")
        || tail.eq_ignore_ascii_case(b"_id")
        || tail.eq_ignore_ascii_case(b"-id")
        || tail.eq_ignore_ascii_case(b".id")
}

/// `sha256:`, `sha512-` directly before the token, or as its start.
fn is_digest_label(text: &[u8], start: usize) -> bool {
    let labelled = |at: usize| {
        [
            &b"sha1"[..],
            b"sha256",
            b"sha384",
            b"sha512",
            b"md5",
            b"blake",
            b"h1",
        ]
        .iter()
        .any(|label| bytes::has_at(text, at, label))
    };
    let before = start.saturating_sub(1);
    let word = bytes::run_back(text, before, ALNUM, 8);
    labelled(start) || (matches!(bytes::at(text, before), b':' | b'-' | b'=') && labelled(word))
}
