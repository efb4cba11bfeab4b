//! Whether a value under a telling name is a secret, or a placeholder, a reference, a word, a piece of code.

use crate::bytes::{self, ALNUM, ALPHA, DASH, DIGIT, DOT, LOWER, UNDERSCORE, UPPER};
use crate::candidate::{Extent, Joint, Sep};
use crate::judge::code::is_code;
use crate::judge::identifier;
use crate::judge::name::{Class, Weight};
use crate::judge::phrase;
use crate::judge::placeholder::{is_placeholder, is_word};
use crate::judge::program;
use crate::judge::reference::is_reference;
use crate::judge::resource_name::repeats_name;
use crate::judge::{said, strength};
use crate::kind::marker_end;
use crate::pattern::Pattern;
use crate::shape;

/// Whether the value at `extent`, given to a name of `class`, is a secret.
pub(crate) fn is_secret_value(text: &[u8], class: Class, joint: &Joint, extent: &Extent) -> bool {
    let Some(value) = text.get(extent.start..extent.end) else {
        return false;
    };
    let value = value.trim_ascii();
    if class.weight == Weight::Account {
        return strength::is_account(value);
    }
    if bytes::contains(value, b"[masked_") {
        return is_partly_masked(value, class);
    }
    // `Cookie: name=value`, of which the value alone is the secret, and found by another.
    if class.weight == Weight::Hint && is_cookie(text, joint, value) {
        return false;
    }
    // Where its login is found, the host and the database stay.
    if class.pattern == Pattern::ConnectionString
        && [&b"://"[..], b"@tcp(", b"@unix("]
            .iter()
            .any(|mark| bytes::contains(value, mark))
    {
        return false;
    }
    // Of a configuration file, two letters are a password, too.
    let least = if joint.sep == Sep::Member && class.weight == Weight::Password {
        2
    } else {
        3
    };
    if value.len() < least
        || is_placeholder(value)
        || is_word(value)
        || is_reference(value)
        || repeats_name(text, joint.name_start, value)
        || program::says_name(text, joint, value)
        || program::is_version(text, joint, value)
        || program::is_switch(text, joint, value)
        || program::is_quoted_code(text, joint, extent, value)
    {
        return false;
    }
    if !extent.quoted && joint.sep != Sep::Member && is_code(text, joint, extent, value) {
        return false;
    }
    if joint.sep == Sep::Prose {
        if !said::is_given(text, class, extent, value) {
            return false;
        }
        if class.weight == Weight::Hint {
            return text
                .get(..extent.start)
                .is_some_and(|head| head.ends_with(b" / "));
        }
    }
    if is_seed_phrase(value) {
        return true;
    }
    if value.iter().any(u8::is_ascii_whitespace) && !strength::is_key_material(value) {
        let block = matches!(joint.sep, Sep::Colon | Sep::Member)
            && (value.contains(&b'\n') || is_below(text, extent.start));
        let given = joint.sep == Sep::Member || extent.quoted && joint.sep != Sep::Quoted;
        return class.weight == Weight::Password && block
            || joint.sep != Sep::Prose
                && (joint.sep != Sep::Quoted || phrase::is_terse(value))
                && phrase::is_secret(value, class, given);
    }
    if class.weight != Weight::Password && identifier::is_identifier(value) {
        return false;
    }
    if joint.sep == Sep::Quoted && is_listed(text, joint) && is_plain_word(value) {
        return false;
    }
    if class.weight == Weight::Hint && is_id_of_a_key(text, joint, value) {
        return false;
    }
    if class.pattern == Pattern::Secret && shape::is_uuid(value) {
        return true;
    }
    if is_one_time_code(text, joint, value) {
        return true;
    }
    match class.weight {
        Weight::Password => strength::is_password(value, joint, extent),
        // `the pw is "…"`, which was judged as a sentence.
        Weight::Token
            if joint.sep == Sep::Prose && bytes::has_at(text, joint.name_start, b"pw") =>
        {
            true
        }
        Weight::Token => strength::is_token(value, extent),
        Weight::Hint => strength::is_under_hint(value),
        Weight::Account => false,
    }
}

/// Whether the name is that of a header with cookies, and the value one or more of them.
fn is_cookie(text: &[u8], joint: &Joint, value: &[u8]) -> bool {
    let end = bytes::run(text, joint.name_start, ALNUM | DASH | UNDERSCORE, 64);
    let named = end.checked_sub(6);
    let pair = bytes::run(value, 0, bytes::NAME, 64);
    named.is_some_and(|at| at >= joint.name_start && bytes::has_at(text, at, b"cookie"))
        && pair > 0
        && pair + 8 < value.len()
        && bytes::at(value, pair) == b'='
}

/// Whether the value stands on lines of its own, below the `|` or `>` of YAML.
fn is_below(text: &[u8], start: usize) -> bool {
    let head = text.get(start.saturating_sub(64)..start);
    let head = head.unwrap_or_default().trim_ascii_end();
    let lines = text.get(start.saturating_sub(64)..start);
    let broken = lines.unwrap_or_default().contains(&b'\n');
    let mark = head
        .strip_suffix(b"-")
        .or_else(|| head.strip_suffix(b"+"))
        .unwrap_or(head);
    broken && (mark.ends_with(b": |") || mark.ends_with(b": >"))
}

/// `otp=153458`: six to eight digits under such a name.
fn is_one_time_code(text: &[u8], joint: &Joint, value: &[u8]) -> bool {
    let end = bytes::run(text, joint.name_start, bytes::NAME, 64);
    let name = text.get(joint.name_start..end).unwrap_or_default();
    let tail = name.get(name.len().saturating_sub(3)..).unwrap_or_default();
    tail.eq_ignore_ascii_case(b"otp")
        && (6..=8).contains(&value.len())
        && bytes::all(value, DIGIT)
        && matches!(
            joint.sep,
            Sep::Colon | Sep::Equals | Sep::Member | Sep::Flag
        )
}

/// `"puts", "pwd", "quit"`: whether the name is an item of a list of words.
fn is_listed(text: &[u8], joint: &Joint) -> bool {
    let head = text.get(..joint.name_start).unwrap_or_default();
    let head = head
        .get(head.len().saturating_sub(64)..)
        .unwrap_or_default();
    let head = head
        .strip_suffix(b"\"")
        .or_else(|| head.strip_suffix(b"'"))
        .or_else(|| head.strip_suffix(b"`"))
        .unwrap_or(head);
    matches!(head.trim_ascii_end().last(), Some(b',' | b'['))
}

/// Letters, underscores and dashes: a word or a name.
fn is_plain_word(value: &[u8]) -> bool {
    bytes::all(value, ALPHA | UNDERSCORE | DASH | DOT)
}

/// `"key": "<uuid>"` and fingerprints: the name of an object, of a public key.
fn is_id_of_a_key(text: &[u8], joint: &Joint, value: &[u8]) -> bool {
    let bare = bytes::has_at(text, joint.name_start, b"key")
        && !bytes::is(bytes::at(text, joint.name_start + 3), bytes::NAME);
    bare && shape::is_uuid(value)
        || value.len() == 40 && bytes::all(value, DIGIT | UPPER) && shape::is_hex(value)
}

/// `[MASKED_X]hunter2`: whether a secret stands right next to a replacement.
fn is_partly_masked(value: &[u8], class: Class) -> bool {
    let (mut rest, mut at) = (Vec::new(), 0);
    while let Some(byte) = value.get(at) {
        match marker_end(value, at) {
            Some(end) => at = end,
            None => {
                rest.push(*byte);
                at += 1;
            }
        }
    }
    let left = rest.trim_ascii();
    let glued = left.len() == rest.len() && class.weight >= Weight::Token;
    let apart =
        class.weight == Weight::Password && bytes::any(left, DIGIT) && bytes::any(left, ALPHA);
    left.len() >= 4
        && rest.len() < value.len()
        && (glued || apart && left.len() >= 6)
        && bytes::any(left, ALNUM)
        && !left
            .iter()
            .any(|b| b.is_ascii_whitespace() || b"@/:;=,&?{}<>()\"'".contains(b))
}

/// The words of a wallet: 12, 15, 18, 21 or 24, none shorter than three letters (BIP 39).
fn is_seed_phrase(value: &[u8]) -> bool {
    if value.len() > 240 || !value.iter().all(|b| bytes::is(*b, LOWER) || *b == b' ') {
        return false;
    }
    let words = value.split(|b| *b == b' ');
    let fits = words.clone().all(|word| (3..=8).contains(&word.len()));
    fits && matches!(words.count(), 12 | 15 | 18 | 21 | 24)
}
