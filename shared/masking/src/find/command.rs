//! Credentials on command lines.

use crate::bytes::{self, ALNUM, UPPER};
use crate::context::Context;
use crate::find::directive::last_word;
use crate::find::line::line_before;
use crate::judge::account;
use crate::judge::placeholder::{is_placeholder, is_word};
use crate::pattern::Pattern;
use crate::shape;

/// Longest part of a command line that is scanned, in bytes.
const LINE_BYTES: usize = 400;

/// Scans after the command or flag at `start..end`.
pub(crate) fn scan(context: &mut Context<'_>, start: usize, end: usize) {
    let text = context.bytes;
    let anchor = text.get(start..end).unwrap_or_default();
    let literal = bytes::has_at(anchor, 0, b"--from-literal");
    if !literal && (anchor.starts_with(b" -") || anchor.starts_with(b"--")) {
        return user(context, end);
    }
    if bytes::has_at(anchor, 0, b"identified by ") {
        let (from, to) = word(text, end);
        let value = text.get(from..to).unwrap_or_default();
        // Without quotes a word may be an id in a sentence.
        let is_password = from > end || is_odd(value) && is_sql(line_before(text, start));
        if is_password && value.len() >= 3 && !is_placeholder(value) {
            context.claim(from, to, Pattern::Password);
        }
        return;
    }
    let community = bytes::has_at(anchor, 0, b"snmp-")
        || [&b"snmp c"[..], b"snmp_c", b"{$snmp"]
            .iter()
            .any(|word| bytes::has_at(anchor, 0, word));
    let router: [&[u8]; 4] = [b"enable ", b"key-string ", b" key ", b"pac key "];
    if community || router.iter().any(|word| bytes::has_at(anchor, 0, word)) {
        return of_a_router(context, end, community);
    }
    if let Some((from, to)) = positional(text, anchor, end) {
        let value = text.get(from..to).unwrap_or_default();
        if value.len() >= 3 && !is_placeholder(value) && !is_word(value) {
            context.claim(from, to, Pattern::Password);
        }
        return;
    }
    let flags: &[&[u8]] = match anchor
        .get(..3)
        .unwrap_or_default()
        .to_ascii_lowercase()
        .as_slice()
    {
        b"ssh" if anchor.ends_with(b"gen ") => &[b" -N ", b" -P "],
        b"ssh" => &[b" -p"],
        b"mon" | b"az " | b"doc" | b"pod" | b"cql" | b"pse" => &[b" -p "],
        b"mos" => &[b" -P "],
        b"snm" => &[b" -A ", b" -X ", b" -c "],
        b"tac" | b"rad" => &[b" key "],
        b"xfr" => &[b" /p:"],
        b"rar" => &[b" -hp", b" -p"],
        b"htp" => &[],
        b"mys" => &[b" -p"],
        // Plugins of Nagios.
        b"che" => &[b" -p "],
        b"ipm" | b"sql" => &[b" -P "],
        b"ope" => &[b" -k ", b" pass:"],
        b"bee" => &[b" -p "],
        b"zip" => &[b" -P "],
        b"7z " => &[b" -p"],
        b"lda" if bytes::has_at(anchor, 0, b"ldapp") => &[b" -w ", b" -s ", b" -a "],
        b"lda" => &[b" -w "],
        b"smb" | b"rpc" | b"net" => &[b"%"],
        b"ide" => &[b" by "],
        _ => &[b" -a "],
    };
    let line = text
        .get(end - 1..bytes::line_end(text, end, LINE_BYTES))
        .unwrap_or_default();
    for flag in flags {
        let Some(at) = line
            .windows(flag.len())
            .position(|w| w == *flag || !bytes::any(flag, UPPER) && w.eq_ignore_ascii_case(flag))
        else {
            continue;
        };
        let from = end - 1 + at + flag.len();
        let from = if bytes::at(text, from) == b' '
            && anchor
                .first()
                .is_some_and(|b| b.eq_ignore_ascii_case(&b's'))
        {
            from + 1
        } else {
            from
        };
        let (from, to) = word(text, from);
        let value = text.get(from..to).unwrap_or_default();
        let known = *flag == b" -c " && is_community(value);
        if value.len() >= 3 && !is_placeholder(value) && !known {
            context.claim(from, to, Pattern::Password);
        }
    }
}

/// Tools of Oracle that take `user/password@database`.
const ORACLE: [&[u8]; 9] = [
    b"sqlplus ",
    b"impdp ",
    b"expdp ",
    b"sqlldr ",
    b"connect catalog ",
    b"connect target ",
    b"connect auxiliary ",
    b"rman target ",
    b"rman catalog ",
];

/// Returns the password that a command takes at a fixed position: `htpasswd -b file user password`,
/// `sqlplus user/password@db`, `chpasswd <<< user:password`, `kubectl create secret … --from-literal=name=value`.
fn positional(text: &[u8], anchor: &[u8], end: usize) -> Option<(usize, usize)> {
    let (from, to) = word(text, end);
    let value = text.get(from..to)?;
    let after = |mark: u8| {
        value
            .iter()
            .position(|b| *b == mark)
            .map(|at| from + at + 1)
    };
    if bytes::has_at(anchor, 0, b"htpasswd ") {
        return value.contains(&b'b').then(|| last_word(text, to)).flatten();
    }
    if bytes::has_at(anchor, 0, b"chpasswd ") {
        return Some((after(b':')?, to));
    }
    if let Some(tool) = ORACLE.iter().find(|tool| bytes::has_at(anchor, 0, tool)) {
        // `sqlplus -s user/…`, `sqlplus -L -S user/…`.
        let (_, to) = after_flags(text, from, to);
        let slash = text.get(from..to)?.iter().position(|b| *b == b'/')?;
        let password = text.get(from + slash + 1..to)?;
        let length = password.iter().position(|b| *b == b'@');
        let start = to - password.len();
        // `connect target kind/name` also occurs in sentences.
        let is_certain = length.is_some() || !tool.starts_with(b"connect");
        return is_certain.then(|| (start, start + length.unwrap_or(password.len())));
    }
    if !bytes::has_at(anchor, 0, b"--from-literal") {
        return None;
    }
    let head = text.get(end.saturating_sub(LINE_BYTES)..end)?;
    let value = after(b'=')?;
    // `--from-literal=name='value'`.
    let quoted = value == to && matches!(bytes::at(text, to), b'"' | b'\'');
    let user = [&b"user="[..], b"username="]
        .iter()
        .any(|name| bytes::has_at(text, from, name));
    (!user && bytes::contains(head, b" secret "))
        .then(|| if quoted { word(text, to) } else { (value, to) })
}

/// Returns the first word that is not a flag, starting with the word at `from..to`.
fn after_flags(text: &[u8], mut from: usize, mut to: usize) -> (usize, usize) {
    for _ in 0..4 {
        if bytes::at(text, from) != b'-' || bytes::at(text, to) != b' ' {
            break;
        }
        (from, to) = word(text, to + 1);
    }
    (from, to)
}

/// Whether a community string is well known or very short.
fn is_community(value: &[u8]) -> bool {
    value.len() < 4 || [&b"public"[..], b"private", b"secret"].contains(&value)
}

/// Claims the secret in `enable secret 5 value` or `snmp-server community value RO`. The number of an encryption type
/// may precede it.
fn of_a_router(context: &mut Context<'_>, from: usize, community: bool) {
    let text = context.bytes;
    let numbered =
        bytes::is(bytes::at(text, from), bytes::DIGIT) && bytes::at(text, from + 1) == b' ';
    let (from, to) = word(text, if numbered { from + 2 } else { from });
    let value = text.get(from..to).unwrap_or_default();
    let is_password = if community {
        !is_community(value)
    } else {
        value.len() >= 6 && bytes::any(value, bytes::DIGIT)
    };
    if is_password && !is_placeholder(value) {
        context.claim(from, to, Pattern::Password);
    }
}

/// Claims the password in `curl -u user:password`.
fn user(context: &mut Context<'_>, from: usize) {
    let text = context.bytes;
    let gap = text.get(from..).unwrap_or_default();
    let from = from + gap.iter().take(8).take_while(|b| **b == b' ').count();
    let (from, to) = word(text, from);
    let value = text.get(from..to).unwrap_or_default();
    if value.starts_with(b"<") && value.ends_with(b">") || value.windows(2).any(|w| w == b"::") {
        return;
    }
    let quote = |at: usize| matches!(bytes::at(text, at), b'"' | b'\'');
    // `user:'password'` and `"user":"password"`: the shell joins parts that are quoted separately.
    let apart = if value.ends_with(b":") && quote(to) && !quote(from.wrapping_sub(1)) {
        Some(to)
    } else if quote(to) && bytes::at(text, to + 1) == b':' && quote(to + 2) {
        Some(to + 2)
    } else {
        None
    };
    if let Some(open) = apart {
        let (from, to) = word(text, open);
        if is_password(text.get(from..to).unwrap_or_default()) {
            context.claim(from, to, Pattern::AuthHeader);
        }
        return;
    }
    let Some(colon) = value.iter().position(|b| *b == b':') else {
        // `lftp -u user,password`.
        let head = text.get(from.saturating_sub(24)..from).unwrap_or_default();
        let comma = value.iter().position(|b| *b == b',');
        if let Some(comma) = comma.filter(|_| bytes::contains(head, b"lftp "))
            && is_password(value.get(comma + 1..).unwrap_or_default())
        {
            context.claim(from + comma + 1, to, Pattern::Password);
        }
        return;
    };
    let (user, password) = (value.get(..colon), value.get(colon + 1..));
    let (user, password) = (user.unwrap_or_default(), password.unwrap_or_default());
    // `curl -u key:`: the user's name is the key.
    let keyed = password.is_empty()
        && user.len() >= 10
        && (is_mixed(user)
            || shape::is_random(user, 16)
            || shape::is_hex(user)
            || shape::is_uuid(user))
        && is_password(user);
    if keyed || !user.contains(&b'/') && is_password(password) {
        let kept = if keyed {
            0
        } else {
            account::password_start(value)
        };
        context.claim(from + kept, to, Pattern::AuthHeader);
    }
}

/// Whether the second half of `user:password` is not a port, a placeholder, or a word that stands for a password.
fn is_password(value: &[u8]) -> bool {
    value.len() >= 3
        && !bytes::all(value, bytes::DIGIT)
        && !is_placeholder(value)
        && !is_word(value)
        && value != b"test"
        && !value.starts_with(b"//")
}

/// Whether the line before `identified by` is a statement that sets a password.
fn is_sql(line: &[u8]) -> bool {
    let line = line.to_ascii_lowercase();
    [&b"create "[..], b"alter ", b"grant ", b"set password"]
        .iter()
        .any(|verb| bytes::contains(&line, verb))
}

/// Whether a value in an SQL statement has both letters and digits.
fn is_odd(value: &[u8]) -> bool {
    bytes::any(value, bytes::ALPHA) && bytes::any(value, bytes::DIGIT)
}

/// Whether a value has lower-case letters, upper-case letters and digits.
fn is_mixed(value: &[u8]) -> bool {
    [bytes::LOWER, bytes::UPPER, bytes::DIGIT]
        .into_iter()
        .all(|class| bytes::any(value, class))
}

/// Returns the shell word at `from`, without its quotes.
fn word(text: &[u8], from: usize) -> (usize, usize) {
    let quote = bytes::at(text, from);
    let rest = |at: usize| text.get(at..).unwrap_or_default().iter().take(LINE_BYTES);
    if matches!(quote, b'"' | b'\'') {
        let length = rest(from + 1)
            .take_while(|b| **b != quote && **b != b'\n')
            .count();
        return (from + 1, from + 1 + length);
    }
    let length = rest(from)
        .take_while(|b| !b.is_ascii_whitespace() && !matches!(b, b'"' | b'\'' | b'`' | b'\\'))
        .count();
    let glued = bytes::is(bytes::at(text, from), ALNUM) || length > 0;
    (from, if glued { from + length } else { from })
}
