//! Whether a value under a telling name is a secret, or a placeholder, a reference, a word, a piece of code.

use super::name::{Class, Weight};
use super::placeholder::{is_placeholder, is_word};
use super::separator::{Joint, Sep};
use super::value::Extent;
use crate::bytes::{
    self, ALNUM, ALPHA, BASE64, DASH, DIGIT, DOT, DOTTED, LOWER, PLUS, SLASH, TOKEN68, UNDERSCORE,
    UPPER,
};
use crate::pattern::Pattern;
use crate::shape;

/// The verdict on the value at `extent`.
pub(super) fn is_secret(text: &[u8], class: Class, joint: &Joint, extent: &Extent) -> bool {
    let Some(value) = text.get(extent.start..extent.end) else {
        return false;
    };
    let value = value.trim_ascii();
    if class.weight == Weight::Account {
        return account(value);
    }
    if value.len() < 3
        || bytes::contains(value, b"[masked_")
        || is_placeholder(value)
        || is_word(value)
        || is_reference(value)
    {
        return false;
    }
    if !extent.quoted && is_code(text, joint, extent, value) {
        return false;
    }
    if joint.sep == Sep::Prose && !is_said(value, class, extent.quoted) {
        return false;
    }
    if is_seed_phrase(value) {
        return true;
    }
    if value.iter().any(u8::is_ascii_whitespace) && !is_key_material(value) {
        let block = joint.sep == Sep::Colon && value.contains(&b'\n');
        let phrase = joint.sep == Sep::Equals && bytes::any(value, DIGIT) && value.len() < 64;
        return class.weight == Weight::Password && (block || phrase);
    }
    match class.weight {
        Weight::Password => password(value, joint, extent),
        Weight::Token => token(value, extent),
        Weight::Hint => hint(value),
        Weight::Account => false,
    }
}

/// Whether a value that a sentence gives to a name can only be the secret: no word, number, date or version.
fn is_said(value: &[u8], class: Class, quoted: bool) -> bool {
    let letters = value.iter().filter(|b| b.is_ascii_alphabetic()).count();
    let digits = value.iter().filter(|b| b.is_ascii_digit()).count();
    let odd = bytes::any(value, UPPER) || value.iter().any(|b| !bytes::is(*b, ALNUM));
    // `pw` alone says less than `db_pw`, but the same of what it is.
    let weight = match class.pattern {
        Pattern::Password => Weight::Password,
        _ => class.weight,
    };
    match weight {
        // `the password is "…"`: nobody quotes a word that is not the password itself.
        Weight::Password if quoted => {
            value.len() >= 4 && !value.iter().any(u8::is_ascii_whitespace)
        }
        Weight::Password => {
            value.len() >= 8 && letters >= 3 && digits >= 1 && odd && !is_resource_name(value)
        }
        Weight::Token => {
            shape::is_drawn(value)
                || value.len() >= 20 && digits >= 3 && !is_resource_name(value)
                || value.len() >= 14 && digits >= 2 && letters > 0 && !odd && is_unspoken(value)
        }
        Weight::Hint | Weight::Account => false,
    }
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
    if bytes::all(value, DIGIT | DOT) {
        // `passwords: 12`, `pass: 3`: a count.
        return value.len() >= 4 && (extent.quoted || value.len() >= 6);
    }
    if extent.quoted {
        return !is_name(value);
    }
    if bytes::all(value, ALPHA | UNDERSCORE | DASH | DOT) {
        let own_line = joint.sep == Sep::Colon || !joint.spaced || extent.in_pairs;
        return own_line && value.len() >= 4 && !is_name(value);
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
        return (single && value.len() >= 12 && (extent.quoted || value.len() >= 20))
            || (cased && value.len() >= 16);
    }
    let digits = value.iter().filter(|b| b.is_ascii_digit()).count();
    let odd = value.iter().any(|b| !bytes::is(*b, TOKEN68));
    if odd {
        return value.len() >= 8 && (digits > 0 || value.len() >= 10);
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

/// Too few vowels for words.
fn is_unspoken(value: &[u8]) -> bool {
    let letters = value.iter().filter(|b| b.is_ascii_alphabetic()).count();
    let vowels = value.iter().filter(|b| b"aeiouyAEIOUY".contains(b)).count();
    vowels * 4 < letters
}

fn hint(value: &[u8]) -> bool {
    let tokenish = bytes::all(value, TOKEN68) && !is_resource_name(value);
    tokenish
        && ((value.len() >= 20 && shape::is_random(value, 12))
            || (value.len() >= 16 && (shape::is_random(value, 16) || shape::is_jumbled(value)))
            || (value.len() >= 20 && value.ends_with(b"=") && bytes::all(value, BASE64)))
        || (value.len() >= 12 && !tokenish && odd_password(value))
        || is_key_material(value)
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

/// Points to where the secret is: a path, a URL, an ARN, a vault reference, an encrypted value.
pub(crate) fn is_reference(value: &[u8]) -> bool {
    const STARTS: &[&[u8]] = &[
        b"http://",
        b"https://",
        b"arn:",
        b"op://",
        b"vault:",
        b"ref+",
        b"file:",
        b"env:",
        b"secretref:",
        b"gcpsm://",
        b"awssm://",
        b"enc[",
        b"projects/",
        b"ssm:",
        b"keyvault",
        b"@microsoft.keyvault",
        b"process.env",
        b"os.environ",
        b"os.getenv",
        b"!vault",
        b"$ansible_vault",
        b"!secret",
        b"!ref",
        b"!sub",
        b"valuefrom",
        b"secretkeyref",
        b"data.",
        b"var.",
        b"local.",
        b"module.",
        b"system.getenv",
        b"sha256:",
        b"sha512-",
        b"sha1-",
        b"sha384-",
        b"sha256-",
        b"urn:",
        b"spiffe://",
    ];
    if STARTS.iter().any(|start| bytes::has_at(value, 0, start)) {
        return true;
    }
    let drive = bytes::at(value, 1) == b':' && matches!(bytes::at(value, 2), b'\\' | b'/');
    let rooted = value.starts_with(b"/")
        || value.starts_with(b"./")
        || value.starts_with(b"../")
        || value.starts_with(b"~/");
    // `#forgot-password` of a stylesheet.
    let selector = value.strip_prefix(b"#").is_some_and(|name| {
        name.len() >= 3 && bytes::all(name, LOWER | DASH) && name.contains(&b'-')
    });
    drive
        || selector
        || (rooted
            && bytes::all(value, DOTTED | SLASH | PLUS)
            && (shape::looks_like_path(value) || value.len() < 24))
        || (value.contains(&b'/') && value.contains(&b'.') && shape::looks_like_path(value))
}

/// An expression rather than a literal: a call, a member, an index, a type, a variable.
fn is_code(text: &[u8], joint: &Joint, extent: &Extent, value: &[u8]) -> bool {
    let name_end = bytes::run(value, 0, ALNUM | UNDERSCORE | DOT | bytes::COLON, 128);
    let next = bytes::at(value, name_end);
    let named = bytes::is(bytes::at(value, 0), ALPHA | UNDERSCORE) && !value.starts_with(b"_");
    let balanced = value.len() > name_end + 1
        && matches!(next, b'(' | b'[')
        && matches!(
            bytes::before(value, value.len()),
            b')' | b']' | b'\'' | b'"' | b',' | b';' | b'(' | b'[' | b'?' | b'!' | b'}'
        );
    let cut_by_quote = matches!(bytes::at(text, extent.end), b'"' | b'\'')
        && matches!(bytes::before(text, extent.end), b'(' | b'[');
    // `config.get('x`, `Annotated[str`: cut by a quote or a comma within the brackets.
    let opened = value.get(..name_end).unwrap_or_default();
    let cut = matches!(next, b'(' | b'[')
        && name_end >= 4
        && bytes::all(opened, ALPHA | UNDERSCORE | DOT)
        && (value.len() == name_end + 1
            || bytes::all(
                value.get(name_end + 1..).unwrap_or_default(),
                ALPHA | UNDERSCORE | DOT | bytes::COLON | SLASH,
            )
            || bytes::at(value, name_end + 1) == b'\'');
    if named && (balanced || cut_by_quote || cut)
        || value.starts_with(b"*")
        || value.starts_with(b"&") && joint.sep == Sep::Colon
        || value.starts_with(b"(")
        || value.starts_with(b"$(")
        || is_variable_used(value)
    {
        return true;
    }
    let member = named
        && name_end == value.len()
        && value.contains(&b'.')
        && value.split(|b| *b == b'.').all(|part| {
            part.first()
                .is_some_and(|b| bytes::is(*b, ALPHA | UNDERSCORE))
                && part.iter().filter(|b| b.is_ascii_digit()).count() <= 1
        });
    // `Ed25519.BlindSignatures`: the type has a number, its member none.
    let member = member
        || joint.spaced
            && joint.sep == Sep::Equals
            && named
            && name_end == value.len()
            && value.split(|b| *b == b'.').count() == 2
            && value
                .rsplit(|b| *b == b'.')
                .next()
                .is_some_and(|last| bytes::all(last, ALPHA | UNDERSCORE) && is_camel(last));
    let programming = joint.spaced
        && joint.sep == Sep::Equals
        && named
        && !extent.in_pairs
        && bytes::all(value, ALPHA | UNDERSCORE);
    let generic = value.ends_with(b">")
        || value.contains(&b'<') && value.contains(&b'>')
        || value.starts_with(b"->")
        || value.starts_with(b"=>");
    let sized =
        !value.is_empty() && bytes::all(value, DIGIT) && bytes::has_at(text, extent.end, b" byte");
    member
        && (joint.spaced
            || joint.sep == Sep::Colon
            || value.starts_with(b"self.")
            || value.starts_with(b"this."))
        || programming
        || generic
        || sized
}

/// `$_POST[`, `$user->secret`, `$read(`: a variable of a shell or of PHP, and what is done with it; `#{store[`: a
/// template that a quote cut.
fn is_variable_used(value: &[u8]) -> bool {
    if (value.starts_with(b"#{") || value.starts_with(b"${")) && !value.contains(&b'}') {
        return true;
    }
    let Some(name) = value.strip_prefix(b"$") else {
        return false;
    };
    let end = bytes::run(name, 0, ALNUM | UNDERSCORE, 64);
    let used = name.get(end..).unwrap_or_default();
    end >= 2
        && !bytes::is(bytes::at(name, 0), DIGIT)
        && (used.starts_with(b"[") || used.starts_with(b"->") || used.starts_with(b"("))
}

/// Words in camel case, or one word.
fn is_camel(name: &[u8]) -> bool {
    let humps = name.iter().filter(|b| bytes::is(**b, UPPER)).count();
    humps * 3 <= name.len() && name.len() >= 3
}

/// The name of a secret rather than a secret: words with a secret word at the end, or the word alone.
fn is_name(value: &[u8]) -> bool {
    if !bytes::all(
        value,
        ALPHA | UNDERSCORE | DASH | DOT | bytes::COLON | SLASH,
    ) {
        return false;
    }
    let mut parts = value
        .split(|b| matches!(b, b'_' | b'-' | b'.' | b':' | b'/'))
        .filter(|part| !part.is_empty());
    let count = parts.clone().count();
    let said = parts.any(|part| {
        [
            "password",
            "passwd",
            "secret",
            "token",
            "key",
            "pass",
            "credentials",
            "auth",
            "pwd",
        ]
        .iter()
        .any(|word| part.eq_ignore_ascii_case(word.as_bytes()))
    });
    let camel = count == 1
        && value.iter().filter(|b| b.is_ascii_uppercase()).count() < 4
        && bytes::is(bytes::at(value, 0), LOWER)
        && bytes::any(value, UPPER)
        && ["password", "secret", "token", "key"]
            .iter()
            .any(|w| bytes::contains(value, w.as_bytes()));
    (said && count >= 2) || camel
}

/// Words, digits and hashes joined by dashes, dots or slashes, as Kubernetes and registries name things.
fn is_resource_name(value: &[u8]) -> bool {
    if !bytes::all(
        value,
        LOWER | DIGIT | DASH | DOT | SLASH | bytes::COLON | UNDERSCORE,
    ) || shape::is_uuid(value)
    {
        return false;
    }
    let parts = value.split(|b| matches!(b, b'-' | b'.' | b'/' | b':' | b'_'));
    let (mut words, mut total, mut longest) = (0, 0, 0);
    for part in parts {
        total += 1;
        longest = longest.max(if bytes::any(part, DIGIT) {
            part.len()
        } else {
            0
        });
        words += usize::from(
            !part.is_empty()
                && part.len() <= 14
                && part.iter().filter(|b| b.is_ascii_digit()).count() <= 1
                && (part.len() < 6 || !is_unspoken(part)),
        );
    }
    total >= 2 && words * 2 >= total && longest < 12
}
