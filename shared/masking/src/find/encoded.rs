//! Base64 and hexadecimal of texts that hold secrets.

use base64::Engine as _;

use crate::bytes::{self, BASE64, HEX, URLSAFE};
use crate::context::Context;
use crate::decode::{STANDARD, URL_SAFE, is_text};
use crate::pattern::Pattern;

/// The longest run that is decoded, in bytes.
const DECODED_BYTES: usize = 1 << 20;

/// Whether the token is base64 or hexadecimal of a text that holds a secret.
pub(crate) fn is_encoded(context: &Context<'_>, token: &[u8]) -> bool {
    if token.len() > DECODED_BYTES {
        return false;
    }
    let body = token
        .get(..token.len() - token.iter().rev().take_while(|b| **b == b'=').count())
        .unwrap_or_default();
    let decoded = if bytes::all(body, HEX) && body.len() >= 32 && body.len() % 2 == 0 {
        let digits = |pair: &[u8]| {
            std::str::from_utf8(pair)
                .ok()
                .and_then(|p| u8::from_str_radix(p, 16).ok())
        };
        if !body
            .get(..16)
            .unwrap_or_default()
            .chunks(2)
            .all(|pair| digits(pair).is_some_and(is_text))
        {
            return false;
        }
        body.chunks(2).map(digits).collect::<Option<Vec<u8>>>()
    } else if bytes::all(body, BASE64) || bytes::all(body, URLSAFE) {
        let engine = if bytes::all(body, BASE64) {
            &STANDARD
        } else {
            &URL_SAFE
        };
        let probe = engine
            .decode(body.get(..16).unwrap_or_default())
            .unwrap_or_default();
        if probe.is_empty() || !probe.iter().all(|b| is_text(*b)) {
            return false;
        }
        engine.decode(body).ok()
    } else {
        None
    };
    let Some(decoded) = decoded else { return false };
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
