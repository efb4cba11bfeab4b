//! Secrets in YAML. Relies only on indentation, so documents may be incomplete or invalid.

use crate::context::Context;
use crate::find::kubernetes::words::{is_kind, is_payload};
use crate::pattern::Pattern;
use crate::span::Quoting;

/// A mapping that is being read.
#[derive(Debug, Default)]
struct Mapping {
    indent: usize,
    secret: bool,
    list: bool,
    /// Starts and ends of the lines of its payload mappings.
    payloads: Vec<(usize, usize)>,
}

/// A line: its start, its end, and the width of its indentation.
#[derive(Debug, Clone, Copy)]
struct Line {
    start: usize,
    end: usize,
    indent: usize,
}

/// Claims the values of all Secrets in YAML.
pub(super) fn scan(context: &mut Context<'_>) {
    let text = context.bytes;
    let mut open: Vec<Mapping> = Vec::new();
    let mut done: Vec<Mapping> = Vec::new();
    let mut payload: Option<(usize, usize)> = None;
    let mut at = 0;
    while at < text.len() {
        let line = line_at(text, at);
        at = line.end + 1;
        let body = text
            .get(line.start + line.indent..line.end)
            .unwrap_or_default()
            .trim_ascii_end();
        if body.is_empty() || body.starts_with(b"#") {
            continue;
        }
        if let Some((indent, from)) = payload {
            if line.indent > indent {
                if let Some(mapping) = open.last_mut() {
                    match mapping.payloads.last_mut() {
                        Some(last) if last.0 == from => last.1 = line.end,
                        _ => mapping.payloads.push((from, line.end)),
                    }
                }
                continue;
            }
            payload = None;
        }
        let document = body == b"---" || body == b"...";
        let dashes = dash_width(body);
        let indent = if document { 0 } else { line.indent + dashes };
        // A dash starts a new mapping, even if the previous mapping has the same indentation.
        while open
            .last()
            .is_some_and(|m| document || m.indent > indent || (dashes > 0 && m.indent >= indent))
        {
            done.extend(open.pop());
        }
        if document {
            continue;
        }
        let entry = body.get(dashes..).unwrap_or_default();
        let Some(colon) = entry.iter().position(|b| *b == b':') else {
            continue;
        };
        let key = unquote(entry.get(..colon).unwrap_or_default());
        let value = entry.get(colon + 1..).unwrap_or_default().trim_ascii();
        if open.last().is_none_or(|m| m.indent < indent) {
            if open.len() > 64 {
                continue;
            }
            let list = open.last().is_some_and(|m| m.list);
            open.push(Mapping {
                indent,
                list,
                ..Mapping::default()
            });
        }
        let Some(mapping) = open.last_mut() else {
            continue;
        };
        if key == b"kind" && is_kind(unquote(value)) {
            mapping.secret = unquote(value).eq_ignore_ascii_case(b"secret");
            mapping.list = !mapping.secret;
        } else if is_payload(key) {
            let from = line.start + line.indent + dashes + colon + 1;
            if value.is_empty() {
                payload = Some((indent, line.end + 1));
            } else {
                mapping.payloads.push((from, line.end));
            }
        }
    }
    done.append(&mut open);
    let list_seen = done.iter().any(|m| m.list);
    for mapping in done {
        if mapping.secret || (mapping.list && list_seen) {
            for (from, to) in mapping.payloads {
                values(context, from, to.min(text.len()));
            }
        }
    }
}

fn line_at(text: &[u8], start: usize) -> Line {
    let rest = text.get(start..).unwrap_or_default();
    let length = rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len());
    let indent = rest
        .iter()
        .take(length)
        .take_while(|b| matches!(b, b' ' | b'\t'))
        .count();
    Line {
        start,
        end: start + length,
        indent,
    }
}

/// Returns the width of the list dashes before the text of a line.
fn dash_width(body: &[u8]) -> usize {
    let mut width = 0;
    while body
        .get(width..)
        .is_some_and(|rest| rest.starts_with(b"- "))
    {
        width += 2;
        width += body
            .get(width..)
            .unwrap_or_default()
            .iter()
            .take_while(|b| **b == b' ')
            .count();
    }
    width
}

fn unquote(text: &[u8]) -> &[u8] {
    let text = text.trim_ascii();
    let inner = |quote: u8| {
        text.strip_prefix(&[quote][..])
            .and_then(|t| t.strip_suffix(&[quote][..]))
    };
    inner(b'"').or_else(|| inner(b'\'')).unwrap_or(text)
}

/// Claims the values of the payload in the lines `from..to`.
fn values(context: &mut Context<'_>, from: usize, to: usize) {
    let text = context.bytes;
    let first = text.get(from..to).unwrap_or_default();
    if first.trim_ascii_start().starts_with(b"{") {
        return flow(context, from, to);
    }
    let mut at = from;
    let mut outer = None;
    // Start and current end of a block or folded value that continues on further lines.
    let mut open: Option<(usize, usize)> = None;
    while at < to {
        let line = line_at(text, at);
        at = line.end + 1;
        let body = text
            .get(line.start + line.indent..line.end)
            .unwrap_or_default()
            .trim_ascii_end();
        let start = line.start + line.indent;
        if body.is_empty() {
            continue;
        }
        let outer = *outer.get_or_insert(line.indent);
        if line.indent > outer {
            let end = start + body.len();
            open = Some(open.map_or((start, end), |(first, _)| (first, end)));
            continue;
        }
        if let Some((first, last)) = open.take() {
            context.claim_whole(first, last, Pattern::KubernetesSecret, Quoting::None);
        }
        let Some(colon) = body.iter().position(|b| *b == b':') else {
            continue;
        };
        let value = body.get(colon + 1..).unwrap_or_default();
        let lead = value.len() - value.trim_ascii_start().len();
        claim_scalar(context, start + colon + 1 + lead, value.trim_ascii());
    }
    if let Some((first, last)) = open {
        context.claim_whole(first, last, Pattern::KubernetesSecret, Quoting::None);
    }
}

/// Claims a value on its key's line, unless it is a block marker, a comment, empty, or a template.
fn claim_scalar(context: &mut Context<'_>, start: usize, value: &[u8]) {
    let is_marker = matches!(value.first(), None | Some(b'|' | b'>' | b'#'));
    let is_empty = matches!(value, b"null" | b"~" | b"{}");
    let is_template = value.starts_with(b"{{") && value.ends_with(b"}}");
    if is_marker || is_empty || is_template {
        return;
    }
    let (start, length, quoting) = match value {
        [quote @ (b'"' | b'\''), quoted @ ..] => {
            let end = quoted.iter().rposition(|b| b == quote);
            (start + 1, end.unwrap_or(quoted.len()), Quoting::None)
        }
        _ => {
            let end = value.windows(2).position(|w| w == b" #");
            let plain = end.and_then(|end| value.get(..end)).unwrap_or(value);
            (start, plain.trim_ascii_end().len(), Quoting::Double(0))
        }
    };
    context.claim_whole(start, start + length, Pattern::KubernetesSecret, quoting);
}

/// Claims the values in `data: {user: YWRtaW4=, "password": cGFzcw==}`.
fn flow(context: &mut Context<'_>, from: usize, to: usize) {
    let text = context.bytes;
    let mut at = from;
    while at < to {
        let rest = text.get(at..to).unwrap_or_default();
        let Some(colon) = rest.iter().position(|b| *b == b':') else {
            break;
        };
        let after = rest.get(colon + 1..).unwrap_or_default();
        let lead = after.len() - after.trim_ascii_start().len();
        let value = after.get(lead..).unwrap_or_default();
        let start = at + colon + 1 + lead;
        let quote = value.first().copied().filter(|b| matches!(b, b'"' | b'\''));
        let (skip, length) = match quote {
            Some(quote) => (
                1,
                value
                    .iter()
                    .skip(1)
                    .position(|b| *b == quote)
                    .unwrap_or(value.len() - 1),
            ),
            None => (
                0,
                value
                    .iter()
                    .position(|b| matches!(b, b',' | b'}' | b'\n'))
                    .unwrap_or(value.len()),
            ),
        };
        let text = value.get(skip..skip + length).unwrap_or_default();
        let quoting = if quote.is_some() {
            Quoting::None
        } else {
            Quoting::Double(0)
        };
        let length = text.trim_ascii_end().len();
        context.claim_whole(
            start + skip,
            start + skip + length,
            Pattern::KubernetesSecret,
            quoting,
        );
        at = start + skip + text.len() + 1;
    }
}
