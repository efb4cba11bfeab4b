//! Secrets in JSON, in JSON that is a string inside other JSON or YAML, and in Python's notation.

use crate::context::Context;
use crate::find::kubernetes::words::{is_kind, is_payload};
use crate::pattern::Pattern;
use crate::span::Quoting;

/// Deepest nesting at which objects are distinguished.
const DEPTH: usize = 256;

/// An object that is being read.
#[derive(Debug, Default)]
struct Object {
    secret: bool,
    /// Whether this object, or one that contains it, is a list of Secrets.
    list: bool,
    /// Whether this object is the `data` or `stringData` of its parent.
    payload: bool,
    key: Option<(usize, usize)>,
    values: Vec<(usize, usize, Quoting)>,
}

/// Claims the values of all Secrets in JSON.
pub(super) fn scan(context: &mut Context<'_>) {
    for slashes in [0, 1, 3] {
        if slashes == 0
            || context
                .text
                .contains(if slashes == 1 { "\\\"" } else { "\\\\\\\"" })
        {
            level(context, b'"', slashes);
        }
    }
    if context.text.contains("'Secret'") {
        level(context, b'\'', 0);
    }
}

/// Reads the text as JSON in which each quote is `quote` after `slashes` backslashes.
fn level(context: &mut Context<'_>, quote: u8, slashes: usize) {
    let text = context.bytes;
    let mut open: Vec<Object> = Vec::new();
    let mut claims = Vec::new();
    let (mut at, mut colon) = (0, false);
    while let Some(byte) = text.get(at).copied() {
        match byte {
            b'\\' | b'"' | b'\'' => {
                let run = text
                    .get(at..)
                    .unwrap_or_default()
                    .iter()
                    .take_while(|b| **b == b'\\')
                    .count();
                if text.get(at + run) == Some(&quote) && run == slashes {
                    let start = at + run + 1;
                    let end = string_end(text, start, quote, slashes);
                    string(&mut open, text, (start, end), colon);
                    colon = false;
                    at = end + slashes + 1;
                } else {
                    at += run.max(1);
                }
                continue;
            }
            b'{' => {
                let parent = open.last();
                let list = parent.is_some_and(|p| p.list);
                let payload = colon
                    && parent.and_then(|p| p.key).is_some_and(|(from, to)| {
                        is_payload(text.get(from..to).unwrap_or_default())
                    });
                if open.len() < DEPTH {
                    open.push(Object {
                        list,
                        payload,
                        ..Object::default()
                    });
                }
                colon = false;
            }
            b'}' => close(&mut open, &mut claims),
            b':' => colon = true,
            b',' => colon = false,
            b'0'..=b'9' | b't' | b'f' | b'-' if colon => {
                let end = at
                    + text
                        .get(at..)
                        .unwrap_or_default()
                        .iter()
                        .take_while(|b| {
                            b.is_ascii_alphanumeric() || matches!(b, b'.' | b'+' | b'-')
                        })
                        .count();
                if let Some(object) = open.last_mut().filter(|o| o.payload) {
                    object.values.push((
                        at,
                        end,
                        Quoting::Double(u8::try_from(slashes).unwrap_or(0)),
                    ));
                }
                at = end;
                colon = false;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    while !open.is_empty() {
        close(&mut open, &mut claims);
    }
    for (start, end, quoting) in claims {
        context.claim_whole(start, end, Pattern::KubernetesSecret, quoting);
    }
}

fn string(open: &mut [Object], text: &[u8], (start, end): (usize, usize), is_value: bool) {
    let Some(object) = open.last_mut() else {
        return;
    };
    if !is_value {
        object.key = Some((start, end));
        return;
    }
    let kind = text.get(start..end).unwrap_or_default();
    let key = object
        .key
        .and_then(|(from, to)| text.get(from..to))
        .unwrap_or_default();
    if object.payload {
        object.values.push((start, end, Quoting::None));
    } else if key == b"kind" && is_kind(kind) {
        object.secret = kind == b"Secret";
        object.list = !object.secret;
    }
}

/// Ends the innermost object. A payload passes its values to its parent. A Secret claims the values that were passed to
/// it.
fn close(open: &mut Vec<Object>, claims: &mut Vec<(usize, usize, Quoting)>) {
    let Some(mut object) = open.pop() else { return };
    if object.secret || (object.list && !object.payload) {
        claims.append(&mut object.values);
    } else if object.payload
        && let Some(parent) = open.last_mut()
    {
        // Append the shorter list to the longer one, so that deep nesting does not move values repeatedly.
        if parent.values.len() < object.values.len() {
            std::mem::swap(&mut parent.values, &mut object.values);
        }
        parent.values.append(&mut object.values);
    }
}

fn string_end(text: &[u8], start: usize, quote: u8, slashes: usize) -> usize {
    let (mut at, mut run) = (start, 0_usize);
    while let Some(byte) = text.get(at) {
        if *byte == quote
            && (if slashes == 0 {
                run.is_multiple_of(2)
            } else {
                run <= slashes
            })
        {
            return at - run.min(slashes);
        }
        run = if *byte == b'\\' { run + 1 } else { 0 };
        at += 1;
    }
    text.len()
}
