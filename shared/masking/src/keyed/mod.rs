//! Values next to a name that says they are secret: `password = "…"`, `apiKey: …`, `--token …`,
//! `<secret>…</secret>`, in the notations of many languages.

mod apart;
mod beside;
mod code;
mod items;
mod judge;
mod name;
mod phrase;
mod placeholder;
mod program;
mod reference;
mod separator;
mod title;
mod value;
mod words;

use crate::bytes::{self, NAME};
use crate::context::Context;
use crate::pattern::Pattern;
use crate::span::Quoting;
use crate::structure::Style;

use name::{Class, classify, is_harmless};
pub(crate) use placeholder::{is_placeholder, is_prose, is_word};
pub(crate) use reference::is_reference;
use value::Extent;

/// The longest name that is looked at.
const NAME_BYTES: usize = 96;

/// Looks at the name around the cue at `start..end`, and at the value it is given. Returns where the
/// name, or the value claimed, ends: a further cue before that is not looked at.
pub(crate) fn scan(context: &mut Context<'_>, start: usize, end: usize) -> usize {
    let text = context.bytes;
    let name_start = bytes::run_back(text, start, NAME, NAME_BYTES);
    let name_start = bytes::behind_escape(text, name_start).min(start);
    let name_end = bytes::run(text, end, NAME, NAME_BYTES);
    let name = text.get(name_start..name_end).unwrap_or_default();
    let Some(class) = classify(name) else {
        return name_end;
    };
    context.is_telling = true;
    if is_in_arn(text, name_start)
        || is_harmless_key(text, name_start, name)
        || is_method(text, name, name_end)
    {
        return name_end;
    }
    let class = match class.weight {
        name::Weight::Hint if is_spoken_key(text, name_start, name) => Class {
            weight: name::Weight::Token,
            ..class
        },
        _ => class,
    };
    context.anchor = Some(name_start);
    let claimed = values(context, class, name_start, name_end);
    context.anchor = None;
    claimed
}

/// Claims the values that the name at `name_start..name_end` is given; returns where the last one ends.
fn values(context: &mut Context<'_>, class: Class, name_start: usize, name_end: usize) -> usize {
    let text = context.bytes;
    for joint in separator::after(text, name_start, name_end) {
        let Some(extent) = value::extent(text, &joint) else {
            continue;
        };
        if judge::is_secret(text, class, &joint, &extent) {
            if is_mentioned(text, name_start) {
                return name_end;
            }
            claim(context, class.pattern, &extent);
            return items::rest(context, class, &joint, &extent);
        }
        if items::words(context, class, &extent) {
            return extent.end;
        }
    }
    if let Some((from, to)) = beside::compared_before(text, name_start) {
        let extent = Extent {
            start: from,
            end: to,
            quoted: true,
            quoting: Quoting::None,
            in_pairs: false,
        };
        let joint = separator::Joint::comparison(from);
        if judge::is_secret(text, class, &joint, &extent) {
            claim(context, class.pattern, &extent);
        }
    }
    name_end
}

/// Whether `value`, the whole of a JSON string under `name`, is secret for its name.
pub(crate) fn value_is_secret(name: &str, value: &str) -> Option<Pattern> {
    let class = classify(name.as_bytes())?;
    let extent = Extent {
        start: 0,
        end: value.len(),
        quoted: true,
        quoting: Quoting::None,
        in_pairs: false,
    };
    judge::is_secret(
        value.as_bytes(),
        class,
        &separator::Joint::member(),
        &extent,
    )
    .then_some(class.pattern)
}

/// The pattern under which the whole value at `start..end` is secret for the name at `name`.
pub(crate) fn whole_is_secret(
    text: &[u8],
    name: (usize, usize),
    value: (usize, usize),
    style: Style,
) -> Option<Pattern> {
    let class = classify(text.get(name.0..name.1)?)?;
    let joint = separator::Joint::of_member(name.0, value.0);
    let extent = Extent {
        start: value.0,
        end: value.1,
        quoted: matches!(style, Style::Quoted | Style::Block),
        quoting: Quoting::None,
        in_pairs: false,
    };
    judge::is_secret(text, class, &joint, &extent).then_some(class.pattern)
}

/// As [`whole_is_secret`], for a name and a value in the columns of a table.
pub(crate) fn member_is_secret(
    text: &[u8],
    name: (usize, usize),
    value: (usize, usize),
) -> Option<Pattern> {
    whole_is_secret(text, name, value, Style::Quoted)
}

/// Claims the words of the quoted value at `start..end` that are drawn at random, for the name at `name`.
pub(crate) fn words_within(context: &mut Context<'_>, name: (usize, usize), value: (usize, usize)) {
    let Some(class) = context.bytes.get(name.0..name.1).and_then(classify) else {
        return;
    };
    let extent = Extent {
        start: value.0,
        end: value.1,
        quoted: true,
        quoting: Quoting::None,
        in_pairs: false,
    };
    items::words(context, class, &extent);
}

/// Whether the place is within an Amazon resource name: `arn:aws:secretsmanager:…:secret:name`.
pub(crate) fn is_in_arn(text: &[u8], at: usize) -> bool {
    matches!(bytes::before(text, at), b':' | b'/') && {
        let from = bytes::run_back(text, at, NAME | bytes::COLON | bytes::SLASH, 200);
        let head = text.get(at.saturating_sub(120)..at).unwrap_or_default();
        // Of an expression for such names, too.
        bytes::has_at(text, from, b"arn:") || bytes::contains(head, b":secretsmanager:")
    }
}

/// Whether the telling word that ends at `end` is part of a name that says nothing secret: `nextPageToken`,
/// `public_key`, `cache key`.
pub(crate) fn is_about(text: &[u8], end: usize) -> bool {
    let from = bytes::run_back(text, end, NAME, NAME_BYTES);
    let to = bytes::run(text, end, NAME, NAME_BYTES);
    let name = text.get(from..to).unwrap_or_default();
    name.len() > 8 && classify(name).is_none() || is_harmless_key(text, from, name)
}

/// Whether `value` is what the name around the telling word that ends at `end` says already.
pub(crate) fn repeats_name(text: &[u8], end: usize, value: &[u8]) -> bool {
    title::repeats_name(text, bytes::run_back(text, end, NAME, NAME_BYTES), value)
}

/// `pwd.getpwnam(…)`: a call of what belongs to something with such a name.
fn is_method(text: &[u8], name: &[u8], name_end: usize) -> bool {
    bytes::at(text, name_end) == b'('
        && name.contains(&b'.')
        && name
            .rsplit(|b| *b == b'.')
            .next()
            .is_some_and(|last| classify(last).is_none())
}

/// `api key`, `license key`: two words that say together what `api_key` does.
fn is_spoken_key(text: &[u8], start: usize, name: &[u8]) -> bool {
    name.eq_ignore_ascii_case(b"key") && bytes::before(text, start) == b' ' && {
        let word = bytes::run_back(text, start - 1, NAME, NAME_BYTES);
        name::is_key_of(text.get(word..start - 1).unwrap_or_default())
    }
}

/// `<set to the key 'x' in secret 'y'>`, `checksum/secret: …`: a name that only mentions a secret.
fn is_mentioned(text: &[u8], start: usize) -> bool {
    let line = text
        .get(start.saturating_sub(160)..start)
        .unwrap_or_default();
    let line = line.rsplit(|b| *b == b'\n').next().unwrap_or_default();
    let described = line
        .windows(8)
        .rposition(|w| w == b"<set to ")
        .is_some_and(|at| !line.get(at..).unwrap_or_default().contains(&b'>'));
    described
        || [&b"checksum/"[..], b"hash/", b"sha256/", b"digest/"]
            .iter()
            .any(|word| line.ends_with(word))
}

/// `cache key`, `partition key`: a bare word after one that takes its secrecy away.
fn is_harmless_key(text: &[u8], start: usize, name: &[u8]) -> bool {
    if !(name.eq_ignore_ascii_case(b"key") || name.eq_ignore_ascii_case(b"token"))
        || bytes::before(text, start) != b' '
    {
        return false;
    }
    let word = bytes::run_back(text, start - 1, NAME, NAME_BYTES);
    is_harmless(text.get(word..start - 1).unwrap_or_default())
}

fn claim(context: &mut Context<'_>, pattern: Pattern, extent: &Extent) {
    if context.touches_marker(extent.start, extent.end) {
        context.claim_whole(extent.start, extent.end, pattern, extent.quoting);
    } else {
        context.claim_quoted(extent.start, extent.end, pattern, extent.quoting);
    }
}
