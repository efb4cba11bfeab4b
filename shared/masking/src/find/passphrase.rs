//! Passphrases without quotes: finds the end of a value of several words.

use crate::bytes::{self, ALPHA, DIGIT, NAME, UNDERSCORE};
use crate::candidate::{Extent, Joint, Sep};
use crate::judge::name::{Class, Weight};
use crate::judge::phrase;
use crate::pattern::Pattern;

/// Longest passphrase, including the text after it on its line, in bytes.
const LINE_BYTES: usize = 160;
/// Longest part of a line before a name that is scanned, in bytes.
const HEAD_BYTES: usize = 80;

/// Returns the value at `extent`, extended by the words after it that belong to it. `None` if it is one word.
///
/// If the line begins with the name, the value extends to the end of the line. If a quote precedes the name, it extends
/// to the next quote. On a line with several names or options, it extends to the next of them.
pub(crate) fn whole(text: &[u8], class: Class, joint: &Joint, extent: &Extent) -> Option<Extent> {
    if let Some(end) = glued(text, class, joint, extent) {
        return Some(Extent { end, ..*extent });
    }
    let is_strong_class = class.weight == Weight::Password
        || class.weight == Weight::Token && class.pattern == Pattern::Secret;
    // `Shared_Key  some words`
    let is_line = joint.sep == Sep::Flag
        && set_apart(text, joint.name_start, name_end(text, joint)) == Some(extent.start);
    let is_shared = is_line && class.weight == Weight::Token;
    let class = if is_shared {
        Class {
            weight: Weight::Password,
            ..class
        }
    } else {
        class
    };
    let fits = (is_strong_class || is_shared)
        && !extent.quoted
        && !extent.in_pairs
        && matches!(joint.sep, Sep::Colon | Sep::Equals | Sep::Flag)
        && matches!(
            bytes::at(text, extent.end),
            b' ' | b'&' | b';' | b'.' | b','
        );
    if !fits {
        return None;
    }
    let stop = bytes::line_end(text, extent.start, LINE_BYTES);
    let quote = bytes::before(text, joint.name_start);
    let (stop, ends) = if matches!(quote, b'"' | b'\'') {
        let rest = text.get(extent.start..stop)?;
        (extent.start + rest.iter().position(|b| *b == quote)?, true)
    } else {
        (
            stop,
            (joint.sep != Sep::Flag || is_line) && begins_line(text, joint.name_start),
        )
    };
    // `SECRET=word command --option`: an option ends the value only if the name is an option, too. Otherwise it belongs
    // to a command.
    let options = bytes::at(text, joint.name_start) == b'-';
    let (end, is_followed) = words_end(text, extent.start, stop, options);
    let value = text.get(extent.start..end)?.trim_ascii_end();
    let fits = value.contains(&b' ')
        && (is_followed || ends && end == stop)
        && !value
            .iter()
            .any(|b| matches!(b, b'"' | b'\'' | b'/' | b'\\'))
        && !is_remark(value)
        && phrase::is_secret(value, class, false);
    fits.then(|| Extent {
        end: extent.start + value.len(),
        ..*extent
    })
}

/// Returns the end of `first;second`, if nothing else follows on its line.
fn glued(text: &[u8], class: Class, joint: &Joint, extent: &Extent) -> Option<usize> {
    if bytes::at(text, extent.end) != b';'
        || class.weight != Weight::Password
        || extent.quoted
        || !matches!(joint.sep, Sep::Colon | Sep::Equals)
        || joint.spaced && joint.sep == Sep::Equals
    {
        return None;
    }
    let stop = bytes::line_end(text, extent.end, 48);
    let tail = text.get(extent.end + 1..stop)?.trim_ascii_end();
    let plain = |b: &u8| bytes::is(*b, bytes::ALNUM) || b"!#%^*~+?".contains(b);
    let ends = matches!(bytes::at(text, stop), 0 | b'\n' | b'\r');
    (ends && tail.len() >= 3 && tail.iter().all(plain)).then_some(extent.end + 1 + tail.len())
}

fn name_end(text: &[u8], joint: &Joint) -> usize {
    bytes::run(text, joint.name_start, NAME, 64)
}

/// Returns the start of a value that only blanks join to the name at `start..end`. Both are alone on their line.
pub(crate) fn set_apart(text: &[u8], start: usize, end: usize) -> Option<usize> {
    aligned(text, start, end).or_else(|| paired(text, start, end))
}

/// Finds the value in `password some words` below `user somebody`, as in the files of mail programs.
fn paired(text: &[u8], start: usize, end: usize) -> Option<usize> {
    const ABOVE: [&[u8]; 6] = [
        b"user ",
        b"username ",
        b"login ",
        b"binddn ",
        b"account ",
        b"ssid ",
    ];
    let name = text.get(start..end)?;
    if bytes::at(text, end) != b' ' || !bytes::all(name, bytes::LOWER) || !begins_line(text, start)
    {
        return None;
    }
    let head = text.get(start.saturating_sub(LINE_BYTES)..start)?;
    let mut lines = head.rsplit(|b| *b == b'\n');
    lines.next()?;
    let above = lines.next()?.trim_ascii();
    let user = above.iter().position(|b| *b == b' ')?;
    let one = !above.get(user..)?.trim_ascii().contains(&b' ');
    (one && ABOVE.iter().any(|word| above.starts_with(word))).then(|| bytes::blanks_end(text, end))
}

/// Finds the value in `HTTP_Passwd   some words`: only blanks join it to a name of several words, which begins its
/// line.
fn aligned(text: &[u8], start: usize, end: usize) -> Option<usize> {
    let value = bytes::blanks_end(text, end);
    let name = text.get(start..end)?;
    let fits = value >= end + 2
        && bytes::any(name, UNDERSCORE)
        && bytes::any(name, bytes::LOWER)
        && bytes::is(bytes::at(text, value), bytes::ALNUM)
        && begins_line(text, start);
    fits.then_some(value)
}

/// Returns the end of the words from `from` on, which is before the first option, assignment or operator. Also returns
/// whether that names the next value.
fn words_end(text: &[u8], from: usize, stop: usize, options: bool) -> (usize, bool) {
    let mut at = from;
    while at < stop {
        let blank = bytes::run(text, at, bytes::SPACE, 8);
        let word = text.get(blank..stop).unwrap_or_default();
        let length = word.iter().position(|b| *b == b' ').unwrap_or(word.len());
        let word = word.get(..length).unwrap_or_default();
        let name = bytes::run(word, 0, NAME, 48);
        let assigned = at > from && name > 0 && bytes::at(word, name) == b'=';
        let option = at > from
            && word.starts_with(b"-")
            && bytes::is(bytes::at(word, 1), ALPHA | bytes::DASH);
        if assigned || option {
            return (at, assigned || options);
        }
        if matches!(word, b"|" | b"||" | b"&&" | b"#" | b";" | b">" | b"//") {
            return (at, false);
        }
        at = blank + length;
    }
    (stop, false)
}

/// Whether the value is a word that is a password by itself, followed by a sentence.
fn is_remark(value: &[u8]) -> bool {
    let mut words = value.split(|b| *b == b' ').filter(|word| !word.is_empty());
    let first = words.next().unwrap_or_default();
    let strong = bytes::any(first, DIGIT) || first.iter().any(|b| b"!@$%^*~".contains(b));
    strong && words.any(phrase::is_filler)
}

/// Whether only a dash, `export`, `set` or a time precedes the name on its line.
fn begins_line(text: &[u8], name_start: usize) -> bool {
    let head = text.get(..name_start).unwrap_or_default();
    let head = head
        .get(head.len().saturating_sub(HEAD_BYTES)..)
        .unwrap_or_default();
    let line = head.rsplit(|b| *b == b'\n').next().unwrap_or_default();
    let line = line.trim_ascii();
    let is_time = bytes::any(line, DIGIT)
        && line.iter().all(|b| {
            bytes::is(*b, DIGIT | UNDERSCORE)
                || matches!(b, b'-' | b':' | b'.' | b'T' | b'Z' | b'+' | b' ')
        });
    line.len() < HEAD_BYTES && (matches!(line, b"" | b"-" | b"export" | b"set") || is_time)
}
