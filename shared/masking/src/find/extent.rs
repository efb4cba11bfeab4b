//! Finds the start and end of a value.

use std::sync::LazyLock;

use crate::bytes::{self, ALNUM, NAME};
use crate::candidate::{Extent, Joint, Sep};
use crate::data;
use crate::shape;
use crate::span::Quoting;
use crate::word_set::Prefixes;

/// Longest value in quotes or on several lines, in bytes.
const VALUE_BYTES: usize = 4096;
/// Longest value without quotes, in bytes. The rest of a longer value is masked only for its own form.
const BARE_BYTES: usize = 1024;

static WRAPPERS: LazyLock<Prefixes> = LazyLock::new(|| Prefixes::new(data::values("wrapper")));

/// Returns the value after `joint`; `None` if there is none.
pub(crate) fn extent(text: &[u8], joint: &Joint) -> Option<Extent> {
    if joint.sep == Sep::Element {
        let rest = text.get(joint.value_start..)?;
        let length = rest
            .iter()
            .take(VALUE_BYTES)
            .take_while(|b| !matches!(b, b'<' | b'>'))
            .count();
        let value = rest.get(..length)?;
        // `<![CDATA[…]]>` may contain any mark except its own end.
        if text.get(..joint.value_start)?.ends_with(b"[CDATA[") {
            let rest = rest.get(..rest.len().min(VALUE_BYTES))?;
            let length = rest.windows(3).position(|w| w == b"]]>")?;
            let start = joint.value_start;
            return found(start, start + length, true, Quoting::None);
        }
        if bytes::at(rest, length + 1) != b'/' {
            return None;
        }
        let lead = length - value.trim_ascii_start().len();
        let start = joint.value_start + lead;
        return found(start, start + value.trim_ascii().len(), true, Quoting::None);
    }
    if joint.sep == Sep::Prose
        && let Some((start, end)) = emphasized(text, joint.value_start)
    {
        return found(start, end, true, Quoting::None);
    }
    let start = literal_start(text, joint.value_start);
    // `"Password:"`: the quote after the name closes the quote before it.
    let outer = bytes::before(text, joint.name_start);
    let closing = matches!(outer, b'"' | b'\'')
        && joint.sep != Sep::Prose
        && bytes::at(text, start) == outer
        && !matches!(after_name(text, joint), b'"' | b'\'' | b'\\');
    if closing {
        return None;
    }
    if let Some((open, slashes)) = quote_at(text, start) {
        return quoted(text, open, slashes)
            .filter(|extent| joint.sep != Sep::Quoted || !is_key(text, open, extent));
    }
    match joint.sep {
        Sep::Quoted | Sep::Element | Sep::Member => None,
        Sep::Colon if matches!(bytes::at(text, joint.value_start), b'|' | b'>') => {
            block(text, joint)
        }
        Sep::Colon | Sep::Equals | Sep::Flag | Sep::Prose => bare(text, joint),
    }
}

/// Returns the word in Markdown's `**word**`, `*word*` or `__word__`.
fn emphasized(text: &[u8], at: usize) -> Option<(usize, usize)> {
    let mark = bytes::at(text, at);
    let count = 1 + usize::from(bytes::at(text, at + 1) == mark);
    if !matches!(mark, b'*' | b'_') {
        return None;
    }
    let start = at + count;
    let rest = text.get(start..bytes::line_end(text, start, 96))?;
    let length = rest.iter().position(|b| *b == mark)?;
    let closed = count == 1 || bytes::at(rest, length + 1) == mark;
    let word = rest.get(..length)?;
    (closed && !word.iter().any(u8::is_ascii_whitespace)).then_some((start, start + length))
}

/// Whether the quoted text is the key of a JSON member, not a value: `"…":`.
fn is_key(text: &[u8], open: usize, extent: &Extent) -> bool {
    let rest = text.get(extent.end..).unwrap_or_default();
    let slashes = rest.iter().take(8).take_while(|b| **b == b'\\').count();
    let quote = bytes::at(rest, slashes);
    let gap = rest.iter().skip(slashes + 1).take(8);
    let colon = slashes + 1 + gap.take_while(|b| **b == b' ').count();
    let head = text.get(..open).unwrap_or_default();
    let head = head
        .get(head.len().saturating_sub(48)..)
        .unwrap_or_default();
    let listed = matches!(head.trim_ascii_end().last(), Some(b',' | b'{'));
    (quote == b'"' || quote == b'\'' && listed)
        && bytes::at(rest, colon) == b':'
        && bytes::at(rest, colon + 1) != b':'
        && !shape::is_random(text.get(extent.start..extent.end).unwrap_or_default(), 16)
}

/// Returns the byte after the name.
fn after_name(text: &[u8], joint: &Joint) -> u8 {
    bytes::at(text, bytes::run(text, joint.name_start, NAME, VALUE_BYTES))
}

fn found(start: usize, end: usize, quoted: bool, quoting: Quoting) -> Option<Extent> {
    (start < end).then_some(Extent {
        start,
        end,
        quoted,
        quoting,
        in_pairs: false,
    })
}

/// Skips text that languages put before a string literal: `@"`, `b'`, `new String("`, `Some("`.
fn literal_start(text: &[u8], at: usize) -> usize {
    let mut start = at;
    // `string(10) "…"` in PHP.
    let digits = bytes::run(text, at + 7, bytes::DIGIT, 6);
    if digits > at + 7
        && bytes::has_at(text, at, b"string(")
        && bytes::has_at(text, digits, b") \"")
    {
        return digits + 2;
    }
    if let Some(length) = WRAPPERS.length_at(text, at) {
        start += length;
        if length == 1 && bytes::at(text, at) == b'[' {
            let gap = text.get(start..).unwrap_or_default();
            start += gap
                .iter()
                .take(48)
                .take_while(|b| b.is_ascii_whitespace())
                .count();
        }
    }
    if matches!(
        bytes::at(text, start),
        b'@' | b'b' | b'B' | b'r' | b'R' | b'u' | b'U' | b'f' | b'L' | b'$' | b'N'
    ) && matches!(bytes::at(text, start + 1), b'"' | b'\'')
    {
        start += 1;
    }
    start
}

/// Returns the opening quote at `at`: its position and the number of backslashes before it.
fn quote_at(text: &[u8], at: usize) -> Option<(usize, usize)> {
    let slashes = text
        .get(at..)?
        .iter()
        .take(8)
        .take_while(|b| **b == b'\\')
        .count();
    matches!(bytes::at(text, at + slashes), b'"' | b'\'' | b'`').then_some((at + slashes, slashes))
}

fn quoted(text: &[u8], open: usize, slashes: usize) -> Option<Extent> {
    let quote = bytes::at(text, open);
    if bytes::at(text, open + 1) == quote && bytes::at(text, open + 2) == quote {
        let start = open + 3;
        let rest = text.get(start..(start + VALUE_BYTES).min(text.len()))?;
        let length = rest.windows(3).position(|w| w == [quote; 3])?;
        return found(start, start + length, true, Quoting::None);
    }
    let start = open + 1;
    let limit = (start + VALUE_BYTES).min(text.len());
    let (mut at, mut run) = (start, 0_usize);
    while at < limit {
        match bytes::at(text, at) {
            b'\\' => run += 1,
            b'\n' if slashes > 0 || quote != b'`' => break,
            // A quote of the surrounding text. The value's own quote was never closed.
            b'"' if quote != b'"'
                && slashes == 0
                && matches!(
                    bytes::at(text, at + 1),
                    b',' | b':' | b'}' | b']' | b'\n' | 0
                ) =>
            {
                return found(start, at - run, true, Quoting::None);
            }
            // `''` within an SQL string.
            b'\''
                if quote == b'\''
                    && slashes == 0
                    && at > start
                    && bytes::at(text, at + 1) == quote
                    && bytes::is(bytes::at(text, at + 2), ALNUM) =>
            {
                at += 1;
            }
            byte if byte == quote && closes(run, slashes) => {
                return found(start, at - slashes.min(run), true, Quoting::None);
            }
            _ => run = 0,
        }
        at += 1;
        if bytes::before(text, at) != b'\\' {
            run = 0;
        }
    }
    // The text was cut within the value, or the opening character was not a quote.
    let rest = text.get(start..at).unwrap_or_default();
    let length = rest
        .iter()
        .position(|b| matches!(b, b'"' | b'\'' | b'\\'))
        .unwrap_or(rest.len());
    found(start, start + length, true, Quoting::None)
}

/// Whether a quote after `run` backslashes ends a string that was opened after `slashes` backslashes.
const fn closes(run: usize, slashes: usize) -> bool {
    if slashes == 0 {
        run.is_multiple_of(2)
    } else {
        run <= slashes
    }
}

/// Returns a YAML block scalar: the lines below that are indented more than the name's line.
fn block(text: &[u8], joint: &Joint) -> Option<Extent> {
    let line_end = bytes::line_end(text, joint.value_start, 8);
    let header = text.get(joint.value_start..line_end)?.trim_ascii_end();
    if bytes::at(text, line_end) != b'\n' || header.len() > 3 {
        return None;
    }
    let line_start = joint.name_start
        - text
            .get(..joint.name_start)?
            .iter()
            .rev()
            .take(256)
            .take_while(|b| **b != b'\n')
            .count();
    let indent = |at: usize| {
        text.get(at..)
            .unwrap_or_default()
            .iter()
            .take(256)
            .take_while(|b| **b == b' ')
            .count()
    };
    let outer = indent(line_start);
    let (mut at, mut start, mut end) = (line_end + 1, None, 0);
    while at < text.len() && at < line_end + VALUE_BYTES {
        let depth = indent(at);
        let stop = bytes::line_end(text, at, VALUE_BYTES);
        let content = text.get(at..stop).unwrap_or_default().trim_ascii();
        if !content.is_empty() {
            if depth <= outer {
                break;
            }
            start.get_or_insert(at + depth);
            end = at + depth + content.len();
        }
        at = stop + 1;
    }
    found(start?, end, true, Quoting::None)
}

fn bare(text: &[u8], joint: &Joint) -> Option<Extent> {
    let start = joint.value_start;
    let limit = (start + BARE_BYTES).min(text.len());
    if let Some(end) = braced(text, joint) {
        return found(start + 1, end, true, Quoting::None);
    }
    let in_query = matches!(bytes::before(text, joint.name_start), b'?' | b'&');
    let mut at = start;
    while at < limit {
        let byte = bytes::at(text, at);
        let next = bytes::at(text, at + 1);
        let stop = match byte {
            b'"' | b'`' | b';' => true,
            b'\'' => !bytes::is(next, ALNUM),
            b'\\' => matches!(next, b'n' | b't' | b'r' | b'"' | b'\'' | b'\\'),
            b'&' => in_query || is_assignment(text, at + 1),
            b',' => {
                !bytes::is(next, ALNUM) || is_assignment(text, at + 1) || joint.sep == Sep::Colon
            }
            b'<' => next == b'/' || next == b'b',
            // `password=two\ words`
            b' ' if bytes::before(text, at) == b'\\' && at > start => !bytes::is(next, ALNUM),
            _ => byte.is_ascii_whitespace(),
        };
        if stop {
            break;
        }
        at += 1;
    }
    if bytes::before(text, joint.name_start) == b';' && bytes::at(text, at) == b' ' {
        at = pair_end(text, at).unwrap_or(at);
    }
    while bytes::before(text, at) == b'\\' && at > start {
        at -= 1;
    }
    let end = trim(text, start, at);
    let in_pairs = bytes::at(text, end) == b';' && bytes::before(text, start) == b'=';
    found(start, end, false, quoting(text, joint)).map(|extent| Extent { in_pairs, ..extent })
}

/// Returns the end of `{…}`, which encloses a connection string's value that contains a semicolon.
fn braced(text: &[u8], joint: &Joint) -> Option<usize> {
    let start = joint.value_start;
    if bytes::at(text, start) != b'{' || bytes::before(text, joint.name_start) != b';' {
        return None;
    }
    let rest = text.get(start..bytes::line_end(text, start, 256))?;
    let length = rest.iter().position(|b| *b == b'}')?;
    matches!(bytes::at(text, start + length + 1), b';' | b'"' | b'\n' | 0).then_some(start + length)
}

/// Returns the end of a value with blanks in a pair `name=value;`.
fn pair_end(text: &[u8], at: usize) -> Option<usize> {
    let rest = text.get(at..)?;
    let length = rest
        .iter()
        .take(96)
        .position(|b| matches!(b, b';' | b'=' | b'"' | b'\'' | b'\n' | b'<'))?;
    (bytes::at(text, at + length) == b';').then_some(at + length)
}

/// Whether `name=` or `name:` is at `at`.
fn is_assignment(text: &[u8], at: usize) -> bool {
    let end = bytes::run(text, at, NAME, 48);
    end > at && matches!(bytes::at(text, end), b'=' | b':')
}

/// Excludes closing punctuation from the end of a value if the value did not open it.
fn trim(text: &[u8], start: usize, mut end: usize) -> usize {
    while end > start {
        let value = text.get(start..end).unwrap_or_default();
        let count = |byte: u8| value.iter().filter(|b| **b == byte).count();
        let last = bytes::before(text, end);
        let surplus = match last {
            b'.' | b',' | b':' => true,
            b')' => count(b')') > count(b'('),
            b']' => count(b']') > count(b'['),
            b'}' => count(b'}') > count(b'{'),
            b'>' => count(b'>') > count(b'<'),
            _ => false,
        };
        if !surplus || value.len() > 512 {
            break;
        }
        end -= 1;
    }
    end
}

/// Returns the quotes for the replacement of an unquoted value. After a colon, an unquoted `[` starts a list in YAML
/// and is invalid in JSON. Inside a string literal there are none, because they would end it.
fn quoting(text: &[u8], joint: &Joint) -> Quoting {
    if joint.sep != Sep::Colon {
        return Quoting::None;
    }
    if let Some(slashes) = joint.name_quotes {
        return Quoting::Double(slashes);
    }
    let from = joint.name_start.saturating_sub(512);
    let head = text.get(from..joint.name_start).unwrap_or_default();
    let line = head.rsplit(|b| *b == b'\n').next().unwrap_or_default();
    let lead = line.trim_ascii_start();
    let first = lead.iter().all(|b| matches!(b, b'-' | b' ' | b'?'));
    let even = |quote: u8| {
        line.iter()
            .filter(|b| **b == quote)
            .count()
            .is_multiple_of(2)
    };
    let in_flow = matches!(lead.trim_ascii_end().last(), Some(b'{' | b','))
        && even(b'"')
        && even(b'\'')
        && !line.contains(&b'\\');
    if line.len() < 512 && (first || in_flow) {
        Quoting::Double(0)
    } else {
        Quoting::None
    }
}
