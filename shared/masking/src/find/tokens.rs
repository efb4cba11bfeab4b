//! Tokens without a prefix: random text next to a service's name or a word that suggests a secret, high entropy in
//! quotes, and encoded secrets.

use base64::Engine as _;

use crate::bytes::{self, ALNUM, ALPHA, BASE64, DIGIT, DOT, UPPER, URLSAFE};
use crate::context::Context;
use crate::decode::{STANDARD, is_text};
use crate::find::encoded::is_encoded;
use crate::find::shaped::{hexadecimal, shaped};
use crate::judge::benign_context::{is_ambient, is_benign_context, is_digest_label, is_public};
use crate::judge::benign_name::{is_benign, is_in_arn, repeats_name};
use crate::judge::identifier;
use crate::pattern::Pattern;
use crate::shape::{self, is_filler};

/// Shortest run that is scanned, in bytes.
const RUN_BYTES: usize = 16;
/// Longest distance between a service's name and a token, in bytes.
const SERVICE_REACH: usize = 56;
/// Longest distance between a word that suggests a secret and a token, in bytes.
const WORD_REACH: usize = 28;

/// Scans every run of token characters.
pub(crate) fn scan(context: &mut Context<'_>) {
    let class = URLSAFE | DOT | bytes::SLASH | bytes::PLUS | bytes::TILDE;
    let text = context.bytes;
    let (mut at, mut service, mut word) = (0, 0, 0);
    let short = context.set.has(Pattern::Base64Short);
    let next = if short {
        bytes::next_run
    } else {
        bytes::next_long_run::<RUN_BYTES>
    };
    while let Some((start, stop)) = next(text, at, class) {
        at = start;
        if short && stop - at < 24 {
            short_base64(context, at, stop);
        }
        if stop - at >= RUN_BYTES {
            let padded = bytes::run(text, stop, bytes::EQUALS, 2);
            let end = if bytes::is(bytes::at(text, padded), ALNUM) {
                stop
            } else {
                padded
            };
            while context
                .services
                .get(service + 1)
                .is_some_and(|(start, _)| *start < end)
            {
                service += 1;
            }
            while context.words.get(word + 1).is_some_and(|near| *near <= at) {
                word += 1;
            }
            let near = context.services.get(service).copied();
            let near_word = context.words.get(word).copied().filter(|near| *near <= at);
            candidate(context, at, end, near, near_word);
        }
        at = stop + 1;
    }
}

/// Claims the short base64 value in `key: cGFzc3c=`. It must be padded to whole groups of four, be the whole value of
/// its key, and decode to text.
fn short_base64(context: &mut Context<'_>, start: usize, stop: usize) {
    if stop - start < 6 {
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
    service: Option<(usize, usize)>,
    word: Option<usize>,
) {
    let text = context.bytes;
    let start = bytes::after_escape(text, start).min(end);
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
    if token.len() < 16 {
        return;
    }
    if context.depth < 3
        && context.set.has(Pattern::Encoded)
        && token.len() >= 20
        && !shape::is_uuid(token)
        && is_encoded(context, token)
    {
        return context.claim(start, end, Pattern::Encoded);
    }
    let ends = [token.first(), token.last()];
    let is_hex =
        ends.iter().flatten().all(|b| bytes::is(**b, bytes::HEX)) && bytes::all(token, bytes::HEX);
    if !is_hex && identifier::is_identifier(token) {
        return;
    }
    let digested = is_digest_label(text, start) || is_in_arn(text, start);
    if digested || !bytes::any(token, ALPHA) {
        return;
    }
    let harmless = word.is_some_and(|near| start - near <= 4 && is_benign(text, near));
    if !harmless && context.set.has(Pattern::SaasToken) {
        let find = if is_hex { hexadecimal } else { shaped };
        if find(context, start, end, token) {
            return;
        }
    }
    let service = service.filter(|(from, to)| {
        *to <= start && start - from <= SERVICE_REACH + 16 && start - to <= SERVICE_REACH
    });
    let word = word.filter(|near| start - near <= WORD_REACH);
    let quoted = matches!(bytes::before(text, start), b'"' | b'\'' | b'`');
    // Hexadecimal digits of one case count as random only after a name.
    let is_plain = is_hex && !(bytes::any(token, UPPER) && bytes::any(token, bytes::LOWER));
    if service.is_none() && word.is_none() && is_plain && !context.set.has(Pattern::Base64Secret) {
        return;
    }
    if service.is_none()
        && word.is_none()
        && !quoted
        && !is_given(text, start, end)
        && !context.set.has(Pattern::Base64Secret)
    {
        return;
    }
    let called = bytes::at(text, end) == b'(' && token.contains(&b'_');
    if called {
        return;
    }
    let found = unshaped(context, (start, end), service, word, harmless);
    if let Some(pattern) = found.filter(|_| !is_filler(token)) {
        context.claim(start, end, pattern);
    }
}

/// Classifies the token at `start..end`, which its form alone does not identify.
fn unshaped(
    context: &Context<'_>,
    (start, end): (usize, usize),
    service: Option<(usize, usize)>,
    word: Option<usize>,
    harmless: bool,
) -> Option<Pattern> {
    let text = context.bytes;
    let token = text.get(start..end)?;
    // Check for a name in code last, because that is the most expensive check.
    let coded = || identifier::is_code_name(token);
    if context.set.has(Pattern::VendorToken)
        && let Some((from, to)) = service
        && !context.touches_marker(from, start)
    {
        let named = text.get(from..start).unwrap_or_default();
        let between = text.get(to..start).unwrap_or_default();
        if near_service(named, between, token, word.is_some()) && !coded() {
            return Some(Pattern::VendorToken);
        }
    }
    if let Some(near) = word {
        let between = text.get(near..start).unwrap_or_default();
        if !is_benign(text, near)
            && !between.contains(&b'\n')
            && !is_benign_context(between)
            && bytes::all(token, URLSAFE | DOT)
            && token.len() >= 20
            && shape::is_random(token, 20)
            && !is_member(token)
            && !repeats_name(text, near, token)
            && !shape::is_uuid(token)
            && !shape::is_hex(token)
            && !coded()
        {
            return Some(Pattern::Token);
        }
        // `the secret 4f1d…`: only a blank in between, and no word that marks it as an identifier.
        let is_named = between == b" "
            && [
                "secret",
                "token",
                "api key",
                "access key",
                "using key",
                "auth key",
                "password",
            ]
            .iter()
            .any(|word| ends_with(text, near, word));
        let key = between == b" "
            && ends_with(text, near, " key")
            && service.is_none()
            && is_used(text, near);
        if (is_named || key)
            && !is_benign(text, near)
            && (is_opaque(token)
                || shape::is_drawn(token)
                || shape::is_random(token, 16)
                || shape::mixes_case(token)
                || token.len() >= 24 && shape::is_hex(token))
        {
            return Some(Pattern::Token);
        }
    }
    if context.set.has(Pattern::HighEntropy)
        && is_given(text, start, end)
        && token.len() <= 200
        && bytes::all(token, URLSAFE)
        && shape::is_surely_drawn(token)
        && !is_readable(token)
        && !coded()
        && !harmless
        && !is_benign_context(
            text.get(start.saturating_sub(48)..start)
                .unwrap_or_default(),
        )
    {
        return Some(Pattern::HighEntropy);
    }
    let quoted = matches!(bytes::before(text, start), b'"' | b'\'' | b'`')
        && matches!(bytes::at(text, end), b'"' | b'\'' | b'`' | b'\\');
    if context.set.has(Pattern::HighEntropy)
        && quoted
        && (32..200).contains(&token.len())
        && !is_binary(token)
        && !coded()
        && shape::is_base64(token)
        && shape::entropy(token) >= 4.5_f32.min(4.0 + token.len() as f32 / 100.0)
        && !is_benign_context(
            text.get(start.saturating_sub(40)..start)
                .unwrap_or_default(),
        )
    {
        return Some(Pattern::HighEntropy);
    }
    let is_base64 = context.set.has(Pattern::Base64Secret)
        && token.len() >= 24
        && shape::is_base64(token)
        && !is_public(text, start);
    is_base64.then_some(Pattern::Base64Secret)
}

/// Whether the token is base64 of readable text.
fn is_readable(token: &[u8]) -> bool {
    let decoded = STANDARD.decode(token).unwrap_or_default();
    !decoded.is_empty() && decoded.iter().all(|b| is_text(*b))
}

/// Whether the token is base64 of numbers instead of random data: it is long, or contains runs of `A`.
fn is_binary(token: &[u8]) -> bool {
    token.len() > 100
        || token
            .windows(3)
            .filter(|w| w.iter().all(|b| *b == b'A'))
            .count()
            > 0
}

/// Whether a sentence states that the key ending at `end` is used: `using … key`, `with … key`.
fn is_used(text: &[u8], end: usize) -> bool {
    let head = text.get(end.saturating_sub(48)..end).unwrap_or_default();
    let head = head.rsplit(|b| *b == b'\n').next().unwrap_or_default();
    [&b"using "[..], b"with ", b"use "]
        .iter()
        .any(|verb| bytes::contains(head, verb))
}

/// Whether the token at `start..end` is a whole value: in quotes, or after `name: ` or `name=` up to the end of its
/// line.
fn is_given(text: &[u8], start: usize, end: usize) -> bool {
    let quote = bytes::before(text, start);
    let next = bytes::at(text, end);
    if matches!(quote, b'"' | b'\'') {
        return next == quote || next == b'\\';
    }
    let head = text.get(start.saturating_sub(3)..start).unwrap_or_default();
    let joined = head.ends_with(b": ") || head.ends_with(b"= ") || head.ends_with(b"=");
    joined && matches!(next, b'\n' | b'\r' | 0) && end - start >= 24
}

/// Whether `word` ends at `end`, ignoring case.
fn ends_with(text: &[u8], end: usize, word: &str) -> bool {
    end.checked_sub(word.len())
        .is_some_and(|from| bytes::has_at(text, from, word.as_bytes()))
}

/// Whether the token is a UUID, or has as many hexadecimal digits as a key.
fn is_opaque(token: &[u8]) -> bool {
    shape::is_uuid(token) || token.len() >= 32 && shape::is_hex(token)
}

/// Whether the token is a type and one of its members, in words: `Ed25519.BlindSignatures`.
fn is_member(token: &[u8]) -> bool {
    let mut parts = token.split(|b| *b == b'.');
    let (Some(_), Some(member), None) = (parts.next(), parts.next(), parts.next()) else {
        return false;
    };
    let humps = member.iter().filter(|b| bytes::is(**b, UPPER)).count();
    member.len() >= 6 && bytes::all(member, ALPHA) && humps * 3 <= member.len()
}

/// Whether the token is the credential of the service that is named before it.
fn near_service(named: &[u8], between: &[u8], token: &[u8], is_labelled: bool) -> bool {
    if between.iter().filter(|b| **b == b'\n').count() > 1 || is_benign_context(named) {
        return false;
    }
    let is_labelled = is_labelled
        || token.len() >= 20 && bytes::contains(named, b"api")
        || bytes::contains(named, b"key")
        || bytes::contains(named, b"token")
        || bytes::contains(named, b"secret")
        || bytes::contains(between, b"client(");
    let assigned = between
        .iter()
        .any(|b| matches!(b, b'=' | b':' | b'"' | b'\''))
        && between.iter().filter(|b| b.is_ascii_whitespace()).count() <= 3;
    let plain = bytes::all(token, ALNUM | bytes::DASH | bytes::UNDERSCORE);
    // `AWS::IoT::Authorizer`: a type and its identifier.
    if between.starts_with(b"://") || named.windows(2).any(|w| w == b"::") {
        return false;
    }
    if shape::is_uuid(token) || shape::is_hex(token) {
        // There is a path in between: an address, a package or an image.
        if !is_labelled && between.contains(&b'/') {
            return false;
        }
        // Next to monitoring or serving software, this is the id of a trace, a revision or a request.
        let ambient = is_ambient(named.get(..named.len() - between.len()).unwrap_or_default());
        if ambient && !is_labelled && !between.iter().any(|b| matches!(b, b'"' | b'\'')) {
            return false;
        }
        // `service 0123…`: keys have these lengths, commits do not.
        let bare = between == b" " && matches!(token.len(), 32 | 64);
        let tight = assigned && between.len() <= 6;
        return is_labelled
            || bare
            || tight
            || (assigned && token.len() >= 32 && shape::is_hex(token));
    }
    let single = plain && !shape::looks_like_path(token);
    (shape::is_random(token, 16) && (is_labelled || assigned || single))
        || (is_labelled
            && single
            && token.len() >= 20
            && bytes::any(token, DIGIT)
            && shape::is_random(token, 10))
}
