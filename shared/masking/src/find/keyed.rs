//! Values of names that mean a secret: `password = "…"`, `apiKey: …`, `--token …`, `<secret>…</secret>`, in the
//! notations of many languages.

use crate::bytes::{self, NAME};
use crate::candidate::{Extent, Joint};
use crate::context::Context;
use crate::find::line::line_before;
use crate::find::{extent, items, joined, passphrase, separator};
use crate::judge::benign_name::{
    is_benign_key, is_in_arn, is_key_of_two_words, is_mentioned, is_method, is_type_name,
};
use crate::judge::name::{Class, NAME_BYTES, Weight, classify, classify_at, is_bare_pass};
use crate::judge::secret_value::is_secret_value;
use crate::pattern::Pattern;
use crate::structure::Style;

/// Checks the name around the anchor at `start..end`, and its value. Records the name if it may hold a secret. Returns
/// the end of the name or of the claimed value. Anchors before that end are skipped.
pub(crate) fn scan(context: &mut Context<'_>, start: usize, end: usize) -> usize {
    let text = context.bytes;
    let name_start = bytes::run_back(text, start, NAME, NAME_BYTES);
    let name_start = bytes::after_escape(text, name_start).min(start);
    let name_end = bytes::run(text, end, NAME, NAME_BYTES);
    let name = text.get(name_start..name_end).unwrap_or_default();
    let Some(class) = classify_at(text, name_start, name_end) else {
        if name.eq_ignore_ascii_case(b"tokens") {
            items::block(context, name_end);
        }
        return name_end;
    };
    context.has_secret_name = true;
    context.names.push(end);
    context.is_below_user |= class.weight == Weight::Password && is_bare_pass(name);
    if is_in_arn(text, name_start)
        || is_benign_key(text, name_start, name)
        || is_method(text, name, name_end)
        || is_type_name(text, name_start, name_end)
    {
        return name_end;
    }
    let class = match class.weight {
        // `bindmethod=simple binddn="…" credentials=…` in slapd, and `java.naming.security.credentials=…`.
        Weight::Hint
            if name.eq_ignore_ascii_case(b"bindcredentials")
                || name.ends_with(b".security.credentials")
                || name == b"credentials"
                    && bytes::contains(line_before(text, name_start), b"binddn=") =>
        {
            Class {
                pattern: Pattern::Password,
                weight: Weight::Password,
            }
        }
        Weight::Hint if is_key_of_two_words(text, name_start, name) => Class {
            weight: Weight::Token,
            ..class
        },
        _ => class,
    };
    context.name = Some(name_start);
    let claimed = values(context, class, name_start, name_end);
    context.name = None;
    claimed
}

/// Claims the values of the name at `name_start..name_end`. Returns the end of the last one.
fn values(context: &mut Context<'_>, class: Class, name_start: usize, name_end: usize) -> usize {
    let text = context.bytes;
    for joint in separator::after(text, name_start, name_end) {
        let Some(extent) = extent::extent(text, &joint) else {
            continue;
        };
        let whole = passphrase::whole(text, class, &joint, &extent);
        let extent = whole.unwrap_or(extent);
        if is_secret_value(text, class, &joint, &extent) {
            if is_mentioned(text, name_start) {
                return name_end;
            }
            context.claim_value(class.pattern, &extent);
            if let Some(next) = changed_to(text, &extent) {
                context.claim_value(class.pattern, &next);
                return next.end;
            }
            return items::rest(context, class, &joint, &extent);
        }
        if items::words(context, class, &extent) {
            return extent.end;
        }
    }
    if let Some((from, to)) = joined::compared_before(text, name_start) {
        let extent = Extent::quoted(from, to);
        let joint = Joint::comparison(from);
        if is_secret_value(text, class, &joint, &extent) {
            context.claim_value(class.pattern, &extent);
        }
    }
    name_end
}

/// Returns the new value in `"old" -> "new"` of Terraform's plans. The old value is at `extent`.
fn changed_to(text: &[u8], extent: &Extent) -> Option<Extent> {
    let from = extent.end + b"\" -> \"".len();
    // `pw changed from … to …`
    let head = text.get(extent.start.saturating_sub(8)..extent.start)?;
    if !extent.quoted && head.ends_with(b" from ") && bytes::has_at(text, extent.end, b" to ") {
        let from = extent.end + 4;
        let word = text.get(from..bytes::line_end(text, from, 96))?;
        let length = word
            .iter()
            .position(|b| b.is_ascii_whitespace() || b",;".contains(b));
        let length = length.unwrap_or(word.len());
        let word = word.get(..length)?;
        let length = word.strip_suffix(b".").unwrap_or(word).len();
        return (length >= 3).then(|| Extent {
            start: from,
            end: from + length,
            ..*extent
        });
    }
    let arrow = text.get(extent.end..from)? == b"\" -> \"";
    let rest = text.get(from..bytes::line_end(text, from, 1024))?;
    let length = rest.iter().position(|b| *b == b'"')?;
    (arrow && length >= 3).then(|| Extent::quoted(from, from + length))
}

/// Returns the pattern under which `value`, a whole JSON string, is secret because of `name`.
pub(crate) fn value_is_secret(name: &str, value: &str) -> Option<Pattern> {
    let class = classify(name.as_bytes())?;
    let extent = Extent::quoted(0, value.len());
    is_secret_value(value.as_bytes(), class, &Joint::member(), &extent).then_some(class.pattern)
}

/// Returns the pattern under which the whole value at `value` is secret because of the name at `name`.
pub(crate) fn whole_is_secret(
    text: &[u8],
    name: (usize, usize),
    value: (usize, usize),
    style: Style,
) -> Option<Pattern> {
    let class = classify_at(text, name.0, name.1)?;
    if is_type_name(text, name.0, name.1) {
        return None;
    }
    let joint = Joint::of_member(name.0, value.0);
    let extent = Extent {
        quoted: matches!(style, Style::Quoted | Style::Block),
        ..Extent::quoted(value.0, value.1)
    };
    is_secret_value(text, class, &joint, &extent).then_some(class.pattern)
}

/// Same as [`whole_is_secret`], for a name and a value in columns of a table.
pub(crate) fn member_is_secret(
    text: &[u8],
    name: (usize, usize),
    value: (usize, usize),
) -> Option<Pattern> {
    whole_is_secret(text, name, value, Style::Quoted)
}

/// Claims the random words of the quoted value at `value`, because of the name at `name`.
pub(crate) fn words_within(context: &mut Context<'_>, name: (usize, usize), value: (usize, usize)) {
    let Some(class) = context.bytes.get(name.0..name.1).and_then(classify) else {
        return;
    };
    let extent = Extent::quoted(value.0, value.1);
    items::words(context, class, &extent);
}
