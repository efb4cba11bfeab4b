//! Tokens that are identified by their form alone.

use crate::bytes::{self, ALNUM, DIGIT, DOT, HEX, LOWER, UPPER, URLSAFE};
use crate::context::Context;
use crate::judge::benign_context::{is_id, is_user};
use crate::judge::identifier;
use crate::judge::prefixed::is_prefixed;
use crate::pattern::Pattern;
use crate::shape::{self, is_filler};

/// Claims a token of hexadecimal digits if its form identifies it. Returns whether it did.
pub(crate) fn hexadecimal(
    context: &mut Context<'_>,
    start: usize,
    end: usize,
    token: &[u8],
) -> bool {
    if is_starred(context.bytes, start, token) {
        context.claim(start - 1, end, Pattern::PasswordHash);
        return true;
    }
    if let Some(after) = answer_end(context.bytes, start, end) {
        context.claim(start, after, Pattern::PasswordHash);
        return true;
    }
    if is_account_key(token) && !is_filler(token) {
        context.claim(start, end, Pattern::SaasToken);
        return true;
    }
    false
}

/// Whether the token is from Twilio: two letters, and 32 digits or lower-case letters.
fn is_account_key(token: &[u8]) -> bool {
    let rest = token.get(2..).unwrap_or_default();
    token.len() == 34
        && matches!(token, [b'A', b'C', ..] | [b'S', b'K', ..])
        && bytes::all(rest, LOWER | DIGIT)
        && bytes::any(rest, DIGIT)
}

/// Claims any other token if its form identifies it. Returns whether it did.
pub(crate) fn shaped(context: &mut Context<'_>, start: usize, end: usize, token: &[u8]) -> bool {
    let head = token.get(..2).unwrap_or_default();
    let rest = token.get(2..).unwrap_or_default();
    let pattern = if is_account_key(token) {
        Pattern::SaasToken
    } else if token.len() >= 11
        && head == b"AP"
        && bytes::is(bytes::at(token, 2), HEX & !LOWER)
        && bytes::all(token, ALNUM)
        && bytes::any(token, DIGIT)
        && bytes::any(token, LOWER)
        && bytes::any(token, UPPER)
    {
        Pattern::PackageToken
    } else if is_discord(token) {
        Pattern::ChatToken
    } else if token.len() >= 36
        && bytes::has_at(token, 32, b"-us")
        && bytes::all(token.get(..32).unwrap_or_default(), LOWER | DIGIT)
        && bytes::all(token.get(35..).unwrap_or_default(), DIGIT)
    {
        Pattern::SaasToken
    } else if token.len() == 26
        && token.starts_with(b"s.")
        && bytes::all(rest, ALNUM)
        && shape::is_random(rest, 20)
    {
        Pattern::InfraToken
    } else if is_long_pat(token)
        || is_dashed_hex(token)
        || is_truenas(token)
        || is_named_prefix(context.bytes, start, token)
        || is_dotted(token)
        || is_id_and_secret(token)
    {
        Pattern::SaasToken
    } else if token.len() == 88 && token.ends_with(b"==") && shape::is_base64(token) {
        Pattern::AzureKey
    } else {
        return false;
    };
    if is_filler(token) {
        return false;
    }
    context.claim(start, end, pattern);
    true
}

/// Returns the end of the response of a Windows logon, `user::DOMAIN:<16>:<32>:<blob>`. Its middle part is at
/// `start..end`.
fn answer_end(text: &[u8], start: usize, end: usize) -> Option<usize> {
    let challenge = start.checked_sub(18)?;
    let head = text.get(challenge..start)?;
    let fits = end - start == 32
        && bytes::at(text, end) == b':'
        && head.starts_with(b":")
        && head.ends_with(b":")
        && bytes::all(text.get(start..end)?, HEX)
        && bytes::all(head.get(1..17)?, HEX);
    let domain = text.get(challenge.saturating_sub(40)..challenge)?;
    let after = bytes::run(text, end + 1, HEX, 4096);
    let is_answer = fits && domain.windows(2).any(|w| w == b"::") && after >= end + 33;
    is_answer.then_some(after)
}

/// Whether the token is a password hash of `MySQL`, such as `*94BDCEBE19083CE2A1F959FD02F964C7AF4CFC29`: an asterisk,
/// and 40 hexadecimal digits in upper case.
fn is_starred(text: &[u8], start: usize, token: &[u8]) -> bool {
    let before = start.checked_sub(2).map_or(b' ', |at| bytes::at(text, at));
    token.len() == 40
        && bytes::before(text, start) == b'*'
        && bytes::all(token, HEX & !LOWER)
        && bytes::any(token, UPPER)
        && (before.is_ascii_whitespace() || b"\"'`|,:=(;\\".contains(&before))
}

/// Whether the token is a short word with random parts after dots: `acme.q8Zx….k3j9…`.
fn is_dotted(token: &[u8]) -> bool {
    if token.len() < 40 || !bytes::is(bytes::at(token, 0), LOWER) {
        return false;
    }
    let mut parts = token.split(|b| *b == b'.');
    let word = parts.next().unwrap_or_default();
    let drawn =
        |part: &[u8]| part.len() >= 16 && shape::is_random(part, 12) && shape::mixes_case(part);
    let count = parts.clone().count();
    (2..=8).contains(&word.len())
        && bytes::all(word, LOWER)
        && (1..=3).contains(&count)
        && parts.all(drawn)
        && !shape::looks_like_path(token)
}

/// Whether the token is 32 hexadecimal digits with a random part after a dot.
fn is_id_and_secret(token: &[u8]) -> bool {
    let (id, secret) = (token.get(..32), token.get(33..));
    let (id, secret) = (id.unwrap_or_default(), secret.unwrap_or_default());
    bytes::at(token, 32) == b'.'
        && shape::is_hex(id)
        && (16..=64).contains(&secret.len())
        && bytes::all(secret, ALNUM)
        && (shape::mixes_case(secret) || shape::is_drawn(secret))
}

/// Whether the token is words and a random part, unless the name before it marks it as an id.
fn is_named_prefix(text: &[u8], start: usize, token: &[u8]) -> bool {
    let head = text
        .get(start.saturating_sub(40)..start)
        .unwrap_or_default();
    let called = bytes::at(text, start + token.len()) == b'(';
    is_prefixed(token)
        && !called
        && !is_id(head)
        && !is_user(head)
        && !identifier::is_code_name(token)
}

/// Whether the token is from Airtable: `pat`, fourteen characters, a dot, 64 hexadecimal digits.
fn is_long_pat(token: &[u8]) -> bool {
    token.starts_with(b"pat") && token.len() >= 70 && bytes::at(token, 17) == b'.'
}

/// Whether the token is from Mailgun: 32, 8 and 8 hexadecimal digits.
fn is_dashed_hex(token: &[u8]) -> bool {
    token.len() == 50
        && bytes::at(token, 32) == b'-'
        && bytes::at(token, 41) == b'-'
        && bytes::all(token, HEX | bytes::DASH)
}

/// Whether the token is from `TrueNAS`: one digit, a dash, 64 characters.
fn is_truenas(token: &[u8]) -> bool {
    let rest = token.get(2..).unwrap_or_default();
    rest.len() == 64
        && bytes::is(bytes::at(token, 0), DIGIT)
        && bytes::at(token, 1) == b'-'
        && bytes::all(rest, ALNUM)
}

/// Whether the token is that of a Discord bot: a number in base64, six characters, 25 to 40 characters.
fn is_discord(token: &[u8]) -> bool {
    if !matches!(bytes::at(token, 0), b'M' | b'N' | b'O') {
        return false;
    }
    let mut parts = token.split(|b| *b == b'.');
    let (Some(id), Some(time), Some(mac), None) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return false;
    };
    (23..=28).contains(&id.len())
        && time.len() == 6
        && (25..=40).contains(&mac.len())
        && bytes::all(token, URLSAFE | DOT)
}
