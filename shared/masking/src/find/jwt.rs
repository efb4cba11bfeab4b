//! JSON web tokens, plain and in base64.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};

use crate::bytes::{self, BASE64, DIGIT, LOWER, UPPER, URLSAFE};
use crate::context::Context;
use crate::find::wrapped;
use crate::pattern::Pattern;

/// Longest part of a token, in bytes.
const PART_BYTES: usize = 16 << 10;

/// Shortest signature (HMAC with SHA-256), in bytes of base64.
const SIGNATURE_BYTES: usize = 43;

/// Scans the token whose header may start at `start`.
pub(crate) fn scan(context: &mut Context<'_>, start: usize) {
    let text = context.bytes;
    if bytes::is(
        bytes::before(text, start),
        URLSAFE | bytes::PLUS | bytes::SLASH,
    ) {
        return;
    }
    let head = text.get(start..start + 4).unwrap_or_default();
    if head.starts_with(b"eyJ") {
        if let Some(end) = wrapped_end(text, start) {
            return context.claim(start, end, Pattern::Jwt);
        }
        let header_end = bytes::run(text, start, URLSAFE, PART_BYTES);
        let payload_end = bytes::run(text, header_end + 1, URLSAFE, PART_BYTES);
        let dotted = bytes::at(text, header_end) == b'.';
        if dotted
            && payload_end - header_end > 8
            && is_header(text.get(start..header_end).unwrap_or_default())
        {
            let mut end = payload_end;
            // The signature, or the further parts of an encrypted token. Each may be empty.
            for _ in 0..3 {
                if bytes::at(text, end) == b'.' {
                    end = bytes::run(text, end + 1, URLSAFE, PART_BYTES);
                }
            }
            while bytes::before(text, end) == b'.' {
                end -= 1;
            }
            context.claim(start, end, Pattern::Jwt);
        } else if header_end - start >= 40
            && decodes_to(
                text.get(start..header_end).unwrap_or_default(),
                &[
                    "\"k\":\"",
                    "\"alg\":\"",
                    "\"auths\":",
                    "\"token\":",
                    "\"key\":",
                ],
            )
        {
            let end = bytes::run(text, header_end, BASE64, 4);
            context.claim(start, end, Pattern::Token);
        }
    } else if head.starts_with(b"ZXlK") {
        let end = bytes::run(
            text,
            start,
            (BASE64 | URLSAFE) & !bytes::EQUALS,
            PART_BYTES * 3,
        );
        let body = text.get(start..end).unwrap_or_default();
        let inner = STANDARD_NO_PAD
            .decode(body.get(..body.len().min(1024) / 4 * 4).unwrap_or_default())
            .unwrap_or_default();
        let header = inner
            .get(..bytes::run(&inner, 0, URLSAFE, PART_BYTES))
            .unwrap_or_default();
        if body.len() >= 32 && is_header(header) {
            context.claim(start, end, Pattern::Jwt);
        }
    }
}

/// Returns the end of a token that is wrapped: its header, payload or signature continues on the next line.
fn wrapped_end(text: &[u8], start: usize) -> Option<usize> {
    let (header_end, header) = wrapped::run_to(text, start, URLSAFE, b'.', PART_BYTES)?;
    if !is_header(&header) {
        return None;
    }
    let (payload_end, payload) = wrapped::run_to(text, header_end + 1, URLSAFE, b'.', PART_BYTES)?;
    let signature = payload_end + 1;
    let mut end = bytes::run(text, signature, URLSAFE, PART_BYTES);
    let mut length = end - signature;
    while length < SIGNATURE_BYTES {
        let Some((from, to)) = wrapped::next(text, end, URLSAFE, PART_BYTES) else {
            break;
        };
        (length, end) = (length + to - from, to);
    }
    let is_part = |part: &[u8]| {
        [DIGIT, UPPER, LOWER]
            .iter()
            .all(|class| bytes::any(part, *class))
    };
    let end = wrapped::rest_end(text, start, end, URLSAFE, is_part);
    let is_broken = text
        .get(start..end)?
        .iter()
        .any(|byte| matches!(byte, b'\n' | b'\\'));
    (is_broken && payload.len() > 8).then_some(end)
}

/// Whether `part` is a JWT header: a JSON object that names an algorithm or a type.
fn is_header(part: &[u8]) -> bool {
    part.len() >= 10
        && decodes_to(
            part,
            &["\"alg\"", "\"typ\"", "\"enc\"", "\"kid\"", "\"cty\""],
        )
}

fn decodes_to(part: &[u8], pieces: &[&str]) -> bool {
    let head = part.get(..part.len().min(512) / 4 * 4).unwrap_or_default();
    let decoded = URL_SAFE_NO_PAD.decode(head).unwrap_or_default();
    let spaceless: Vec<u8> = decoded
        .into_iter()
        .filter(|b| !b.is_ascii_whitespace())
        .collect();
    pieces
        .iter()
        .any(|piece| bytes::contains(&spaceless, piece.as_bytes()))
}

/// Part of a JSON web key before and after its type that is scanned, in bytes.
const WEB_KEY_BYTES: usize = 4096;
/// Secret members of a JSON web key: the private exponent or scalar, primes, and the bytes of a symmetric key.
const SECRET_MEMBERS: [&[u8]; 7] = [b"d", b"p", b"q", b"dp", b"dq", b"qi", b"k"];

/// Scans the JSON web key whose `"kty"` is at `start..end`, from `seen` on. Returns the end of the scanned part.
pub(crate) fn scan_web_key(
    context: &mut Context<'_>,
    seen: usize,
    start: usize,
    end: usize,
) -> usize {
    let text = context.bytes;
    let head = text
        .get(start.saturating_sub(WEB_KEY_BYTES)..start)
        .unwrap_or_default();
    let from = (start - head.iter().rev().take_while(|b| **b != b'{').count()).max(seen.min(start));
    let rest = text.get(end..).unwrap_or_default();
    let to = end
        + rest
            .iter()
            .take(WEB_KEY_BYTES)
            .take_while(|b| **b != b'}')
            .count();
    let mut at = from;
    while at < to {
        let Some(quote) = text
            .get(at..to)
            .and_then(|rest| rest.iter().position(|b| *b == b'"'))
        else {
            return to;
        };
        let name = at + quote + 1;
        let name_end = bytes::run(text, name, bytes::ALNUM, 16);
        at = name_end + 1;
        let member = text.get(name..name_end).unwrap_or_default();
        if bytes::at(text, name_end) != b'"' || !SECRET_MEMBERS.contains(&member) {
            continue;
        }
        let blank = |at: usize| {
            let rest = text.get(at..).unwrap_or_default();
            at + rest
                .iter()
                .take(8)
                .take_while(|b| b.is_ascii_whitespace())
                .count()
        };
        let colon = blank(name_end + 1);
        let open = blank(colon + 1);
        let value_end = bytes::run(text, open + 1, bytes::URLSAFE, WEB_KEY_BYTES);
        if bytes::at(text, colon) == b':' && bytes::at(text, open) == b'"' && value_end > open + 16
        {
            context.claim(open + 1, value_end, crate::pattern::Pattern::PrivateKey);
            at = value_end + 1;
        }
    }
    to
}
