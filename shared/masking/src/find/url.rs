//! Credentials in URLs and data source names.

use crate::bytes::{self, ALNUM, ALPHA, DASH, DIGIT, DOT, PLUS, UNDERSCORE};
use crate::context::Context;
use crate::judge::account;
use crate::judge::placeholder::is_placeholder;
use crate::pattern::Pattern;
use crate::shape;

/// Longest user-and-password part, in bytes.
const USERINFO_BYTES: usize = 512;

/// Longest `user:password` without a scheme, in bytes.
const LOGIN_BYTES: usize = 160;

/// Scans the URL whose `://` is at `start`.
pub(crate) fn scan(context: &mut Context<'_>, start: usize) {
    let text = context.bytes;
    let scheme_start = bytes::run_back(text, start, ALNUM | PLUS | DASH | DOT, 32);
    let scheme = text.get(scheme_start..start).unwrap_or_default();
    if !scheme.iter().any(|b| bytes::is(*b, ALPHA)) {
        return;
    }
    let from = start + 3;
    let Some(end) = userinfo_end(text, from) else {
        return;
    };
    let userinfo = text.get(from..end).unwrap_or_default();
    let colon = userinfo.iter().position(|b| *b == b':');
    let web = scheme
        .get(..4)
        .is_some_and(|s| s.eq_ignore_ascii_case(b"http"))
        || bytes::contains(scheme, b"git")
        || bytes::contains(scheme, b"ftp");
    let pattern = if web {
        Pattern::UrlCredentials
    } else {
        Pattern::ConnectionString
    };
    match colon {
        Some(_) => {
            login(context, from, end, pattern);
            further_hosts(context, end, pattern);
        }
        None if userinfo.len() >= 16
            && (shape::is_random(userinfo, 16)
                || shape::is_hex(userinfo)
                || shape::is_uuid(userinfo)) =>
        {
            context.claim(from, end, pattern)
        }
        None => {}
    }
}

/// Claims the password of the `user:password` at `from..end`.
fn login(context: &mut Context<'_>, from: usize, end: usize, pattern: Pattern) {
    let login = context.bytes.get(from..end).unwrap_or_default();
    let Some(colon) = login.iter().position(|b| *b == b':') else {
        return;
    };
    let password = login.get(colon + 1..).unwrap_or_default();
    if !password.is_empty() && !is_blank(password) {
        context.claim(from + account::password_start(login), end, pattern);
    }
}

/// Claims the passwords of the hosts after the first: `user:password@host:port,user:password@host`.
fn further_hosts(context: &mut Context<'_>, from: usize, pattern: Pattern) {
    let text = context.bytes;
    let rest = text.get(from..).unwrap_or_default();
    let length = rest
        .iter()
        .take(USERINFO_BYTES)
        .take_while(|b| !b.is_ascii_whitespace() && !b"\"'<>`\\/?#".contains(b))
        .count();
    let mut start = from;
    for host in rest.get(..length).unwrap_or_default().split(|b| *b == b',') {
        let at = host
            .iter()
            .rposition(|b| *b == b'@')
            .filter(|_| start > from);
        if let Some(at) = at {
            login(context, start, start + at, pattern);
        }
        start += host.len() + 1;
    }
}

/// Returns the position of the `@` in `user:password@host`.
fn userinfo_end(text: &[u8], from: usize) -> Option<usize> {
    let rest = text.get(from..)?;
    // Most URLs have no credentials, and their host ends soon.
    let host = bytes::run(rest, 0, ALNUM | DASH | DOT, USERINFO_BYTES);
    if matches!(
        bytes::at(rest, host),
        b'/' | b'"' | b'\'' | b'\n' | b' ' | b'?'
    ) {
        return None;
    }
    let reach = rest
        .iter()
        .take(USERINFO_BYTES)
        .take_while(|b| {
            !b.is_ascii_whitespace() && !matches!(b, b'"' | b'\'' | b'<' | b'>' | b'`' | b'\\')
        })
        .count();
    let reach = rest.get(..reach)?;
    let authority = reach
        .iter()
        .position(|b| matches!(b, b'/' | b'?' | b'#' | b','))
        .unwrap_or(reach.len());
    if let Some(at) = reach.get(..authority)?.iter().rposition(|b| *b == b'@') {
        return Some(from + at);
    }
    // A password may contain `/`, `?` or `#`. Then the text after the colon is not a port.
    let colon = reach.get(..authority)?.iter().position(|b| *b == b':')?;
    let port = reach.get(colon + 1..authority)?;
    if port.is_empty() || bytes::all(port, DIGIT) {
        return None;
    }
    reach
        .iter()
        .rposition(|b| *b == b'@')
        .filter(|at| *at > authority)
        .map(|at| from + at)
}

fn is_blank(password: &[u8]) -> bool {
    let simple = matches!(
        bytes::at(password, 0),
        b'$' | b'<' | b'{' | b'%' | b'*' | b'['
    );
    let hidden = password
        .iter()
        .all(|b| matches!(b, b'*' | b'x' | b'X' | b'.'));
    hidden
        || (simple && is_placeholder(password))
        || bytes::contains(password, b"[masked_")
        || bytes::contains(password, b"redacted")
        || bytes::has_at(password, 0, b"%s")
}

/// Scans `user:password@tcp(…` and `jdbc:oracle:thin:user/password@…`.
pub(crate) fn scan_dsn(context: &mut Context<'_>, start: usize, end: usize) {
    let text = context.bytes;
    if bytes::at(text, start) == b'@' {
        let head = text
            .get(start.saturating_sub(USERINFO_BYTES)..start)
            .unwrap_or_default();
        let length = head
            .iter()
            .rev()
            .take_while(|b| {
                !b.is_ascii_whitespace() && !matches!(b, b'"' | b'\'' | b'`' | b'=' | b'/' | b'\\')
            })
            .count();
        let from = bytes::after_escape(text, start - length).min(start);
        login(context, from, start, Pattern::ConnectionString);
    } else {
        let rest = text.get(end..).unwrap_or_default();
        let length = rest
            .iter()
            .take(USERINFO_BYTES)
            .take_while(|b| {
                bytes::is(**b, ALNUM | UNDERSCORE | DASH | DOT) || b"/!#$%^&*+~".contains(b)
            })
            .count();
        let userinfo = rest.get(..length).unwrap_or_default();
        let password = userinfo
            .splitn(2, |b| *b == b'/')
            .nth(1)
            .unwrap_or_default();
        if bytes::at(rest, length) == b'@' && !password.is_empty() && !is_blank(password) {
            let from = end + userinfo.len() - password.len();
            context.claim(from, end + length, Pattern::ConnectionString);
        }
    }
}

/// Scans `user:password@host:port` without a scheme. Its `@` is at `start`.
pub(crate) fn scan_login(context: &mut Context<'_>, start: usize) {
    let text = context.bytes;
    let host = bytes::run(text, start + 1, ALNUM | DASH | DOT | UNDERSCORE, 128);
    let port = bytes::run(text, host + 1, DIGIT, 6);
    let ported = bytes::at(text, host) == b':' && (2..=5).contains(&(port - host.min(port) - 1));
    if host < start + 3 || !ported || bytes::is(bytes::at(text, port), ALNUM) {
        return;
    }
    let head = text
        .get(start.saturating_sub(LOGIN_BYTES)..start)
        .unwrap_or_default();
    let length = head
        .iter()
        .rev()
        .take_while(|b| !b.is_ascii_whitespace() && !b"\"'`=/\\,<>()[]{}".contains(b))
        .count();
    let from = bytes::after_escape(text, start - length).min(start);
    let login = text.get(from..start).unwrap_or_default();
    let Some(colon) = login.iter().position(|b| *b == b':') else {
        return;
    };
    let kept = account::password_start(login);
    let (user, password) = (login.get(..colon), login.get(colon + 1..));
    let (user, password) = (user.unwrap_or_default(), password.unwrap_or_default());
    let named = bytes::any(user, ALPHA) && bytes::all(user, ALNUM | UNDERSCORE | DASH | DOT);
    if named
        && password.len() >= 2
        && !bytes::all(password, DIGIT)
        && !password.contains(&b':')
        && !is_blank(password)
        && !is_placeholder(password)
    {
        context.claim(from + kept, start, Pattern::ConnectionString);
    }
}
