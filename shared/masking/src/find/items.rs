//! Several values under one name: lists, and a credential between other words.

use crate::bytes::{self, ALNUM};
use crate::candidate::{Extent, Joint};
use crate::context::Context;
use crate::find::extent;
use crate::judge::benign_context::is_id;
use crate::judge::name::{Class, Weight};
use crate::judge::secret_value::is_secret_value;
use crate::pattern::Pattern;
use crate::shape;

/// Most items of a list that are scanned.
const ITEMS: usize = 64;
/// Longest distance between two items, in bytes.
const GAP_BYTES: usize = 64;
/// Longest value whose words are scanned one by one, in bytes.
const VALUE_BYTES: usize = 512;

/// Longest block of values that is scanned, in bytes.
const BLOCK_BYTES: usize = 1024;

/// Claims the items after `first`, if `first` is the first item of a list. Returns the end of the last one.
pub(crate) fn rest(
    context: &mut Context<'_>,
    class: Class,
    joint: &Joint,
    first: &Extent,
) -> usize {
    let text = context.bytes;
    let bracket = bytes::at(text, joint.value_start) == b'[';
    let dashed = joint.value_start >= 2 && bytes::has_at(text, joint.value_start - 2, b"- ");
    let mut end = first.end;
    if !bracket && !dashed {
        return end;
    }
    for _ in 0..ITEMS {
        let Some(value_start) = next(text, end, bracket) else {
            break;
        };
        let item = Joint {
            value_start,
            ..*joint
        };
        let Some(extent) = extent::extent(text, &item) else {
            break;
        };
        if is_secret_value(text, class, &item, &extent) {
            context.claim_value(class.pattern, &extent);
        }
        end = extent.end;
    }
    end
}

/// Returns the start of the item after the one that ends at `end`.
fn next(text: &[u8], end: usize, bracket: bool) -> Option<usize> {
    let skip = |at: usize, set: fn(u8) -> bool| {
        let rest = text.get(at..).unwrap_or_default();
        at + rest.iter().take(GAP_BYTES).take_while(|b| set(**b)).count()
    };
    let closed = skip(end, |b| matches!(b, b'"' | b'\'' | b'`' | b'\\'));
    let gap = skip(closed, |b| b.is_ascii_whitespace());
    if bracket {
        let quote = skip(gap + 1, |b| b.is_ascii_whitespace());
        let quoted = matches!(bytes::at(text, quote), b'"' | b'\'' | b'`' | b'\\');
        return (bytes::at(text, gap) == b',' && quoted).then_some(quote);
    }
    let below = text.get(closed..gap)?.contains(&b'\n');
    (below && bytes::has_at(text, gap, b"- ")).then_some(gap + 2)
}

/// Claims the random words in a quoted value: `{acme 7 q8Zx2LmP0aRt7VbN}`. Returns whether there were any.
pub(crate) fn words(context: &mut Context<'_>, class: Class, extent: &Extent) -> bool {
    let text = context.bytes;
    let value = text.get(extent.start..extent.end).unwrap_or_default();
    if !extent.quoted
        || matches!(class.weight, Weight::Hint | Weight::Account)
        || value.len() > VALUE_BYTES
        || !value.contains(&b' ')
    {
        return false;
    }
    let (mut at, mut found) = (extent.start, false);
    while at < extent.end {
        let stop = bytes::run(text, at, bytes::TOKEN68, VALUE_BYTES).min(extent.end);
        // The `n` of `\n` belongs to the escape.
        let start = bytes::after_escape(text, at).min(stop);
        let word = text.get(start..stop).unwrap_or_default();
        let drawn = word.len() >= 16
            && bytes::any(word, ALNUM)
            && (shape::is_random(word, 16) || shape::is_hex(word) || shape::is_uuid(word));
        if drawn {
            let word = Extent::quoted(start, stop);
            context.claim_value(class.pattern, &word);
            found = true;
        }
        at = stop.max(at) + 1;
    }
    found
}

/// Claims the values in the block after the name that ends at `end`, if they look random and are not ids:
/// `tokens { agent = "…" }`, `"tokens": {"agent": "…"}`.
pub(crate) fn block(context: &mut Context<'_>, end: usize) {
    let text = context.bytes;
    let gap = text.get(end..end + 8).unwrap_or_default();
    let gap = gap.iter().take_while(|b| b"\": =".contains(b)).count();
    if bytes::at(text, end + gap) != b'{' {
        return;
    }
    let rest = text.get(end + gap + 1..).unwrap_or_default();
    let rest = rest.get(..BLOCK_BYTES).unwrap_or(rest);
    let rest = rest.split(|b| *b == b'}').next().unwrap_or_default();
    let mut start = end + gap + 1;
    for line in rest.split(|b| matches!(b, b'\n' | b',')) {
        if let Some((from, to)) = member(line) {
            let value = line.get(from..to).unwrap_or_default();
            if shape::is_uuid(value) || shape::is_random(value, 20) {
                context.claim(start + from, start + to, Pattern::Token);
            }
        }
        start += line.len() + 1;
    }
}

/// Returns the position of the quoted value in `name = "value"`, unless the name is that of an id.
fn member(line: &[u8]) -> Option<(usize, usize)> {
    let joint = line.iter().position(|b| matches!(b, b'=' | b':'))?;
    let name = line.get(..joint)?.trim_ascii();
    let name = name.strip_suffix(b"\"").unwrap_or(name);
    let name = name.strip_prefix(b"\"").unwrap_or(name);
    let open = bytes::blanks_end(line, joint + 1);
    let value = line.get(open + 1..)?;
    let length = value.iter().position(|b| *b == b'"')?;
    let named =
        bytes::all(name, bytes::NAME) && !is_id(name) && !bytes::contains(name, b"accessor");
    (named && bytes::at(line, open) == b'"').then_some((open + 1, open + 1 + length))
}
