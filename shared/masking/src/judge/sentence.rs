//! Decides whether a sentence gives a secret to a name: `the password is hunter2`.

use crate::bytes::{self, ALNUM, ALPHA, DIGIT, LOWER, UPPER};
use crate::candidate::Extent;
use crate::judge::name::{Class, Weight};
use crate::judge::resource_name::{is_resource_name, is_unpronounceable};
use crate::pattern::Pattern;
use crate::shape;

/// Whether the value at `extent` in a sentence is the secret that the name of `class` means.
pub(crate) fn is_given(text: &[u8], class: Class, extent: &Extent, value: &[u8]) -> bool {
    is_stated(value, class, extent.quoted, ends_line(text, extent.end))
        || follows_colon(text, extent.start) && is_announced(value, class)
}

/// Whether only a full stop follows `end` on its line.
fn ends_line(text: &[u8], end: usize) -> bool {
    let at = end + usize::from(bytes::at(text, end) == b'.');
    matches!(bytes::at(text, at), b'\n' | b'\r' | 0)
}

/// Whether a colon precedes the value: `the password is: hunter2`.
fn follows_colon(text: &[u8], start: usize) -> bool {
    let head = text.get(start.saturating_sub(4)..start);
    head.unwrap_or_default().trim_ascii_end().ends_with(b":")
}

/// Returns the weight of a class within a sentence. `pw` alone is a weaker hint than `db_pw`, but both mean a password.
fn weight_in_sentence(class: Class) -> Weight {
    match class.pattern {
        Pattern::Password => Weight::Password,
        _ => class.weight,
    }
}

/// Whether a value after a colon in a sentence is the secret. The rules are weaker than for a value without a colon.
fn is_announced(value: &[u8], class: Class) -> bool {
    let letters = value.iter().filter(|b| b.is_ascii_alphabetic()).count();
    let digits = value.iter().filter(|b| b.is_ascii_digit()).count();
    let is_word = bytes::is(bytes::at(value, 0), ALPHA) && letters >= 3 && !is_method(value);
    match weight_in_sentence(class) {
        Weight::Password => is_word && value.len() >= 6 && digits >= 1,
        Weight::Hint if class.pattern != Pattern::Secret => false,
        Weight::Token | Weight::Hint => {
            is_word && value.len() >= 8 && digits >= 2 && !is_resource_name(value)
        }
        Weight::Account => false,
    }
}

/// Whether a value that a sentence gives to a name can only be the secret, not a word, a number, a date or a version.
fn is_stated(value: &[u8], class: Class, quoted: bool, ends: bool) -> bool {
    let letters = value.iter().filter(|b| b.is_ascii_alphabetic()).count();
    let digits = value.iter().filter(|b| b.is_ascii_digit()).count();
    let odd = bytes::any(value, UPPER) || value.iter().any(|b| !bytes::is(*b, ALNUM));
    match weight_in_sentence(class) {
        // `the password is "…"`: a word in quotes is the password itself.
        Weight::Password if quoted => {
            value.len() >= 4 && !value.iter().any(u8::is_ascii_whitespace)
        }
        Weight::Password => {
            letters >= 3
                && digits >= 1
                && (value.len() >= 8
                    && (ends || odd && !is_resource_name(value) || is_made_up(value))
                    || value.len() >= 6 && shape::is_leet(value))
        }
        Weight::Token => {
            shape::is_drawn(value)
                || value.len() >= 8 && shape::is_leet(value)
                || value.len() >= 20 && digits >= 3 && !is_resource_name(value)
                || value.len() >= 14
                    && digits >= 2
                    && letters > 0
                    && !odd
                    && is_unpronounceable(value)
        }
        // `credentials: user / …`: the name of a secret that is only a hint.
        Weight::Hint if class.pattern == Pattern::Secret => {
            value.len() >= 8
                && letters >= 3
                && digits >= 1
                && (ends || odd && !is_resource_name(value) || is_made_up(value))
        }
        Weight::Hint | Weight::Account => false,
    }
}

/// Whether the value is a word with a number, but not the name of a storage or encoding method. `hunter2xyz99` in
/// `the password is hunter2xyz99 at home` is, but not `sha512crypt` or `base64encoded`.
fn is_made_up(value: &[u8]) -> bool {
    let digits = value.iter().filter(|b| b.is_ascii_digit()).count();
    digits >= 2
        && bytes::all(value, LOWER | DIGIT)
        && bytes::is(bytes::at(value, 0), LOWER)
        && !is_method(value)
}

/// Whether a value begins with the name of a method to store or encode secrets.
fn is_method(value: &[u8]) -> bool {
    const METHODS: [&[u8]; 17] = [
        b"aes", b"argon2", b"ascii", b"base32", b"base64", b"bcrypt", b"crypt", b"hmac", b"latin1",
        b"md5", b"ntlm", b"oauth", b"pbkdf2", b"pkcs", b"scrypt", b"sha", b"utf",
    ];
    METHODS.iter().any(|method| value.starts_with(method))
}
