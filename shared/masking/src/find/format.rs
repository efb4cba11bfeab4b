//! Tokens with a known prefix. `data/formats.txt` lists the prefixes, the bytes that may follow, and how many.

use std::sync::LazyLock;

use crate::bytes::{self, ALNUM, Class, DASH, DIGIT, DOT, UNDERSCORE, UPPER};
use crate::data;
use crate::find::wrapped;
use crate::judge::identifier;
use crate::pattern::Pattern as P;
use crate::shape::is_filler;

/// Prefixes whose tokens have the same form.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Family {
    pattern: P,
    class: Class,
    least: usize,
    /// Most bytes after the prefix. A longer run is not such a token.
    most: usize,
    prefixes: Vec<&'static str>,
}

/// One prefix and the form of its tokens.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Format {
    pub(crate) prefix: &'static str,
    family: &'static Family,
    /// Position of the last word in the prefix that suggests a secret.
    word: Option<(usize, usize)>,
}

/// Longest token that is scanned, in bytes.
const LONG: usize = 1024;

/// Longest word, in bytes. A longer run of lower-case letters is not a word.
const WORD_BYTES: usize = 28;

static FAMILIES: LazyLock<Vec<Family>> = LazyLock::new(|| {
    let (rows, _) = data::formats();
    rows.iter().filter_map(family).collect()
});

/// Returns every format, with the position of the last of `words` in its prefix. Prefixes are unique.
pub(crate) fn all(words: &[&str]) -> Vec<Format> {
    let formats = |family: &'static Family| {
        let prefixes = family.prefixes.iter();
        prefixes.map(move |prefix| Format {
            prefix,
            family,
            word: word_in(prefix, words),
        })
    };
    FAMILIES.iter().flat_map(formats).collect()
}

/// Returns the position of the last of `words` in a token's prefix.
fn word_in(prefix: &str, words: &[&str]) -> Option<(usize, usize)> {
    let prefix = prefix.to_ascii_lowercase();
    words
        .iter()
        .filter_map(|word| Some((prefix.rfind(word)?, word.len())))
        .map(|(at, length)| (at, at + length))
        .max_by_key(|(from, to)| (*to, to - from))
}

/// Returns the family that a row describes; `None` if the row has a mistake.
fn family(row: &data::Row) -> Option<Family> {
    let [class, length, prefixes @ ..] = row.items.as_slice() else {
        return None;
    };
    let exact = length.strip_prefix('=');
    let least = exact.unwrap_or(length).parse().ok()?;
    let mut classes = 0;
    for name in class.split('+') {
        classes |= bytes::class(name)?;
    }
    (!prefixes.is_empty()).then_some(Family {
        pattern: P::named(row.section)?,
        class: classes,
        least,
        most: exact.map_or(LONG, |_| least),
        prefixes: prefixes.to_vec(),
    })
}
impl Format {
    /// Returns the pattern under which its tokens are masked.
    pub(crate) const fn pattern(&self) -> P {
        self.family.pattern
    }

    /// Returns the length of the prefix's part that is not secret: the host and path of a URL that contains a key.
    pub(crate) fn kept(&self) -> usize {
        match self.prefix.rfind('/') {
            Some(slash) if self.prefix.contains('.') => slash + 1,
            _ => 0,
        }
    }

    /// Returns the position of the word in the prefix that suggests a secret. Without a token, this word may be a part
    /// of a name.
    pub(crate) const fn word(&self) -> Option<(usize, usize)> {
        self.word
    }

    /// Returns the end of the token whose prefix is at `start`; `None` if it is not such a token.
    pub(crate) fn end(&self, text: &[u8], start: usize) -> Option<usize> {
        let body = start + self.prefix.len();
        if text.get(start..body) != Some(self.prefix.as_bytes()) || glued(text, start, self.prefix)
        {
            return None;
        }
        let run_end = bytes::run(text, body, self.family.class, LONG);
        let mut end = run_end;
        // In a password file, further fields follow after a colon.
        if self.family.pattern == P::PasswordHash && self.prefix.starts_with('$') {
            let hash = text.get(body..end)?;
            end = body + hash.iter().position(|b| *b == b':').unwrap_or(hash.len());
        }
        while end > body
            && matches!(
                bytes::before(text, end),
                b'.' | b':' | b',' | b'-' | b'/' | b'$'
            )
        {
            end -= 1;
        }
        let found = text.get(body..end)?;
        if found.len() < self.family.least {
            return self.wrapped_end(text, start, run_end);
        }
        let fits = found.len() <= self.family.most && self.plausible(found);
        let whole_end = match end == run_end {
            true => self.rest_end(text, start, end),
            false => end,
        };
        fits.then_some(whole_end)
    }

    /// Returns the end of a wrapped token. Its part on the line of the prefix ends at `end`.
    fn wrapped_end(&self, text: &[u8], start: usize, end: usize) -> Option<usize> {
        let family = self.family;
        let body = start + self.prefix.len();
        let (mut joined, mut last) = (text.get(body..end)?.to_vec(), end);
        while joined.len() < family.least && self.may_be_wrapped() {
            let (from, to) = wrapped::next(text, last, family.class, LONG)?;
            joined.extend_from_slice(text.get(from..to)?);
            last = to;
        }
        let fits = (family.least..=family.most).contains(&joined.len());
        let is_token = fits && self.plausible(&joined) && wrapped::is_drawn(&joined);
        is_token.then(|| self.rest_end(text, start, last))
    }

    /// Returns the end of a token that is long enough at `end` but may continue on further lines.
    fn rest_end(&self, text: &[u8], start: usize, end: usize) -> usize {
        match self.family.most == LONG && self.may_be_wrapped() {
            true => wrapped::rest_end(text, start, end, self.family.class, wrapped::is_drawn),
            false => end,
        }
    }

    /// Whether the token may be wrapped. Password hashes are not, because they are on whole lines of their files.
    fn may_be_wrapped(&self) -> bool {
        self.family.pattern != P::PasswordHash
    }

    /// Whether this is an AWS key id. The secret key is often next to one.
    pub(crate) fn is_aws_key(&self) -> bool {
        self.family.pattern == P::AwsAccessKey
    }

    fn plausible(&self, body: &[u8]) -> bool {
        // Names of tests in code also consist of lower-case letters and digits.
        let letters = bytes::all(body, bytes::LOWER)
            && body.len() > WORD_BYTES
            && self.family.class & UPPER == UPPER;
        let named = !bytes::any(body, DIGIT) && !letters && identifier::is_code_name(body);
        if is_filler(body) || named {
            return false;
        }
        match self.family.pattern {
            P::AwsAccessKey => !body.ends_with(b"EXAMPLE"),
            P::SlackToken | P::ChatToken | P::PasswordHash => true,
            _ if self.prefix.len() >= 5 && self.family.least < 20 => true,
            // A short prefix may also start a word. So the rest must not look like a word, unless it is too long for
            // one.
            _ => {
                bytes::any(body, DIGIT)
                    || body.len() >= 30 && bytes::all(body, ALNUM)
                    || bytes::any(body, UPPER) && body.iter().any(u8::is_ascii_lowercase)
            }
        }
    }
}

/// Whether the token continues a longer word. A prefix that contains a slash, or begins with punctuation, never does.
fn glued(text: &[u8], start: usize, prefix: &str) -> bool {
    let left = bytes::before(text, start);
    let first = prefix.as_bytes().first().copied().unwrap_or(0);
    if !bytes::is(first, ALNUM) || prefix.contains('/') {
        return false;
    }
    // `%20ghp_…` and `\nghp_…` are tokens after an escape.
    let earlier = |n: usize| start.checked_sub(n).map_or(0, |i| bytes::at(text, i));
    let escaped = (earlier(2) == b'\\' && matches!(left, b'n' | b't' | b'r')) || earlier(3) == b'%';
    let joined = if prefix.len() >= 4 {
        ALNUM
    } else {
        ALNUM | UNDERSCORE | DASH | DOT
    };
    bytes::is(left, joined) && !escaped
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_row_describes_a_family_with_prefixes_of_its_own() {
        let (rows, _) = data::formats();
        let mut seen = HashSet::new();
        for row in &rows {
            assert!(family(row).is_some(), "line {}: {:?}", row.line, row.items);
            for prefix in row.items.iter().skip(2) {
                assert!(seen.insert(*prefix), "line {}: `{prefix}` again", row.line);
            }
        }
    }
}
