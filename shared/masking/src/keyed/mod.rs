//! Values next to a name that says they are secret: `password = "…"`, `apiKey: …`, `--token …`,
//! `<secret>…</secret>`, in the notations of many languages.

mod apart;
mod judge;
mod name;
mod placeholder;
mod separator;
mod value;

use crate::bytes::{self, NAME};
use crate::context::Context;
use crate::pattern::Pattern;
use crate::span::Quoting;

use name::classify;
pub(crate) use placeholder::{is_placeholder, is_prose};
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
    for joint in separator::after(text, name_start, name_end) {
        let Some(extent) = value::extent(text, &joint) else {
            continue;
        };
        if judge::is_secret(text, class, &joint, &extent) {
            claim(context, class.pattern, &extent);
            return extent.end;
        }
    }
    if let Some((from, to)) = separator::compared_before(text, name_start) {
        let extent = Extent {
            start: from,
            end: to,
            quoted: true,
            quoting: Quoting::None,
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
    };
    judge::is_secret(
        value.as_bytes(),
        class,
        &separator::Joint::member(),
        &extent,
    )
    .then_some(class.pattern)
}

fn claim(context: &mut Context<'_>, pattern: Pattern, extent: &Extent) {
    context.claim_quoted(extent.start, extent.end, pattern, extent.quoting);
}
