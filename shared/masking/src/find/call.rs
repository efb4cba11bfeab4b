//! Calls with a user and a password as arguments: `HTTPBasicAuth("user", "…")`.

use crate::bytes;
use crate::context::Context;
use crate::judge::name::{Class, Weight};
use crate::judge::phrase;
use crate::judge::placeholder::{is_placeholder, is_prose};
use crate::pattern::Pattern;
use crate::shape;

/// Longest part of the arguments that is scanned, in bytes.
const ARGUMENT_BYTES: usize = 160;

/// Calls whose password follows an address and a user.
const THIRD: [&[u8]; 9] = [
    b"opendsobject(",
    b"directoryentry(",
    b"mysqli_connect(",
    b"mysql_connect(",
    b"new pdo(",
    b"new mysqli(",
    b"getconnection(",
    b"pymysql.connect(",
    b"mysqldb.connect(",
];

/// Class of a password that is passed to a login.
const PASSWORD: Class = Class {
    pattern: Pattern::Password,
    weight: Weight::Password,
};

/// Scans the arguments from `from` on, which is at or after an opening quote or bracket.
pub(crate) fn scan(context: &mut Context<'_>, from: usize) {
    let text = context.bytes;
    let only = matches!(bytes::before(text, from), b'"' | b'\'');
    let is_third = |call: &&[u8]| bytes::has_at(text, from.saturating_sub(call.len()), call);
    if bytes::has_at(text, from.saturating_sub(6), b"oauth(")
        || bytes::has_at(text, from.saturating_sub(7), b"oauth1(")
    {
        return every_random(context, from);
    }
    let login = only
        && (bytes::has_at(text, from.saturating_sub(8), b".login(")
            || bytes::has_at(text, from.saturating_sub(7), b".auth("));
    let open = if login {
        second(text, from)
    } else if only {
        Some(from - 1)
    } else if THIRD.iter().any(is_third) {
        second(text, from).and_then(|open| second(text, open))
    } else {
        second(text, from)
    };
    let Some(open) = open else { return };
    let quote = bytes::at(text, open);
    let rest = text.get(open + 1..).unwrap_or_default();
    let length = rest
        .iter()
        .take(ARGUMENT_BYTES)
        .take_while(|b| **b != quote && **b != b'\n' && **b != b'\\')
        .count();
    let value = rest.get(..length).unwrap_or_default();
    let closed = matches!(bytes::at(rest, length), b'"' | b'\'' | b'\\');
    let is_phrase = login && value.contains(&b' ') && phrase::is_secret(value, PASSWORD, true);
    if closed && value.len() >= 3 && !is_placeholder(value) && (is_phrase || !is_prose(value)) {
        context.claim(open + 1, open + 1 + length, Pattern::Password);
    }
}

/// Claims the random literals among the arguments of `OAuth("…", "…", "…", "…")`.
fn every_random(context: &mut Context<'_>, from: usize) {
    let rest = context.bytes.get(from..).unwrap_or_default();
    let rest = rest
        .get(..rest.len().min(4 * ARGUMENT_BYTES))
        .unwrap_or_default();
    let call = rest.split(|b| *b == b')').next().unwrap_or_default();
    let mut at = from;
    for (number, part) in call.split(|b| matches!(b, b'"' | b'\'')).enumerate() {
        if number % 2 == 1 && shape::is_random(part, 16) && !shape::is_uuid(part) {
            context.claim(at, at + part.len(), Pattern::Token);
        }
        at += part.len() + 1;
    }
}

/// Returns the position of the second argument's quote, if that argument is a literal.
fn second(text: &[u8], from: usize) -> Option<usize> {
    let rest = text.get(from..)?;
    let rest = rest.get(..rest.len().min(ARGUMENT_BYTES))?;
    let line = rest.split(|b| *b == b')').next()?;
    let comma = line.iter().position(|b| *b == b',')?;
    let blanks = line.get(comma + 1..)?;
    let lead = blanks
        .iter()
        .take_while(|b| b.is_ascii_whitespace())
        .count();
    let quote = comma + 1 + lead;
    let quote = quote
        + line
            .get(quote..)?
            .iter()
            .take_while(|b| **b == b'\\')
            .count();
    matches!(bytes::at(line, quote), b'"' | b'\'').then_some(from + quote)
}
