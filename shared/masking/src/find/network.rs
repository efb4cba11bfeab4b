//! Addresses of people and machines: e-mail, IPv4, IPv6, MAC, names of hosts in private zones. Off by default.

use std::net::{Ipv4Addr, Ipv6Addr};
use std::sync::LazyLock;

use crate::bytes::{self, ALNUM, ALPHA, COLON, DASH, DIGIT, DOT, HEX, PERCENT, PLUS, UNDERSCORE};
use crate::context::Context;
use crate::data;
use crate::pattern::{Pattern, PatternSet};
use crate::word_set::Suffixes;

/// Bytes of addresses.
const ADDRESS: bytes::Class = ALNUM | DOT | DASH | UNDERSCORE | COLON | PLUS | PERCENT | bytes::AT;
/// Longest address, in bytes.
const ADDRESS_BYTES: usize = 320;

/// Endings of names that only a private network resolves.
static PRIVATE_ZONES: LazyLock<Suffixes> =
    LazyLock::new(|| Suffixes::new(data::values("private_zone")));

/// Claims the addresses whose patterns are enabled.
pub(crate) fn scan(context: &mut Context<'_>) {
    if !PatternSet::new(PatternSet::NETWORK)
        .with(Pattern::Email)
        .intersects(context.set)
    {
        return;
    }
    let text = context.bytes;
    let mut at = 0;
    while at < text.len() {
        if !bytes::is(bytes::at(text, at), ADDRESS) {
            at += 1;
            continue;
        }
        let stop = bytes::run(text, at, ADDRESS, usize::MAX);
        let start = bytes::after_escape(text, at).min(stop);
        if stop - start <= ADDRESS_BYTES {
            word(context, start, stop);
        }
        at = stop + 1;
    }
}

fn word(context: &mut Context<'_>, mut start: usize, mut end: usize) {
    let text = context.bytes;
    let edge = |b: u8| matches!(b, b'.' | b'-' | b'%' | b'+' | b'_');
    while start < end && edge(bytes::at(text, start)) {
        start += 1;
    }
    while start < end && (edge(bytes::before(text, end)) || trailing_colon(text, start, end)) {
        end -= 1;
    }
    let word = text.get(start..end).unwrap_or_default();
    if is_email(word) {
        return context.claim(start, end, Pattern::Email);
    }
    if is_mac(word) {
        return context.claim(start, end, Pattern::MacAddress);
    }
    let zone = word.iter().position(|b| *b == b'%').unwrap_or(word.len());
    if is_ipv6(word.get(..zone).unwrap_or_default()) {
        return context.claim(start, end, Pattern::Ipv6);
    }
    // The rest may be `user@host:port`, `address:port` or `name=address`.
    let mut from = start;
    for part in word.split(|b| matches!(b, b':' | b'@')) {
        let to = from + part.len();
        if is_ipv4(part) {
            context.claim(from, to, Pattern::Ipv4);
        } else if is_private_host(part) {
            context.claim(from, to, Pattern::PrivateHostname);
        }
        from = to + 1;
    }
}

fn trailing_colon(text: &[u8], start: usize, end: usize) -> bool {
    bytes::before(text, end) == b':' && bytes::before(text, end - 1) != b':' && end > start + 1
}

fn is_email(word: &[u8]) -> bool {
    let mut halves = word.splitn(2, |b| *b == b'@');
    let (Some(user), Some(host)) = (halves.next(), halves.next()) else {
        return false;
    };
    let top = host.rsplit(|b| *b == b'.').next().unwrap_or_default();
    !user.is_empty()
        && user.len() <= 64
        && !user.contains(&b':')
        && bytes::all(host, ALNUM | DOT | DASH)
        && host.contains(&b'.')
        && (2..=24).contains(&top.len())
        && bytes::all(top, ALPHA)
        && host.split(|b| *b == b'.').all(|label| !label.is_empty())
}

fn is_mac(word: &[u8]) -> bool {
    let pairs = |separator: u8| {
        word.len() == 17
            && word
                .split(|b| *b == separator)
                .all(|pair| pair.len() == 2 && bytes::all(pair, HEX))
    };
    let dotted = word.len() == 14
        && word
            .split(|b| *b == b'.')
            .all(|part| part.len() == 4 && bytes::all(part, HEX))
        && bytes::any(word, ALPHA);
    pairs(b':') || pairs(b'-') || dotted
}

fn is_ipv4(word: &[u8]) -> bool {
    (7..=15).contains(&word.len())
        && bytes::all(word, DIGIT | DOT)
        && std::str::from_utf8(word).is_ok_and(|w| w.parse::<Ipv4Addr>().is_ok())
}

/// Whether `word` is an IPv6 address and not a time of day. An address has `::`, or all its eight groups.
fn is_ipv6(word: &[u8]) -> bool {
    (3..=45).contains(&word.len())
        && word.contains(&b':')
        && bytes::all(word, HEX | COLON | DOT)
        && bytes::any(word, HEX)
        && std::str::from_utf8(word).is_ok_and(|w| w.parse::<Ipv6Addr>().is_ok())
}

fn is_private_host(word: &[u8]) -> bool {
    PRIVATE_ZONES.end_within(word) && bytes::all(word, ALNUM | DOT | DASH | UNDERSCORE)
}
