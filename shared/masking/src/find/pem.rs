//! PEM blocks: over several lines, on one line with `\n` in it, or in base64.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;

use crate::bytes::{self, BASE64};
use crate::context::Context;
use crate::pattern::Pattern;

/// Longest block whose end is searched, in bytes. A longer block is masked up to this length.
const BLOCK_BYTES: usize = 64 << 10;

/// Scans the block whose `-----BEGIN` is at `start`. Returns its end.
pub(crate) fn scan(context: &mut Context<'_>, start: usize) -> usize {
    let text = context.bytes;
    let label_start = start + "-----BEGIN".len();
    let label_end = text
        .get(label_start..)
        .unwrap_or_default()
        .iter()
        .take(64)
        .position(|b| *b == b'-');
    let Some(length) = label_end else {
        return label_start;
    };
    let label = text
        .get(label_start..label_start + length)
        .unwrap_or_default();
    let Some(pattern) = pattern(label) else {
        return label_start;
    };
    let body = label_start + length;
    let limit = (body + BLOCK_BYTES).min(text.len());
    let rest = text.get(body..limit).unwrap_or_default();
    let closing = footer(rest);
    let end = match closing {
        Some(at) => {
            let footer = body + at + 8;
            let label = text
                .get(footer..)
                .unwrap_or_default()
                .iter()
                .take(64)
                .take_while(|b| !matches!(b, b'-' | b'\n' | b'"' | b'\''))
                .count();
            bytes::run(text, footer + label, bytes::DASH, 5)
        }
        // The text was cut within the block, so claim everything that may belong to it.
        None => body + body_length(rest),
    };
    let has_body = rest
        .get(..(end - body).min(rest.len()))
        .unwrap_or_default()
        .iter()
        .filter(|b| bytes::is(**b, BASE64))
        .count()
        > 24;
    if has_body
        && !bytes::contains(
            text.get(start..end.min(start + 160)).unwrap_or_default(),
            b"...",
        )
    {
        context.claim(start, end, pattern);
    }
    end
}

/// Returns the position of the block's footer, unless another block starts before it.
fn footer(rest: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        let dash = at + rest.get(at..)?.iter().position(|b| *b == b'-')?;
        let run = bytes::run(rest, dash, bytes::DASH, 16);
        if run - dash >= 5 && bytes::has_at(rest, run, b"END") {
            return Some(run - 5);
        }
        if run - dash >= 5 && bytes::has_at(rest, run, b"BEGIN") {
            return None;
        }
        at = run;
    }
}

/// Returns the length of the text after the header that may belong to a block without a footer.
fn body_length(rest: &[u8]) -> usize {
    let dashes = rest.iter().take_while(|b| **b == b'-').count();
    let inner = rest.get(dashes..).unwrap_or_default();
    let body = inner
        .iter()
        .take_while(|b| {
            bytes::is(**b, BASE64 | bytes::COLON | bytes::DASH | bytes::COMMA)
                || b.is_ascii_whitespace()
                || **b == b'\\'
        })
        .count();
    let taken = inner.get(..body).unwrap_or_default().trim_ascii_end();
    let slashes = taken.iter().rev().take_while(|b| **b == b'\\').count();
    dashes + taken.len() - slashes
}

fn pattern(label: &[u8]) -> Option<Pattern> {
    if bytes::contains(label, b"private key")
        || bytes::contains(label, b"private-key")
        || bytes::contains(label, b"openvpn static key")
        || bytes::contains(label, b"nkey seed")
    {
        Some(Pattern::PrivateKey)
    } else if bytes::contains(label, b"certificate") || bytes::contains(label, b"pkcs7") {
        Some(Pattern::Certificate)
    } else {
        None
    }
}

/// Scans a base64 block that starts at `start`, wrapped or not. Returns its end.
pub(crate) fn scan_encoded(context: &mut Context<'_>, start: usize) -> usize {
    let text = context.bytes;
    let mut end = bytes::run(text, start, BASE64, BLOCK_BYTES * 2);
    // The other lines of wrapped base64.
    while end < start + BLOCK_BYTES {
        let rest = text.get(end..).unwrap_or_default();
        let gap = rest
            .iter()
            .take(48)
            .take_while(|b| b.is_ascii_whitespace())
            .count();
        let next = bytes::run(text, end + gap, BASE64, BLOCK_BYTES);
        let lines = rest
            .get(..gap)
            .unwrap_or_default()
            .iter()
            .filter(|b| **b == b'\n')
            .count();
        if lines != 1 || next < end + gap + 16 || bytes::at(text, next) == b':' {
            break;
        }
        end = next;
    }
    let head = text.get(start..end.min(start + 64)).unwrap_or_default();
    let head = head.get(..head.len() / 4 * 4).unwrap_or_default();
    let decoded = STANDARD_NO_PAD.decode(head).unwrap_or_default();
    let Some(label) = decoded.strip_prefix(b"-----BEGIN") else {
        return end;
    };
    if let Some(pattern) = pattern(label) {
        context.claim(start, end, pattern);
    }
    end
}

/// Scans a key of `PuTTY` (`Private-Lines: n`) or SSH2 (`---- BEGIN SSH2 …`). Claims the base64 lines after the header.
pub(crate) fn scan_key_file(context: &mut Context<'_>, start: usize, end: usize) {
    let text = context.bytes;
    let header = text
        .get(start..bytes::line_end(text, end, 64))
        .unwrap_or_default();
    let dashed = header.starts_with(b"-");
    if dashed && !bytes::contains(header, b"private key") {
        return;
    }
    let body = bytes::line_end(text, end, 64) + 1;
    let mut to = body;
    while to < body + BLOCK_BYTES {
        let line = text
            .get(to..bytes::line_end(text, to, 256))
            .unwrap_or_default();
        let content = line.trim_ascii();
        if content.is_empty() || !bytes::all(content, BASE64) {
            break;
        }
        to += line.len() + 1;
    }
    let to = to.min(text.len());
    if to > body + 24 {
        let taken = text.get(body..to).unwrap_or_default();
        let to = body + taken.trim_ascii_end().len();
        context.claim(body, to, Pattern::PrivateKey);
    }
}
