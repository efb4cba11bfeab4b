//! Whether a value under a telling name is a secret, or a placeholder, a reference, a word, a piece of code.

use base64::Engine as _;

use crate::bytes::{
    self, ALNUM, ALPHA, BASE64, DASH, DIGIT, DOT, LOWER, TOKEN68, UNDERSCORE, UPPER,
};
use crate::candidate::{Extent, Joint, Sep};
use crate::decode::STANDARD;
use crate::judge::code::is_code;
use crate::judge::identifier;
use crate::judge::name::{Class, Weight};
use crate::judge::phrase;
use crate::judge::placeholder::{is_placeholder, is_word};
use crate::judge::program;
use crate::judge::reference::is_reference;
use crate::judge::resource_name::{is_name, is_resource_name, is_unspoken, repeats_name};
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
        return account(value);
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
        let ends = ends_line(text, extent.end);
        let is_given = is_said(value, class, extent.quoted, ends)
            || follows_colon(text, extent.start) && is_announced(value, class);
        if !is_given {
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
    if value.iter().any(u8::is_ascii_whitespace) && !is_key_material(value) {
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
        Weight::Password => password(value, joint, extent),
        // `the pw is "…"`, which was judged as a sentence.
        Weight::Token
            if joint.sep == Sep::Prose && bytes::has_at(text, joint.name_start, b"pw") =>
        {
            true
        }
        Weight::Token => token(value, extent),
        Weight::Hint => hint(value),
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

/// Whether nothing but a full stop stands after `end` on its line.
fn ends_line(text: &[u8], end: usize) -> bool {
    let at = end + usize::from(bytes::at(text, end) == b'.');
    matches!(bytes::at(text, at), b'\n' | b'\r' | 0)
}

/// Whether a colon stands before the value: `the password is: hunter2`.
fn follows_colon(text: &[u8], start: usize) -> bool {
    let head = text.get(start.saturating_sub(4)..start);
    head.unwrap_or_default().trim_ascii_end().ends_with(b":")
}

/// `pw` alone says less than `db_pw`, but the same of what it is.
fn said_weight(class: Class) -> Weight {
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
    match said_weight(class) {
        Weight::Password => is_word && value.len() >= 6 && digits >= 1,
        Weight::Hint if class.pattern != Pattern::Secret => false,
        Weight::Token | Weight::Hint => {
            is_word && value.len() >= 8 && digits >= 2 && !is_resource_name(value)
        }
        Weight::Account => false,
    }
}

/// Whether a value that a sentence gives to a name can only be the secret: no word, number, date or version.
fn is_said(value: &[u8], class: Class, quoted: bool, ends: bool) -> bool {
    let letters = value.iter().filter(|b| b.is_ascii_alphabetic()).count();
    let digits = value.iter().filter(|b| b.is_ascii_digit()).count();
    let odd = bytes::any(value, UPPER) || value.iter().any(|b| !bytes::is(*b, ALNUM));
    match said_weight(class) {
        // `the password is "…"`: nobody quotes a word that is not the password itself.
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
                || value.len() >= 14 && digits >= 2 && letters > 0 && !odd && is_unspoken(value)
        }
        // `credentials: user / …`: a secret's name without a weight of its own.
        Weight::Hint if class.pattern == Pattern::Secret => {
            value.len() >= 8
                && letters >= 3
                && digits >= 1
                && (ends || odd && !is_resource_name(value) || is_made_up(value))
        }
        Weight::Hint | Weight::Account => false,
    }
}

/// A word with a number, which is not how something is kept or written: `the password is hunter2xyz99 at home`, but
/// `the password is sha512crypt`, `is base64encoded`.
fn is_made_up(value: &[u8]) -> bool {
    let digits = value.iter().filter(|b| b.is_ascii_digit()).count();
    digits >= 2
        && bytes::all(value, LOWER | DIGIT)
        && bytes::is(bytes::at(value, 0), LOWER)
        && !is_method(value)
}

/// Whether a value begins with a way in which secrets are kept or written.
fn is_method(value: &[u8]) -> bool {
    const METHODS: [&[u8]; 17] = [
        b"aes", b"argon2", b"ascii", b"base32", b"base64", b"bcrypt", b"crypt", b"hmac", b"latin1",
        b"md5", b"ntlm", b"oauth", b"pbkdf2", b"pkcs", b"scrypt", b"sha", b"utf",
    ];
    METHODS.iter().any(|method| value.starts_with(method))
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

fn account(value: &[u8]) -> bool {
    let digits = value.iter().filter(|b| b.is_ascii_digit()).count();
    digits == 12 && value.iter().all(|b| b.is_ascii_digit() || *b == b'-')
}

fn password(value: &[u8], joint: &Joint, extent: &Extent) -> bool {
    // `bypass.rs:36:66`, `pass: 12:30`: a place, a time.
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

fn token(value: &[u8], extent: &Extent) -> bool {
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
        let drawn = value.len() >= 14 && is_unspoken(value);
        return (single && value.len() >= 12 && (extent.quoted || drawn || value.len() >= 20))
            || (cased && value.len() >= 16);
    }
    let digits = value.iter().filter(|b| b.is_ascii_digit()).count();
    let odd = value.iter().any(|b| !bytes::is(*b, TOKEN68));
    // Nobody issues tokens in other scripts than Latin: a message.
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
                || value.len() >= 12 && digits > 0 && is_unspoken(value));
    }
    !is_resource_name(value)
}

fn hint(value: &[u8]) -> bool {
    let tokenish = bytes::all(value, TOKEN68) && !is_resource_name(value);
    tokenish
        && ((value.len() >= 20 && shape::is_random(value, 12))
            || (value.len() >= 16 && (shape::is_random(value, 16) || shape::is_jumbled(value)))
            || (value.len() >= 20 && value.ends_with(b"=") && bytes::all(value, BASE64)))
        || (value.len() >= 12 && !tokenish && odd_password(value))
        || is_key_material(value)
        || is_user_and_password(value)
}

/// Base64 of `user:password`, as in Docker's configuration.
fn is_user_and_password(value: &[u8]) -> bool {
    if !(8..256).contains(&value.len()) || !bytes::all(value, BASE64) {
        return false;
    }
    let decoded = STANDARD.decode(value).unwrap_or_default();
    let colon = decoded.iter().position(|b| *b == b':');
    colon.is_some_and(|at| at > 0 && at + 3 < decoded.len())
        && decoded.iter().all(|b| (33..127).contains(b))
}

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

/// PEM text or wrapped base64, blanks or not.
fn is_key_material(value: &[u8]) -> bool {
    bytes::contains(value.get(..64).unwrap_or(value), b"-----begin")
        && !bytes::contains(value.get(..64).unwrap_or(value), b"public key")
        || (value.len() >= 60
            && value
                .iter()
                .all(|b| bytes::is(*b, BASE64) || b.is_ascii_whitespace())
            && shape::entropy(value) > 4.6)
}
