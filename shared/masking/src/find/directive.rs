//! Secrets that follow a known directive, command or line without a separator: `masterauth …`, `Unseal Key 1: …`, the
//! output of a command that prints a password, tables of `vault kv`, password files.

use crate::bytes::{self, DIGIT, NAME};
use crate::context::Context;
use crate::find::line::{LINE_BYTES, claim, line_before, starts_line, word_at};
use crate::find::{arguments, columns, drawn, keyed, mentioned, printed, typed};
use crate::pattern::Pattern;

/// Position of a secret relative to its anchor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SecretPosition {
    /// The next word, if the anchor starts its line.
    Directive,
    NextWord,
    /// The last word of the line.
    LastWord,
    /// The next word, if it is long and either base64 or hexadecimal.
    LongWord,
    /// The password of `user:password` after the blank.
    MailLogin,
    /// The second word.
    Second,
    /// The quoted text that ends in a return, if a password was requested before.
    Sent,
    /// Each quoted text of the line, if the anchor starts the line.
    Quoted,
    /// The text that is echoed into the command.
    Echoed,
    /// The word that the anchor starts, which is a password hash.
    PasswordHash,
    /// The hashes before the anchor on a line of Windows' password file.
    WindowsHashes,
    /// The long word after a number and a colon.
    Share,
    /// The code after the anchor, or after the next colon.
    Code,
    /// The codes on the lines below.
    Codes,
    /// The rest of the line.
    Rest,
    /// The word after `<<<`.
    HereString,
    /// The password of IMAP's `LOGIN`.
    Tagged,
    /// The text in the next cell.
    Cell,
    /// Two words separated by a comma.
    Listed,
    /// The next word, if a secret was mentioned before.
    Mentioned,
    /// The passwords of `user_name="password"` up to the next semicolon.
    Users,
    /// The first line below that consists of one word.
    Below,
    /// The rows below the rule under `Key  Value`.
    Table,
    /// The last field of `host:port:database:user:password`.
    PasswordFile,
    /// The passwords of lines `user:password` below.
    Logins,
    /// The value of one of these flags of a command.
    Flags(&'static str),
    /// The words of a command at these positions.
    Words(&'static str),
}

impl SecretPosition {
    /// Returns the position that a section of `anchors.txt` stands for.
    pub(crate) fn named(section: &'static str) -> Option<Self> {
        Some(match section {
            "directive" => Self::Directive,
            "next_word" => Self::NextWord,
            "last_word" => Self::LastWord,
            "long_word" => Self::LongWord,
            "mail_login" => Self::MailLogin,
            "second" => Self::Second,
            "sent" => Self::Sent,
            "quoted" => Self::Quoted,
            "echoed" => Self::Echoed,
            "password_hash" => Self::PasswordHash,
            "windows_hashes" => Self::WindowsHashes,
            "share" => Self::Share,
            "code" => Self::Code,
            "codes" => Self::Codes,
            "rest" => Self::Rest,
            "here_string" => Self::HereString,
            "tagged" => Self::Tagged,
            "cell" => Self::Cell,
            "listed" => Self::Listed,
            "mentioned" => Self::Mentioned,
            "users" => Self::Users,
            "below" => Self::Below,
            "table" => Self::Table,
            "password_file" => Self::PasswordFile,
            "logins" => Self::Logins,
            _ => match section.split_once(' ')? {
                ("flags", flags) => Self::Flags(flags),
                ("words", places) => Self::Words(places),
                _ => return None,
            },
        })
    }
}

/// Most rows of a table that are scanned.
const ROWS: usize = 64;

/// Scans the place relative to the anchor at `start..end`.
pub(crate) fn scan(context: &mut Context<'_>, place: SecretPosition, start: usize, end: usize) {
    match place {
        SecretPosition::Directive if starts_line(context.bytes, start) => argument(context, end),
        SecretPosition::Directive => {}
        SecretPosition::NextWord => word(context, start, end),
        SecretPosition::LastWord if begins_word(context.bytes, start) => {
            if let Some((from, to)) = last_word(context.bytes, end) {
                claim(context, from, to, Pattern::Password);
            }
        }
        SecretPosition::LastWord => {}
        SecretPosition::LongWord => drawn::long_word(context, end),
        SecretPosition::MailLogin => mail_login(context, end),
        SecretPosition::Second => second(context, end),
        SecretPosition::Sent => sent(context, start, end),
        SecretPosition::Quoted if starts_line(context.bytes, start) => quoted(context, end),
        SecretPosition::Quoted => {}
        SecretPosition::Echoed => echoed(context, start),
        SecretPosition::PasswordHash => drawn::hash(context, start),
        SecretPosition::WindowsHashes => drawn::windows_hashes(context, start),
        SecretPosition::Share => drawn::share(context, end),
        SecretPosition::Code => drawn::code(context, end),
        SecretPosition::Codes => drawn::codes(context, end),
        SecretPosition::Rest => typed::rest(context, end),
        SecretPosition::HereString => typed::here_string(context, start, end),
        SecretPosition::Tagged => typed::tagged(context, start, end),
        SecretPosition::Cell => typed::cell(context, end),
        SecretPosition::Listed => typed::listed(context, end),
        SecretPosition::Mentioned => mentioned::find_mentioned(context, start, end),
        SecretPosition::Users => typed::users(context, end),
        SecretPosition::Below => printed::below(context, end),
        SecretPosition::Table => table(context, start),
        SecretPosition::PasswordFile => password_file(context, start, end),
        SecretPosition::Logins => printed::logins(context, end),
        SecretPosition::Flags(flags) if begins_word(context.bytes, start) => {
            arguments::flagged(context, end, flags);
        }
        SecretPosition::Words(places) if begins_word(context.bytes, start) => {
            arguments::placed(context, end, places);
        }
        SecretPosition::Flags(_) | SecretPosition::Words(_) => {}
    }
}

/// Whether the anchor begins a word. For example, `set password for` does not count within `reset password for`.
fn begins_word(text: &[u8], start: usize) -> bool {
    !bytes::is(bytes::at(text, start), NAME) || !bytes::is(bytes::before(text, start), NAME)
}

fn word(context: &mut Context<'_>, start: usize, end: usize) {
    let text = context.bytes;
    let (from, mut to) = word_at(text, end);
    // `-passin 'pass:open sesame'`: the quote that opens within the anchor ends the value.
    let anchor = text.get(start..end).unwrap_or_default();
    let quote = anchor.iter().find(|b| matches!(b, b'"' | b'\''));
    if let Some(quote) = quote.filter(|_| from == end) {
        let line = text.get(from..bytes::line_end(text, from, LINE_BYTES));
        let length = line.unwrap_or_default().iter().position(|b| b == quote);
        to = length.map_or(to, |length| from + length);
    }
    // In a protocol, `pass` and its value are the whole line. In a sentence, more text follows.
    let after = text.get(to..bytes::line_end(text, to, LINE_BYTES));
    let continues = after.is_some_and(|rest| rest.starts_with(b" "));
    if continues && bytes::has_at(anchor, anchor.len().saturating_sub(5), b"pass ") {
        return;
    }
    claim(context, from, to, Pattern::Password);
}

/// Claims the word after a directive with one argument. If it is a passphrase, claims its words up to the end of the
/// line.
fn argument(context: &mut Context<'_>, end: usize) {
    let text = context.bytes;
    let (mut from, mut to) = word_at(text, end);
    // `rootpw --plaintext …`
    for _ in 0..3 {
        if text.get(from..to).unwrap_or_default().starts_with(b"--") {
            (from, to) = word_at(text, to);
        }
    }
    let rest = text.get(to..bytes::line_end(text, to, LINE_BYTES));
    let rest = rest.unwrap_or_default().trim_ascii_end();
    let mut words = rest.split(|b| *b == b' ').skip(1);
    let is_phrase = rest.starts_with(b" ")
        && words.clone().count() <= 4
        && words.all(|word| bytes::all(word, bytes::ALNUM));
    let to = if is_phrase { to + rest.len() } else { to };
    claim(context, from, to, Pattern::Password);
}

/// Claims the second word in `net user name password` or `/user:name password`.
fn second(context: &mut Context<'_>, end: usize) {
    let text = context.bytes;
    let first = text
        .get(end..bytes::line_end(text, end, LINE_BYTES))
        .unwrap_or_default();
    let Some(gap) = first.iter().position(|b| *b == b' ') else {
        return;
    };
    let (from, to) = word_at(text, end + gap);
    let value = text.get(from..to).unwrap_or_default();
    let mapped = bytes::contains(line_before(text, end), b"net use ");
    let is_password = bytes::any(value, DIGIT) || mapped && value.len() >= 6;
    if gap > 0 && !matches!(bytes::at(value, 0), b'/' | b'*') && is_password {
        claim(context, from, to, Pattern::Password);
    }
}

/// Claims the text in `expect "password:"; send "…\r"`.
fn sent(context: &mut Context<'_>, start: usize, end: usize) {
    let text = context.bytes;
    let head = text.get(start.saturating_sub(160)..start);
    if !bytes::contains(head.unwrap_or_default(), b"assword") {
        return;
    }
    let line = text.get(end..bytes::line_end(text, end, LINE_BYTES));
    let line = line.unwrap_or_default();
    let quote = bytes::before(text, end);
    let length = line.iter().position(|b| *b == quote || *b == b'\\');
    claim(context, end, end + length.unwrap_or(0), Pattern::Password);
}

/// Claims the texts in `createUser name SHA "…" AES "…"`.
fn quoted(context: &mut Context<'_>, end: usize) {
    let text = context.bytes;
    let line = text.get(end..bytes::line_end(text, end, LINE_BYTES));
    let mut at = end;
    for (number, part) in line.unwrap_or_default().split(|b| *b == b'"').enumerate() {
        if number % 2 == 1 {
            claim(context, at, at + part.len(), Pattern::Password);
        }
        at += part.len() + 1;
    }
}

/// Claims the password in `echo 'password' | sudo -S` or `echo 'user:password' | chpasswd`.
fn echoed(context: &mut Context<'_>, start: usize) {
    let text = context.bytes;
    let line = line_before(text, start);
    let Some(at) = line.windows(5).rposition(|w| w == b"echo ") else {
        return;
    };
    let argument = start - line.len() + at + 5;
    let option = if bytes::has_at(text, argument, b"-n ") {
        3
    } else {
        0
    };
    let (from, to) = word_at(text, argument + option);
    let value = text.get(from..to.min(start)).unwrap_or_default();
    let user = value
        .iter()
        .position(|b| *b == b':')
        .map_or(0, |colon| colon + 1);
    claim(context, from + user, from + value.len(), Pattern::Password);
}

/// Returns the last word of the command at `from`, without its quotes.
pub(crate) fn last_word(text: &[u8], from: usize) -> Option<(usize, usize)> {
    let line = text.get(from..bytes::line_end(text, from, LINE_BYTES))?;
    let (mut at, mut last) = (0, None);
    while let Some(first) = line.get(at) {
        match first {
            b' ' | b'\t' | b'\r' => at += 1,
            b'|' | b'&' | b'\\' | b'>' | b';' => break,
            b'"' | b'\'' => {
                let inner = line.get(at + 1..)?;
                let Some(length) = inner.iter().position(|b| b == first) else {
                    break;
                };
                last = Some((from + at + 1, from + at + 1 + length));
                at += length + 2;
            }
            _ => {
                let stop = |b: &u8| b.is_ascii_whitespace() || b"\"|&\\".contains(b);
                let length = line.get(at..)?.iter().take_while(|b| !stop(b)).count();
                last = Some((from + at, from + at + length));
                at += length;
                if bytes::at(line, at) == b'"' {
                    break;
                }
            }
        }
    }
    last
}

/// Claims the password in `[smtp.example.com]:587 user@example.com:password`.
fn mail_login(context: &mut Context<'_>, end: usize) {
    let text = context.bytes;
    let (from, to) = word_at(text, end);
    let value = text.get(from..to).unwrap_or_default();
    let assigned = bytes::before(text, end) == b'=';
    let colon = value.iter().position(|b| *b == b':');
    let Some(colon) = colon.filter(|_| from > end || assigned) else {
        return;
    };
    if bytes::at(value, colon + 1) != b'/' {
        claim(context, from + colon + 1, to, Pattern::Password);
    }
}

/// Scans the rows of a table with the columns `Key` and `Value`.
fn table(context: &mut Context<'_>, start: usize) {
    let text = context.bytes;
    let head = line_before(text, start);
    let line_start = start - head.len();
    let above = line_before(text, line_start.saturating_sub(1));
    let mut titles = above
        .split(u8::is_ascii_whitespace)
        .filter(|t| !t.is_empty());
    let pair = titles.next() == Some(b"Key")
        && titles.next().is_some_and(|t| bytes::contains(t, b"value"));
    if !pair || titles.next().is_some() || !head.trim_ascii().is_empty() {
        return columns::scan(context, line_start, start);
    }
    let mut at = bytes::line_end(text, start, LINE_BYTES) + 1;
    for _ in 0..ROWS {
        let stop = bytes::line_end(text, at, LINE_BYTES);
        let row = text.get(at..stop).unwrap_or_default().trim_ascii_end();
        let name = bytes::run(row, 0, NAME, 96);
        let value = name
            + row
                .get(name..)
                .unwrap_or_default()
                .iter()
                .take_while(|b| **b == b' ')
                .count();
        if name == 0 || value < name + 2 {
            return;
        }
        let member = ((at, at + name), (at + value, at + row.len()));
        if let Some(pattern) = keyed::member_is_secret(text, member.0, member.1) {
            context.claim(member.1.0, member.1.1, pattern);
        }
        at = stop + 1;
    }
}

/// Claims the password in `host:5432:database:user:password`.
fn password_file(context: &mut Context<'_>, start: usize, end: usize) {
    let text = context.bytes;
    let line = text
        .get(end..bytes::line_end(text, end, LINE_BYTES))
        .unwrap_or_default();
    let mut colons = line
        .iter()
        .enumerate()
        .filter(|(_, b)| **b == b':')
        .map(|(at, _)| at);
    let (Some(_), Some(user)) = (colons.next(), colons.next()) else {
        return;
    };
    let host = line_before(text, start);
    // `arn:aws:logs:*:*:…` is not such a line.
    if bytes::at(text, start + 1) == b'*' && host.contains(&b':') {
        return;
    }
    let fields = line.get(..user).unwrap_or_default();
    // Any field but the password may be `*`.
    let plain = |part: &[u8]| {
        let field = |f: &[u8]| f == b"*" || bytes::all(f, NAME);
        part.split(|b| *b == b':').all(field)
    };
    let password = line.get(user + 1..).unwrap_or_default();
    let length = password.trim_ascii_end().len();
    // A colon in the password is escaped. So a line with more fields is not from a password file.
    let further = password
        .iter()
        .enumerate()
        .any(|(at, b)| *b == b':' && bytes::before(password, at) != b'\\');
    let words = password.trim_ascii_end().split(|b| *b == b' ');
    let is_phrase = words.clone().count() <= 4 && words.clone().all(|word| !word.is_empty());
    if is_phrase && !further && plain(host.trim_ascii_start()) && plain(fields) {
        claim(
            context,
            end + user + 1,
            end + user + 1 + length,
            Pattern::Password,
        );
    }
}
