//! Base64 and hexadecimal encodings of texts that hold secrets.

use base64::Engine as _;

use crate::bytes::{self, BASE64, HEX, URLSAFE};
use crate::context::Context;
use crate::decode::{STANDARD, URL_SAFE, is_text};
use crate::pattern::Pattern;

/// Longest run that is decoded, in bytes.
const DECODED_BYTES: usize = 1 << 20;

/// Whether the token is the base64 or hexadecimal encoding of a text that holds a secret.
pub(crate) fn is_encoded(context: &Context<'_>, token: &[u8]) -> bool {
    if token.len() > DECODED_BYTES {
        return false;
    }
    let body = token
        .get(..token.len() - token.iter().rev().take_while(|b| **b == b'=').count())
        .unwrap_or_default();
    let Some(decoded) = decoded(body) else {
        return false;
    };
    if decoded.iter().filter(|b| !is_text(**b)).count() > decoded.len() / 20 {
        return false;
    }
    let decoded = String::from_utf8_lossy(&decoded);
    (context.search)(
        &decoded,
        context.set.minus(&[
            Pattern::HighEntropy,
            Pattern::Base64Secret,
            Pattern::Base64Short,
        ]),
        context.depth + 1,
    )
}

/// Decodes `body` from base64 or hexadecimal, if the result starts like a text. Decodes only the start at first,
/// because most tokens are not encoded text.
fn decoded(body: &[u8]) -> Option<Vec<u8>> {
    let head = body.get(..16).unwrap_or(body);
    if bytes::all(head, HEX)
        && body.len() >= 32
        && body.len().is_multiple_of(2)
        && bytes::all(body, HEX)
    {
        let readable = |pair: &[u8]| digits(pair).is_some_and(is_text);
        return head
            .chunks(2)
            .all(readable)
            .then(|| body.chunks(2).map(digits).collect())?;
    }
    let engine = if bytes::all(head, BASE64) && bytes::all(body, BASE64) {
        &STANDARD
    } else if bytes::all(head, URLSAFE) && bytes::all(body, URLSAFE) {
        &URL_SAFE
    } else {
        return None;
    };
    let mut probe = [0; 16];
    let length = engine.decode_slice(head, &mut probe).ok()?;
    is_readable(probe.get(..length)?).then(|| engine.decode(body).ok())?
}

/// Whether `head` is the start of a text. In random data, half of the bytes are outside ASCII, and they do not form
/// valid characters.
fn is_readable(head: &[u8]) -> bool {
    let foreign = head.iter().filter(|b| !b.is_ascii()).count();
    let is_utf8 = || match std::str::from_utf8(head) {
        Ok(_) => true,
        // Cut within a character.
        Err(error) => error.error_len().is_none(),
    };
    !head.is_empty() && head.iter().all(|b| is_text(*b)) && (foreign * 4 <= head.len() || is_utf8())
}

/// Returns the byte that two hexadecimal digits encode.
fn digits(pair: &[u8]) -> Option<u8> {
    let digit = |at| char::from(bytes::at(pair, at)).to_digit(16);
    u8::try_from(digit(0)? << 4 | digit(1)?).ok()
}
