//! Values on the lines below: the output of a command, and lines of logins.

use crate::bytes::{self, ALNUM, DIGIT, NAME};
use crate::context::Context;
use crate::find::keyed;
use crate::find::line::{LINE_BYTES, claim, line_before};
use crate::judge::identifier::is_identifier;
use crate::judge::name::{Weight, classify};
use crate::pattern::Pattern;
use crate::shape;

/// Most lines that are scanned.
const ROWS: usize = 64;

/// Claims the output of a command in a shell session, if it is a single word. The command contains, at `at`, a name
/// that may hold a secret.
pub(crate) fn printed(context: &mut Context<'_>, at: usize) {
    let text = context.bytes;
    let line = line_before(text, at);
    if !line.starts_with(b"$ ") {
        return;
    }
    let first = bytes::line_end(text, at, LINE_BYTES);
    if line.starts_with(b"$ cat ") && rows(context, at, first) {
        return;
    }
    let stop = bytes::line_end(text, first + 1, LINE_BYTES);
    let value = text.get(first + 1..stop).unwrap_or_default();
    let rest = text.get(stop..).unwrap_or_default().trim_ascii_start();
    let alone = rest.is_empty() || rest.starts_with(b"$ ");
    let digest = value.len() >= 40 && shape::is_hex(value) || value.contains(&b':');
    if !alone || digest || value.is_empty() || value.iter().any(u8::is_ascii_whitespace) {
        return;
    }
    // Commands that show only the value of such a name.
    const SHOWN: [&[u8]; 6] = [
        b"printenv ",
        b"echo $",
        b"echo \"$",
        b"cat ",
        b"decode",
        b"get-value",
    ];
    let name = (
        bytes::run_back(text, at, NAME, LINE_BYTES),
        bytes::run(text, at, NAME, LINE_BYTES),
    );
    let command = text.get(at - line.len()..first).unwrap_or_default();
    let shown = SHOWN.iter().any(|word| bytes::contains(command, word));
    match keyed::member_is_secret(text, name, (first + 1, stop)) {
        Some(pattern) if shown => context.claim(first + 1, stop, pattern),
        _ => below(context, at),
    }
}

/// Claims the passwords in the rows `user password` of a file whose name at `at` means passwords. The rows are below
/// the line that ends at `first`. Returns whether there are any.
fn rows(context: &mut Context<'_>, at: usize, first: usize) -> bool {
    let text = context.bytes;
    let name = (
        bytes::run_back(text, at, NAME, LINE_BYTES),
        bytes::run(text, at, NAME, LINE_BYTES),
    );
    let class = text.get(name.0..name.1).and_then(classify);
    let below = text.get(first + 1..).unwrap_or_default();
    if class.is_none_or(|class| class.weight != Weight::Password) {
        return false;
    }
    let (mut start, mut found) = (first + 1, Vec::new());
    for line in below.split(|b| *b == b'\n').take(ROWS) {
        if line.starts_with(b"$ ") {
            break;
        }
        let text = line.trim_ascii_end();
        let user = bytes::run(text, 0, NAME | bytes::AT, 64);
        let value = bytes::blanks_end(text, user);
        let word = text.get(value..).unwrap_or_default();
        let pair = user > 0 && value > user && !word.iter().any(u8::is_ascii_whitespace);
        if pair && !word.is_empty() {
            found.push((start + value, start + text.len()));
        } else if !text.is_empty() && !text.starts_with(b"#") {
            return false;
        }
        start += line.len() + 1;
    }
    for (from, to) in &found {
        claim(context, *from, *to, Pattern::Password);
    }
    !found.is_empty()
}

/// Claims the output below a command: the first line that is not empty, if it is a single random word.
pub(crate) fn below(context: &mut Context<'_>, end: usize) {
    let text = context.bytes;
    let first = bytes::line_end(text, end, LINE_BYTES);
    let rest = text.get(first..).unwrap_or_default();
    let gap = rest
        .iter()
        .take(160)
        .take_while(|b| b.is_ascii_whitespace() || **b == b'*')
        .count();
    let from = first + gap;
    let stop = bytes::line_end(text, from, LINE_BYTES);
    let value = text.get(from..stop).unwrap_or_default().trim_ascii_end();
    let drawn = value.len() >= 8
        && gap > 0
        && !value.iter().any(u8::is_ascii_whitespace)
        && bytes::any(value, ALNUM)
        && (shape::is_drawn(value)
            || shape::is_hex(value)
            || shape::is_random(value, 8)
            || shape::is_jumbled(value)
            || is_mixed(value)
            || bytes::any(value, DIGIT) && value.iter().any(|b| b"!@#$%^&*".contains(b)));
    if drawn && !value.starts_with(b"/") && !is_identifier(value) {
        claim(context, from, from + value.len(), Pattern::Password);
    }
}

/// Whether a value has lower-case letters, upper-case letters and digits, and is not an address or a path.
fn is_mixed(value: &[u8]) -> bool {
    [bytes::LOWER, bytes::UPPER, DIGIT]
        .into_iter()
        .all(|class| bytes::any(value, class))
        && !value.iter().any(|b| matches!(b, b'/' | b':'))
}

/// Claims the passwords in the lines of `chpasswd: {list: |`.
pub(crate) fn logins(context: &mut Context<'_>, end: usize) {
    let text = context.bytes;
    let mut at = bytes::line_end(text, end, LINE_BYTES) + 1;
    let mut found = false;
    for number in 0..ROWS {
        let stop = bytes::line_end(text, at, LINE_BYTES);
        let line = text.get(at..stop).unwrap_or_default().trim_ascii();
        let user = bytes::run(line, 0, NAME, 64);
        let password = line.get(user + 1..).unwrap_or_default();
        let pair = user > 0
            && bytes::at(line, user) == b':'
            && password.len() >= 3
            && !password.starts_with(b" ")
            && password.split(|b| *b == b' ').count() <= 3
            && !password.contains(&b'\t');
        if pair {
            let to = at
                + text
                    .get(at..stop)
                    .unwrap_or_default()
                    .trim_ascii_end()
                    .len();
            claim(context, to - password.len(), to, Pattern::Password);
            found = true;
        } else if found || number > 2 {
            return;
        }
        at = stop + 1;
    }
}
