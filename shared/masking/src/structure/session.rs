//! Text that contains structures: output of commands in a shell session, and JSON documents between other lines.

use crate::bytes;
use crate::structure::json;
use crate::structure::leaf::{NONE, Role, Structure, Style};
use crate::structure::nested::Reader;

/// Longest line, in bytes.
const LINE_BYTES: usize = 64 << 10;
/// Bytes of a document that may be read in vain before the attempt counts, see [`MAX_FAILED_READS`].
const UNCOUNTED_BYTES: usize = 1 << 10;
/// Most attempts to read a document that end in vain after more than [`UNCOUNTED_BYTES`].
const MAX_FAILED_READS: usize = 16;
/// Fewest names in the output of a command. A single name may be a sentence.
const NAMES: usize = 2;

/// Returns the leaves of the structures in `text`, and all text between them. `None` if there is no structure.
pub(super) fn read(text: &[u8], read: Reader) -> Option<Structure> {
    let mut found = Structure::default();
    let (mut at, mut free, mut failed_reads) = (0, 0, 0);
    while at < text.len() {
        let next = bytes::line_end(text, at, LINE_BYTES) + 1;
        let line = text.get(at..next.min(text.len()))?;
        let (from, to, inner) = if is_prompt(line) {
            let end = next + printed(text.get(next..).unwrap_or_default());
            let output = text.get(next..end).unwrap_or_default();
            let inner = read(output, 1).filter(|inner| inner.keys >= NAMES);
            (next, end, inner)
        } else if opens(line) && failed_reads < MAX_FAILED_READS {
            let mut reached = 0;
            let document = json::first(text.get(at..)?, &mut reached);
            failed_reads += usize::from(document.is_none() && reached > UNCOUNTED_BYTES);
            let end = at + document.map_or(0, |(_, end)| end);
            let inner = text.get(at..end).and_then(|document| read(document, 1));
            (at, end, inner)
        } else {
            (at, at, None)
        };
        let Some(inner) = inner else {
            at = next;
            continue;
        };
        gap(&mut found, free, from);
        append(&mut found, inner, from);
        (at, free) = (to, to);
    }
    if found.keys == 0 {
        return None;
    }
    gap(&mut found, free, text.len());
    Some(found)
}

/// Whether the line is a prompt with a command, such as `$ command`. The command's output begins on the next line.
fn is_prompt(line: &[u8]) -> bool {
    line.starts_with(b"$ ") || line.starts_with(b"PS ") && line.windows(2).any(|w| w == b"> ")
}

/// Returns the end of a command's output, which is the next prompt.
fn printed(text: &[u8]) -> usize {
    let mut at = 0;
    while at < text.len() {
        let next = bytes::line_end(text, at, LINE_BYTES) + 1;
        if is_prompt(text.get(at..next.min(text.len())).unwrap_or_default()) {
            return at;
        }
        at = next;
    }
    text.len()
}

/// Whether a JSON document may begin on `line`, in contrast to `[INFO] …`.
fn opens(line: &[u8]) -> bool {
    let after = line.get(1..).unwrap_or_default().trim_ascii_start();
    match line.first() {
        Some(b'{') => matches!(after.first(), None | Some(b'"')),
        Some(b'[') => matches!(after.first(), None | Some(b'{')),
        _ => false,
    }
}

/// Records the text at `from..to`, about which nothing is known.
fn gap(found: &mut Structure, from: usize, to: usize) {
    if from < to {
        found.push((from, to), Role::Text, Style::Free, NONE, 0);
    }
}

/// Adds `inner`, whose text begins at `from`.
fn append(found: &mut Structure, inner: Structure, from: usize) {
    let base = u32::try_from(found.leaves.len()).unwrap_or(NONE);
    let groups = found.groups;
    found.groups += inner.groups;
    found.keys += inner.keys;
    found.is_configuration |= inner.is_configuration;
    found.is_sectioned |= inner.is_sectioned;
    found
        .leaves
        .extend(inner.leaves.into_iter().map(|mut leaf| {
            leaf.start += from;
            leaf.end += from;
            leaf.group += groups;
            if leaf.owner != NONE {
                leaf.owner += base;
            }
            leaf
        }));
}
