//! Tokens that carry their own prefix: the prefix, what may follow, and how much of it.
//!
//! The lengths are lower bounds somewhat below what the issuer documents, so that shortened and future tokens
//! are masked too; a longer run is masked whole.

mod clouds;
mod code;
mod services;

use crate::bytes::{
    self, ALNUM, COLON, Class, DASH, DIGIT, DOT, EQUALS, PERCENT, PLUS, SLASH, UNDERSCORE, UPPER,
    URLSAFE,
};
use crate::identifier;
use crate::pattern::Pattern as P;

/// Prefixes whose tokens are made alike.
#[derive(Debug)]
pub(crate) struct Family {
    pattern: P,
    class: Class,
    least: usize,
    /// The most bytes behind the prefix; a longer run is no such token.
    most: usize,
    prefixes: &'static [&'static str],
}

/// One kind of prefixed token.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Format {
    pub(crate) prefix: &'static str,
    family: &'static Family,
}

/// The longest token that is looked at, in bytes.
const LONG: usize = 1024;

/// At least `least` bytes of `class` behind each of `prefixes`.
const fn of(pattern: P, class: Class, least: usize, prefixes: &'static [&'static str]) -> Family {
    Family {
        pattern,
        class,
        least,
        most: LONG,
        prefixes,
    }
}

/// Exactly `length` bytes of `class` behind each of `prefixes`.
const fn exact(
    pattern: P,
    class: Class,
    length: usize,
    prefixes: &'static [&'static str],
) -> Family {
    Family {
        pattern,
        class,
        least: length,
        most: length,
        prefixes,
    }
}

/// What paths of webhook URLs are made of.
const PATH: Class = URLSAFE | SLASH | DOT | PERCENT | EQUALS;

/// Every format; prefixes are unique and matched in this case.
pub(crate) fn all() -> impl Iterator<Item = Format> {
    let families = [clouds::FAMILIES, code::FAMILIES, services::FAMILIES];
    let formats = |family: &'static Family| {
        let prefixes = family.prefixes.iter();
        prefixes.map(move |prefix| Format { prefix, family })
    };
    families.into_iter().flatten().flat_map(formats)
}

const CRYPT: Class =
    ALNUM | DOT | SLASH | PLUS | EQUALS | bytes::DOLLAR | DASH | COLON | bytes::COMMA;

impl Format {
    /// Under which pattern its tokens are masked.
    pub(crate) const fn pattern(&self) -> P {
        self.family.pattern
    }

    /// The end of the token whose prefix is at `start`; `None` when it is not one.
    pub(crate) fn end(&self, text: &[u8], start: usize) -> Option<usize> {
        let body = start + self.prefix.len();
        if text.get(start..body) != Some(self.prefix.as_bytes()) || glued(text, start, self.prefix)
        {
            return None;
        }
        let mut end = bytes::run(text, body, self.family.class, LONG);
        while end > body
            && matches!(
                bytes::before(text, end),
                b'.' | b':' | b',' | b'-' | b'/' | b'$'
            )
        {
            end -= 1;
        }
        let found = text.get(body..end)?;
        let fits = (self.family.least..=self.family.most).contains(&found.len());
        (fits && self.plausible(found)).then_some(end)
    }

    /// Whether this is an AWS key id, next to which the secret key tends to be.
    pub(crate) fn is_aws_key(&self) -> bool {
        self.family.pattern == P::AwsAccessKey
    }

    fn plausible(&self, body: &[u8]) -> bool {
        if is_filler(body) || !bytes::any(body, DIGIT) && identifier::is_code_name(body) {
            return false;
        }
        match self.family.pattern {
            P::AwsAccessKey => !body.ends_with(b"EXAMPLE"),
            P::SlackToken | P::ChatToken | P::PasswordHash => true,
            _ if self.prefix.len() >= 5 && self.family.least < 20 => true,
            // Short prefixes also start words: the rest must not be one, but none is that long.
            _ => {
                bytes::any(body, DIGIT)
                    || body.len() >= 30 && bytes::all(body, ALNUM)
                    || bytes::any(body, UPPER) && body.iter().any(u8::is_ascii_lowercase)
            }
        }
    }
}

/// Whether the token continues a longer word; a URL's host or a marker of punctuation does not count.
fn glued(text: &[u8], start: usize, prefix: &str) -> bool {
    let left = bytes::before(text, start);
    let first = prefix.as_bytes().first().copied().unwrap_or(0);
    if !bytes::is(first, ALNUM) || prefix.contains('/') {
        return false;
    }
    // `%20ghp_…` and `\nghp_…` are tokens behind an escape.
    let earlier = |n: usize| start.checked_sub(n).map_or(0, |i| bytes::at(text, i));
    let escaped = (earlier(2) == b'\\' && matches!(left, b'n' | b't' | b'r')) || earlier(3) == b'%';
    let joined = if prefix.len() >= 4 {
        ALNUM
    } else {
        ALNUM | UNDERSCORE | DASH | DOT
    };
    bytes::is(left, joined) && !escaped
}

/// `XXXX…`, `0000…`, `****`: what stands for a token in documentation.
pub(crate) fn is_filler(body: &[u8]) -> bool {
    let body = body.get(..256).unwrap_or(body);
    let body = body
        .split(|b| matches!(b, b'-' | b'_' | b'.' | b'/'))
        .max_by_key(|part| part.len())
        .unwrap_or_default();
    body.first().is_some_and(|first| {
        matches!(first, b'x' | b'X' | b'.' | b'0' | b'*')
            && body.iter().all(|b| b.eq_ignore_ascii_case(first))
    })
}
