//! Decides by its look alone whether a value is a secret. The name of the value means an account, a password, a token,
//! or only hints at a secret.

use base64::Engine as _;

use crate::bytes::{
    self, ALNUM, ALPHA, BASE64, DASH, DIGIT, DOT, LOWER, TOKEN68, UNDERSCORE, UPPER,
};
use crate::candidate::{Extent, Joint, Sep};
use crate::decode::STANDARD;
use crate::judge::identifier;
use crate::judge::resource_name::{is_name, is_resource_name, is_unpronounceable};
use crate::shape;

/// Whether the value is an account number: twelve digits.
pub(crate) fn is_account(value: &[u8]) -> bool {
    let digits = value.iter().filter(|b| b.is_ascii_digit()).count();
    digits == 12 && value.iter().all(|b| b.is_ascii_digit() || *b == b'-')
}

/// Whether a value under the name of a password is not a count, a position, a time or a name.
pub(crate) fn is_password(value: &[u8], joint: &Joint, extent: &Extent) -> bool {
    // `bypass.rs:36:66`, `pass: 12:30`: a position, a time.
    if bytes::all(value, DIGIT | bytes::COLON) && value.contains(&b':') {
        return false;
    }
    if bytes::all(value, DIGIT | DOT) {
        // `passwords: 12`, `pass: 3`: a count.
        let dots = value.iter().filter(|b| **b == b'.').count();
        return value.len() >= 4 && (extent.quoted || value.len() >= 6 || dots >= 2);
    }
    if extent.quoted {
        return !is_name(value);
    }
    if bytes::all(value, ALPHA | UNDERSCORE | DASH | DOT) {
        let own_line = joint.sep == Sep::Colon || !joint.spaced || extent.in_pairs;
        let least = if joint.sep == Sep::Member { 3 } else { 4 };
        return (own_line || joint.sep == Sep::Member) && value.len() >= least && !is_name(value);
    }
    true
}

/// Whether a value under the name of a token is not a number, a word or a name.
pub(crate) fn is_token(value: &[u8], extent: &Extent) -> bool {
    if bytes::all(value, DIGIT | DOT) {
        let least = if extent.quoted { 10 } else { 15 };
        return value.len() >= least && bytes::all(value, DIGIT);
    }
    if value.len() < 6 || is_name(value) {
        return false;
    }
    if bytes::all(value, ALPHA | UNDERSCORE | DASH | DOT) {
        let cased =
            bytes::any(value, LOWER) && bytes::any(value, UPPER) && shape::entropy(value) > 3.4;
        let single = bytes::all(value, ALPHA);
        if cased && identifier::is_code_name(value) {
            return false;
        }
        let drawn = value.len() >= 14 && is_unpronounceable(value);
        return (single && value.len() >= 12 && (extent.quoted || drawn || value.len() >= 20))
            || (cased && value.len() >= 16);
    }
    let digits = value.iter().filter(|b| b.is_ascii_digit()).count();
    let odd = value.iter().any(|b| !bytes::is(*b, TOKEN68));
    // No issuer uses scripts other than Latin, so this is a message.
    let foreign = value.iter().filter(|b| **b >= 128).count();
    if foreign * 2 > value.len() {
        return false;
    }
    if odd {
        return value.len() >= 8 && (digits > 0 || value.len() >= 10);
    }
    // `pw: r00ted-tree`
    if value.len() >= 8 && shape::is_leet(value) {
        return true;
    }
    // `my-secret-1`, `token-v2`: a name with a number.
    if digits < 3
        && value.len() < 16
        && !(bytes::any(value, UPPER) && bytes::any(value, LOWER))
        && digits * 6 < value.len()
    {
        return bytes::all(value, ALNUM)
            && (extent.quoted && value.len() >= 8
                || value.len() >= 12 && digits > 0 && is_unpronounceable(value));
    }
    !is_resource_name(value)
}

/// Whether a value looks like a secret by itself. Its name only hints at one.
pub(crate) fn is_under_hint(value: &[u8]) -> bool {
    let tokenish = bytes::all(value, TOKEN68) && !is_resource_name(value);
    tokenish
        && ((value.len() >= 20 && shape::is_random(value, 12))
            || (value.len() >= 16 && (shape::is_random(value, 16) || shape::is_jumbled(value)))
            || (value.len() >= 20 && value.ends_with(b"=") && bytes::all(value, BASE64)))
        || (value.len() >= 12 && !tokenish && odd_password(value))
        || is_key_material(value)
        || is_user_and_password(value)
}

/// Whether the value is base64 of `user:password`, as in Docker's configuration.
fn is_user_and_password(value: &[u8]) -> bool {
    if !(8..256).contains(&value.len()) || !bytes::all(value, BASE64) {
        return false;
    }
    let decoded = STANDARD.decode(value).unwrap_or_default();
    let colon = decoded.iter().position(|b| *b == b':');
    colon.is_some_and(|at| at > 0 && at + 3 < decoded.len())
        && decoded.iter().all(|b| (33..127).contains(b))
}

/// Whether at least three of its characters are unusual in names and paths.
fn odd_password(value: &[u8]) -> bool {
    let odd = value
        .iter()
        .filter(|b| {
            b.is_ascii_punctuation()
                && !matches!(
                    b,
                    b'.' | b'-'
                        | b'_'
                        | b'/'
                        | b':'
                        | b','
                        | b'('
                        | b')'
                        | b'{'
                        | b'}'
                        | b'['
                        | b']'
                        | b'"'
                        | b'\''
                        | b'\\'
                        | b'='
                )
        })
        .count();
    odd >= 3 && bytes::any(value, DIGIT) && bytes::any(value, ALPHA)
}

/// Whether the value is PEM text or wrapped base64, with or without blanks.
pub(crate) fn is_key_material(value: &[u8]) -> bool {
    bytes::contains(value.get(..64).unwrap_or(value), b"-----begin")
        && !bytes::contains(value.get(..64).unwrap_or(value), b"public key")
        || (value.len() >= 60
            && value
                .iter()
                .all(|b| bytes::is(*b, BASE64) || b.is_ascii_whitespace())
            && shape::entropy(value) > 4.6)
}
