//! Text that people type into a program. It is in the login of a protocol, in a here-string, or between a name and the
//! end of the line.

use crate::bytes::{self, ALNUM, DIGIT};
use crate::context::Context;
use crate::find::line::{LINE_BYTES, claim, line_before, word_at};
use crate::pattern::Pattern;

/// Claims the rest of the line in `d-i passwd/root-password password open sesame`.
pub(crate) fn rest(context: &mut Context<'_>, end: usize) {
    let text = context.bytes;
    let line = text
        .get(end..bytes::line_end(text, end, LINE_BYTES))
        .unwrap_or_default();
    let (from, to) = word_at(text, end);
    let rest = line.trim_ascii_end();
    let words = rest.split(|b| *b == b' ');
    let is_phrase = words.clone().count() <= 4
        && from == end
        && words.clone().all(|word| bytes::all(word, ALNUM));
    let to = if is_phrase { end + rest.len() } else { to };
    if from > end && !matches!(bytes::before(text, from), b'"' | b'\'') {
        return;
    }
    claim(context, from, to, Pattern::Password);
}

/// Claims the password in `kinit user <<< "password"`, if the command reads one.
pub(crate) fn here_string(context: &mut Context<'_>, start: usize, end: usize) {
    const READERS: [&[u8]; 12] = [
        b"kinit ",
        b"adcli ",
        b"passwd ",
        b"sudo -s",
        b"cryptsetup ",
        b"--passphrase-fd",
        b"password-stdin",
        b"smbpasswd ",
        b"realm join",
        b"vault login",
        b"su ",
        b"secret create",
    ];
    let text = context.bytes;
    let line = line_before(text, start);
    if !READERS.iter().any(|reader| bytes::contains(line, reader)) {
        return;
    }
    let (from, to) = word_at(text, end);
    let value = text.get(from..to).unwrap_or_default();
    let user = value.iter().position(|b| *b == b':');
    claim(
        context,
        from + user.map_or(0, |colon| colon + 1),
        to,
        Pattern::Password,
    );
}

/// Claims the password in IMAP's `a001 LOGIN user password`: a tag, the word in upper case, and two words up to the end
/// of the line.
pub(crate) fn tagged(context: &mut Context<'_>, start: usize, end: usize) {
    let text = context.bytes;
    if text.get(start..=end) != Some(b" LOGIN ") {
        return;
    }
    let head = line_before(text, start);
    let tag = head.rsplit(|b| *b == b' ').next().unwrap_or_default();
    let lead = head.get(..head.len() - tag.len()).unwrap_or_default();
    let led = matches!(lead.trim_ascii(), b"" | b"C:" | b">" | b"$");
    let (_, user) = word_at(text, end);
    let user = user + usize::from(matches!(bytes::at(text, user), b'"' | b'\''));
    let (from, to) = word_at(text, user);
    let quoted = usize::from(matches!(bytes::before(text, from), b'"' | b'\''));
    let ends = text
        .get(to + quoted..bytes::line_end(text, to, LINE_BYTES))
        .is_some_and(|rest| rest.trim_ascii().is_empty());
    let counted = tag == b"." || bytes::any(tag, DIGIT) && bytes::all(tag, ALNUM | bytes::DOT);
    if led && counted && tag.len() <= 8 && from > user && ends {
        claim(context, from, to, Pattern::Password);
    }
}

/// Claims the text in the next cell of `| SecureString | value |`.
pub(crate) fn cell(context: &mut Context<'_>, end: usize) {
    let text = context.bytes;
    let bar = bytes::blanks_end(text, end);
    let tab = text.get(end..bar).unwrap_or_default().contains(&b'\t');
    if !tab && bytes::at(text, bar) != b'|' {
        return;
    }
    let (from, to) = word_at(text, bar + usize::from(!tab));
    let value = text.get(from..to).unwrap_or_default();
    if value.len() >= 3 && bytes::any(value, ALNUM | DIGIT) {
        claim(context, from, to, Pattern::Secret);
    }
}

/// Claims both words in `sp_password old, new`. The comma distinguishes them from words of a sentence.
pub(crate) fn listed(context: &mut Context<'_>, end: usize) {
    let text = context.bytes;
    let stop = bytes::line_end(text, end, LINE_BYTES);
    let line = text.get(end..stop).unwrap_or_default();
    let Some(comma) = line.iter().position(|b| *b == b',') else {
        return;
    };
    let (first, first_end) = word_at(text, end);
    let first_end = first_end.min(end + comma);
    let after = text.get(first_end..end + comma).unwrap_or_default();
    let is_pair = first < first_end && after.iter().all(|b| b" \t\"'".contains(b));
    if !is_pair {
        return;
    }
    claim(context, first, first_end, Pattern::Password);
    let (second, second_end) = word_at(text, end + comma + 1);
    let word = text.get(second..second_end).unwrap_or_default();
    let length = word.iter().position(|b| *b == b',').unwrap_or(word.len());
    claim(context, second, second + length, Pattern::Password);
}

/// Claims the password of each user in
/// `…LoginModule required username="admin" user_admin="password" user_alice="password";`.
pub(crate) fn users(context: &mut Context<'_>, end: usize) {
    const BYTES: usize = 2048;
    let text = context.bytes;
    let rest = text.get(end..).unwrap_or_default();
    let rest = rest.get(..BYTES).unwrap_or(rest);
    let rest = rest.split(|b| *b == b';').next().unwrap_or_default();
    for at in memchr::memmem::find_iter(rest, b"user_") {
        let start = end + at;
        let equals = bytes::run(text, start, bytes::NAME, 96);
        let open = equals + 1 + usize::from(bytes::at(text, equals + 1) == b'\\');
        let quote = bytes::at(text, open);
        let named =
            bytes::before(text, start).is_ascii_whitespace() && bytes::at(text, equals) == b'=';
        if !named || !matches!(quote, b'"' | b'\'') {
            continue;
        }
        let value = text
            .get(open + 1..bytes::line_end(text, open, LINE_BYTES))
            .unwrap_or_default();
        let length = value.iter().position(|b| *b == quote || *b == b'\\');
        claim(
            context,
            open + 1,
            open + 1 + length.unwrap_or(0),
            Pattern::Password,
        );
    }
}
