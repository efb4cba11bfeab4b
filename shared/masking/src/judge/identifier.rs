//! Tokens that identify a thing but give no access to it: ids of cloud resources, traces, memory and code.

use crate::bytes::{self, ALNUM, ALPHA, DASH, DIGIT, HEX, LOWER, UNDERSCORE, UPPER};
use crate::shape;

/// Whether `token` has the form of an id, regardless of the text around it.
pub(crate) fn is_identifier(token: &[u8]) -> bool {
    is_resource_id(token) || is_trace_context(token) || is_address(token)
}

/// Whether the token is an Amazon id with 8 or 17 hexadecimal digits (`vol-0a1b2c3d4e5f60718`, `i-0a1b2c3d`,
/// `vpce-svc-…`), or `mrk-…` with 32.
fn is_resource_id(token: &[u8]) -> bool {
    // A kind of up to 16 letters, a dash, and up to 32 digits.
    if token.len() > 49 || !bytes::is(bytes::at(token, 0), LOWER) {
        return false;
    }
    let Some(dash) = token.iter().rposition(|b| *b == b'-') else {
        return false;
    };
    let (kind, id) = (token.get(..dash), token.get(dash + 1..));
    let (kind, id) = (kind.unwrap_or_default(), id.unwrap_or_default());
    (matches!(id.len(), 8 | 17) || kind == b"mrk" && id.len() == 32)
        && bytes::all(id, HEX)
        && (1..=16).contains(&kind.len())
        && bytes::all(kind, LOWER | DASH)
}

/// Whether the token is a trace context: `00-<32>-<16>-01` in `traceparent`, `<32>-<16>-1` in B3, `1-<8>-<24>` in
/// X-Ray.
fn is_trace_context(token: &[u8]) -> bool {
    if token.len() < 33 || !bytes::all(token, HEX | DASH) {
        return false;
    }
    let mut lengths = [0; 5];
    let mut count = 0;
    for part in token.split(|b| *b == b'-') {
        if let Some(length) = lengths.get_mut(count) {
            *length = part.len();
        }
        count += 1;
    }
    matches!(
        lengths.get(..count),
        Some(
            [2, 32, 16, 2]
                | [32, 16, 1]
                | [16, 16, 1]
                | [32 | 16, 16, 1, 16]
                | [32, 16]
                | [1, 8, 24]
        )
    )
}

/// Whether the token is a memory address: `0x00007f3a9c1b2d40`.
fn is_address(token: &[u8]) -> bool {
    let digits = token
        .strip_prefix(b"0x")
        .or_else(|| token.strip_prefix(b"0X"));
    digits.is_some_and(|digits| digits.len() <= 16 && bytes::all(digits, HEX))
}

/// Whether the token is words in camel case or joined by underscores, with few digits: `Route53RecoveryReadiness`,
/// `_bindgen_ty_24`.
pub(crate) fn is_code_name(token: &[u8]) -> bool {
    if token.len() < 8 || !bytes::all(token, ALNUM | UNDERSCORE | bytes::DOT | bytes::COLON) {
        return false;
    }
    let digits = token.iter().filter(|b| bytes::is(**b, DIGIT)).count();
    if digits * 3 > token.len() {
        return false;
    }
    let (mut at, mut words, mut pronounceable, mut letters, mut numbers) = (0, 0, 0, 0, 0);
    while at < token.len() {
        if !bytes::is(bytes::at(token, at), ALPHA) {
            let number = bytes::run(token, at, DIGIT, token.len());
            numbers += usize::from(number > at);
            at = number.max(at + 1);
            continue;
        }
        let upper = bytes::run(token, at, UPPER, token.len());
        let end = bytes::run(token, upper, LOWER, token.len());
        let length = end - at;
        letters += length;
        let word = token.get(at..end).unwrap_or_default();
        if end - upper >= 2 && upper - at <= 5 || upper == end && length >= 3 {
            words += 1;
            pronounceable += if length >= 3 && is_pronounceable(word) {
                length
            } else {
                0
            };
        }
        at = end;
    }
    words > 0
        && numbers <= 3
        && (numbers <= 1 || bytes::any(token, UPPER | UNDERSCORE))
        && pronounceable * 10 >= letters * 8
        && letters >= words * 4
        && !shape::is_hex(token)
}

/// Whether vowels and consonants are mixed as in a word.
fn is_pronounceable(word: &[u8]) -> bool {
    let vowels = word.iter().filter(|b| b"aeiouyAEIOUY".contains(b)).count();
    vowels * 6 >= word.len() && vowels * 5 <= word.len() * 4
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_recognised_by_their_shape() {
        for id in [
            "vol-0a1b2c3d4e5f60718",
            "i-0a1b2c3d",
            "subnet-0123456789abcdef0",
            "vpce-svc-0123456789abcdef0",
            "mrk-0123456789abcdef0123456789abcdef",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "1-5759e988-bd862e3fe1be46a994272793",
            "0x00007f3a9c1b2d40",
        ] {
            assert!(is_identifier(id.as_bytes()), "{id}");
        }
        for token in [
            "key-3ax6xnjp29jd6fds4gc373sgvjxteol0",
            "4bf92f3577b34da6a3ce929d0e0e4736",
            "sk-0123456789abcdef0123",
            "A1-0123456789abcdef0",
        ] {
            assert!(!is_identifier(token.as_bytes()), "{token}");
        }
    }

    #[test]
    fn names_of_code_are_distinguished_from_random_texts() {
        for name in [
            "Route53RecoveryReadiness",
            "V2beta2MetricTarget",
            "Zip64DataDescriptorBlock",
            "NewSessionTicketPayloadTls13",
            "application_configuration_v2",
        ] {
            assert!(is_code_name(name.as_bytes()), "{name}");
        }
        for token in [
            "q8Zx2LmP0aRt7VbNk3j9",
            "aXkPqWmZrTnBvCdFgHjK",
            "k3j9x0v2m4n8b6c1z5q7",
            "PL7r_XPXl6ZPcBcLsBdB",
            "xWmQzKvBnRtYpLsD",
        ] {
            assert!(!is_code_name(token.as_bytes()), "{token}");
        }
    }
}
