//! Values at some distance from their names: in sentences, XML, and Terraform's variables.

use std::sync::LazyLock;

use crate::bytes::{self, ALNUM, NAME};
use crate::candidate::{Sep, blanks, is_element};
use crate::data;
use crate::find::{inserted, replied};
use crate::shape;
use crate::word_set::Prefixes;

static VERBS: LazyLock<Prefixes> = LazyLock::new(|| Prefixes::new(data::values("sentence_verb")));

static ABOUT: LazyLock<Prefixes> = LazyLock::new(|| Prefixes::new(data::values("about")));

/// Longest distance at which a value is searched, in bytes.
const REACH: usize = 120;

/// Finds the value of the name at `start..end`, whose quotes are closed at `closed`. Returns how it is joined and where
/// it starts.
pub(crate) fn value(text: &[u8], start: usize, end: usize, closed: usize) -> Option<(Sep, usize)> {
    let element = in_markup(text, start, end, closed).map(|at| (Sep::Element, at));
    let default = || terraform_default(text, start, closed).map(|at| (Sep::Equals, at));
    let in_sentence = || {
        (closed == end)
            .then(|| value_in_sentence(text, start, end))
            .flatten()
            .map(|at| (sentence_separator(text, end, at), at))
    };
    let noted = || {
        (closed == end)
            .then(|| noted(text, end))
            .flatten()
            .map(|at| (Sep::Prose, at))
    };
    let held = || member(text, closed).map(|at| (Sep::Colon, at));
    let registered = || registered(text, closed).map(|at| (Sep::Flag, at));
    let replied = || replied::value(text, start, end, closed);
    let inserted = || {
        matches!(bytes::at(text, closed), b',' | b')' | b' ')
            .then(|| inserted::value(text, start, closed))
            .flatten()
            .map(|at| (Sep::Equals, at))
    };
    element
        .or_else(held)
        .or_else(default)
        .or_else(in_sentence)
        .or_else(noted)
        .or_else(registered)
        .or_else(replied)
        .or_else(inserted)
}

/// Finds the value in `reg add … /v DefaultPassword /t REG_SZ /d value`.
fn registered(text: &[u8], closed: usize) -> Option<usize> {
    let rest = text.get(closed..closed + 12)?;
    let typed = bytes::has_at(rest, 0, b" /t reg_sz ");
    let from = closed + if typed { 10 } else { 0 };
    bytes::has_at(text, from, b" /d ").then(|| blanks(text, from + 4))
}

/// Finds the password in `credentials: user / password`.
pub(crate) fn login(text: &[u8], end: usize, closed: usize) -> Option<usize> {
    let name = text.get(end.saturating_sub(11)..end)?;
    let named = [&b"credentials"[..], b"creds", b"login", b"cred"]
        .iter()
        .any(|word| name.len() >= word.len() && bytes::has_at(name, name.len() - word.len(), word));
    // `creds for staging: user / …`
    let closed = if named && bytes::has_at(text, closed, b" for ") {
        let rest = text.get(closed..bytes::line_end(text, closed, 48))?;
        closed + rest.iter().position(|b| *b == b':')?
    } else {
        closed
    };
    if !named || bytes::at(text, closed) != b':' {
        return None;
    }
    let user = blanks(text, closed + 1);
    let slash = bytes::run(text, user, NAME | bytes::AT, 64);
    (slash > user && bytes::has_at(text, slash, b" / ")).then_some(slash + 3)
}

/// Finds the value in `"name": {"sensitive": true, "type": "string", "value": "…"}`.
fn member(text: &[u8], closed: usize) -> Option<usize> {
    let colon = blanks(text, closed);
    if bytes::at(text, colon) != b':' {
        return None;
    }
    let open = blanks(text, colon + 1);
    if bytes::at(text, open) != b'{' {
        return None;
    }
    let rest = text.get(open..)?;
    let mapping = rest.get(..rest.len().min(REACH))?;
    let mapping = mapping.split(|b| *b == b'}').next()?;
    let at = mapping.windows(7).position(|w| w == b"\"value\"")?;
    let joint = blanks(text, open + at + 7);
    (bytes::at(text, joint) == b':').then(|| blanks(text, joint + 1))
}

/// Finds the value in `<name type="x">value`, `<entry key="name">value`, `<setting name="name"><value>value`,
/// `<key>name</key><string>value`.
fn in_markup(text: &[u8], start: usize, end: usize, closed: usize) -> Option<usize> {
    const NAMES: [&[u8]; 3] = [b"</key>", b"</name>", b"</param-name>"];
    let name = NAMES.iter().find(|tag| bytes::has_at(text, end, tag));
    let tag_end = if let Some(tag) = name {
        end + tag.len() - 1
    } else {
        let attribute = closed > end && is_attribute(text, start);
        if !(attribute || closed == end && is_element(text, start)) {
            return None;
        }
        let rest = text.get(closed..)?;
        let length = rest
            .iter()
            .take(REACH)
            .position(|b| matches!(b, b'>' | b'<' | b'\n'))?;
        closed + length
    };
    if bytes::at(text, tag_end) != b'>' || bytes::before(text, tag_end) == b'/' {
        return None;
    }
    Some(value_start(text, tag_end + 1))
}

/// Returns the start of an element's value, given the start `at` of its content. If the content begins with `<value>`,
/// the value is inside it.
pub(crate) fn value_start(text: &[u8], at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    let gap = rest
        .iter()
        .take(REACH)
        .take_while(|b| b.is_ascii_whitespace())
        .count();
    let holder = ["<value>", "<string>", "<param-value>"]
        .iter()
        .find(|holder| bytes::has_at(text, at + gap, holder.as_bytes()));
    if bytes::has_at(text, at + gap, b"<![cdata[") {
        return at + gap + 9;
    }
    at + gap + holder.map_or(0, |holder| holder.len())
}

/// Whether a random value follows a name of several words after one blank, as in `using db_password value`.
fn is_value_of_long_name(text: &[u8], start: usize, end: usize, first: usize) -> bool {
    let name = text.get(start..end).unwrap_or_default();
    let several = name.iter().any(|b| matches!(b, b'_' | b'-'));
    let rest = text.get(first..).unwrap_or_default();
    let blank = |b: &&u8| !b.is_ascii_whitespace() && !matches!(b, b'"' | b'\'' | b',' | b';');
    let length = rest.iter().take(REACH).take_while(blank).count();
    let value = rest.get(..length).unwrap_or_default();
    let odd = value.iter().any(|b| b"!@#$%^&*?".contains(b));
    several
        && first == end + 1
        && matches!(bytes::before(text, start), b' ' | b'"' | b'\'')
        && (odd || shape::is_random(value, 12) || shape::is_hex(value) || shape::is_uuid(value))
}

/// Whether the name is an attribute's value in a tag that was opened shortly before.
fn is_attribute(text: &[u8], start: usize) -> bool {
    let quoted = matches!(bytes::before(text, start), b'"' | b'\'');
    if !quoted || start < 2 || bytes::at(text, start - 2) != b'=' {
        return false;
    }
    let head = text
        .get(start.saturating_sub(REACH)..start)
        .unwrap_or_default();
    let tag = head
        .iter()
        .rev()
        .take_while(|b| !matches!(b, b'<' | b'>' | b'\n'))
        .count();
    tag < head.len() && bytes::at(head, head.len() - tag - 1) == b'<'
}

/// Finds the value in `variable "name" { … default = "value"`.
fn terraform_default(text: &[u8], start: usize, closed: usize) -> Option<usize> {
    let head = text.get(start.saturating_sub(12)..start)?;
    if !head.ends_with(b"variable \"") {
        return None;
    }
    let rest = text.get(closed..)?;
    let block = rest.get(..rest.len().min(REACH))?;
    let block = block.split(|b| *b == b'}').next()?;
    let at = block.windows(7).position(|w| w == b"default")?;
    let equals = blanks(text, closed + at + 7);
    (bytes::at(text, equals) == b'=').then(|| blanks(text, equals + 1))
}

/// Finds the value in `password for x is value`, `key was set to "value"`, or a whole line `password value`.
fn value_in_sentence(text: &[u8], start: usize, end: usize) -> Option<usize> {
    let first = blanks(text, end);
    if first == end {
        return None;
    }
    let mut at = first;
    if ABOUT.length_at(text, at).is_some() {
        for _ in 0..5 {
            if bytes::at(text, at) == b':' && bytes::at(text, at + 1) == b':' {
                break;
            }
            if bytes::at(text, at) == b':' {
                return Some(blanks(text, at + 1));
            }
            if VERBS.length_at(text, at).is_some() {
                break;
            }
            at = blanks(text, word_end(text, at));
        }
    }
    if let Some(verb) = VERBS.length_at(text, at) {
        let value = blanks(text, at + verb);
        return Some(if bytes::at(text, value) == b':' {
            blanks(text, value + 1)
        } else {
            value
        });
    }
    let indent = text.get(start.saturating_sub(64)..start)?;
    let indent = indent
        .iter()
        .rev()
        .take_while(|b| matches!(b, b' ' | b'\t'))
        .count();
    let line_start = matches!(bytes::before(text, start - indent), 0 | b'\n');
    let rest = text.get(first..bytes::line_end(text, first, REACH))?;
    let alone = line_start && !rest.trim_ascii().iter().any(u8::is_ascii_whitespace);
    let given = text.get(start.saturating_sub(6)..start)?;
    let given = given.ends_with(b"with ") || given.ends_with(b"using ");
    (alone || given || is_value_of_long_name(text, start, end, first) || is_drawn_word(rest))
        .then_some(first)
}

/// Returns how a sentence joins the value at `at` to the name that ends at `end`. It is a field if there is a colon
/// before it and nothing after it on its line.
fn sentence_separator(text: &[u8], end: usize, at: usize) -> Sep {
    let head = text.get(end..at).unwrap_or_default();
    let line = text.get(at..bytes::line_end(text, at, REACH));
    let line = line.unwrap_or_default().trim_ascii_end();
    let alone = !line.is_empty() && !line.iter().any(u8::is_ascii_whitespace);
    if alone && head.trim_ascii_end().ends_with(b":") {
        Sep::Colon
    } else {
        Sep::Prose
    }
}

/// Returns the end of the word at `at`, including its quotes.
fn word_end(text: &[u8], at: usize) -> usize {
    let quote = bytes::at(text, at);
    let quoted = matches!(quote, b'"' | b'\'');
    let end = bytes::run(
        text,
        at + usize::from(quoted),
        NAME | bytes::SLASH | bytes::AT,
        48,
    );
    end + usize::from(quoted && bytes::at(text, end) == quote)
}

/// Whether the first word of `rest` looks random: `password q7RtZw2p`.
fn is_drawn_word(rest: &[u8]) -> bool {
    let end = |b: &u8| b.is_ascii_whitespace() || matches!(b, b'"' | b'\'' | b',' | b';' | b')');
    let length = rest.iter().position(end).unwrap_or(rest.len());
    let word = rest.get(..length).unwrap_or_default();
    (8..=64).contains(&word.len())
        && bytes::all(word, ALNUM | bytes::SLASH)
        && word.split(|b| *b == b'/').any(shape::is_drawn)
}

/// Returns the start of a value that is noted next to a name: `pwd(value)`, `(pw)value`, `pw):value`, `pass - value`,
/// `name,value,`.
fn noted(text: &[u8], end: usize) -> Option<usize> {
    let first = bytes::at(text, end);
    let at = match first {
        // A file name in brackets is a location, not a value.
        b'(' => {
            let inside = text.get(end + 1..bytes::line_end(text, end + 1, 64))?;
            let inside = inside.split(|b| *b == b')').next()?;
            (!inside.contains(&b'.')).then_some(end + 1)?
        }
        b')' => {
            let after = blanks(text, end + 1);
            match bytes::at(text, after) {
                b':' | b'=' => blanks(text, after + 1),
                _ => after,
            }
        }
        b',' => end + 1,
        b'/' if is_drawn_word(text.get(end + 1..bytes::line_end(text, end + 1, REACH))?) => end + 1,
        b' ' if bytes::at(text, blanks(text, end)) == b'-' => {
            let dashes = blanks(text, end);
            let after = bytes::run(text, dashes, bytes::DASH, 16);
            let value = blanks(text, after);
            (value > after).then_some(value)?
        }
        b' ' if bytes::at(text, end + 1) == b'(' => {
            let line = text.get(end + 2..bytes::line_end(text, end + 2, 48))?;
            let closed = line.iter().position(|b| *b == b')')?;
            end + 3 + closed
        }
        _ => return None,
    };
    is_noteworthy(text.get(at..)?).then_some(at)
}

/// Whether the text here is long enough for a credential and ends soon. This is a cheap check before the judge's.
fn is_noteworthy(rest: &[u8]) -> bool {
    let end = |b: &u8| b.is_ascii_whitespace() || b"\"'`,;()".contains(b);
    let length = rest.iter().take(REACH).position(end);
    let value = rest.get(..length.unwrap_or(REACH.min(rest.len())));
    value.is_some_and(|value| {
        (6..REACH).contains(&value.len())
            && bytes::is(bytes::at(value, 0), ALNUM)
            && bytes::any(value, bytes::DIGIT)
    })
}
