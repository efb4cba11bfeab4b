//! Decides whether a value under a name that suggests a secret is one, or a placeholder, a reference, a word, or code.

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
use crate::judge::{sentence, strength};
use crate::kind::marker_end;
use crate::pattern::Pattern;
use crate::shape;

/// Whether the value at `extent`, under a name of `class`, is a secret.
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
    // `Cookie: name=value`: only the value is the secret, and another finder claims it.
    if class.weight == Weight::Hint && is_cookie(text, joint, value) {
        return false;
    }
    // Another finder claims the login, so that the host and the database stay visible.
    if class.pattern == Pattern::ConnectionString
        && [&b"://"[..], b"@tcp(", b"@unix("]
            .iter()
            .any(|mark| bytes::contains(value, mark))
    {
        return false;
    }
    // In a configuration file, even two letters may be a password.
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
        || program::repeats_own_name(text, joint, value)
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
        if !sentence::is_given(text, class, extent, value) {
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
        // `the pw is "…"` was already judged as a sentence.
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

/// Whether the name is that of a header with cookies, and the value has the form of cookies.
fn is_cookie(text: &[u8], joint: &Joint, value: &[u8]) -> bool {
    let end = bytes::run(text, joint.name_start, ALNUM | DASH | UNDERSCORE, 64);
    let named = end.checked_sub(6);
    let pair = bytes::run(value, 0, bytes::NAME, 64);
    named.is_some_and(|at| at >= joint.name_start && bytes::has_at(text, at, b"cookie"))
        && pair > 0
        && pair + 8 < value.len()
        && bytes::at(value, pair) == b'='
}

/// Whether the value is on its own lines below the `|` or `>` of YAML.
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

/// Whether the value is a one-time code: six to eight digits under a name such as in `otp=153458`.
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

/// Whether the name is an item in a list of words: `"puts", "pwd", "quit"`.
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

/// Whether the value is a word or a name: letters, underscores, dashes and dots.
fn is_plain_word(value: &[u8]) -> bool {
    bytes::all(value, ALPHA | UNDERSCORE | DASH | DOT)
}

/// Whether the value is the name of an object or a public key: `"key": "<uuid>"`, or a fingerprint.
fn is_id_of_a_key(text: &[u8], joint: &Joint, value: &[u8]) -> bool {
    let bare = bytes::has_at(text, joint.name_start, b"key")
        && !bytes::is(bytes::at(text, joint.name_start + 3), bytes::NAME);
    bare && shape::is_uuid(value)
        || value.len() == 40 && bytes::all(value, DIGIT | UPPER) && shape::is_hex(value)
}

/// Whether a secret is directly next to a replacement: `[MASKED_X]hunter2`.
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

/// Whether the value is the seed phrase of a wallet (BIP 39): 12, 15, 18, 21 or 24 words of three to eight letters.
fn is_seed_phrase(value: &[u8]) -> bool {
    if value.len() > 240 || !value.iter().all(|b| bytes::is(*b, LOWER) || *b == b' ') {
        return false;
    }
    let words = value.split(|b| *b == b' ');
    let fits = words.clone().all(|word| (3..=8).contains(&word.len()));
    fits && matches!(words.count(), 12 | 15 | 18 | 21 | 24)
}
