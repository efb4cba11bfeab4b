//! Redacts command lines and URLs. Secrets belong in the environment, but one that is written into the file anyway is
//! not shown.

use std::sync::LazyLock;

use tarsy_masking::{DEFAULT_GROUP, Masker, WITHHELD};

use crate::Resolved;

const HIDDEN: &str = "[secret]";

/// Last words of names whose values are secrets.
const SECRET_NAMES: [&str; 15] = [
    "token",
    "password",
    "passwd",
    "passphrase",
    "pwd",
    "pass",
    "secret",
    "key",
    "credential",
    "credentials",
    "auth",
    "authorization",
    "cookie",
    "bearer",
    "dsn",
];

static MASKER: LazyLock<Option<Masker>> = LazyLock::new(|| Masker::group(DEFAULT_GROUP));

/// Redacts the arguments of a program for display. Their values stay as they are.
///
/// It hides the values of flags and variables that are named like secrets (`--token x`, `--api-key=x`, `API_KEY=x`),
/// credentials and query values in URLs, and anything that looks like a secret. A value that consists of only a
/// template stays readable.
pub(crate) fn arguments(arguments: Vec<Resolved>) -> Vec<Resolved> {
    let mut follows_secret_flag = false;
    let redact = |argument: Resolved| {
        let written = argument.shown();
        let shown = if follows_secret_flag && !written.starts_with("--") {
            hidden(written)
        } else {
            match written.split_once('=') {
                Some((name, value)) if is_secret(name) => format!("{name}={}", hidden(value)),
                _ => anything(written),
            }
        };
        follows_secret_flag = written.starts_with('-') && is_secret(written);
        Resolved::new(shown, argument.value())
    };
    arguments.into_iter().map(redact).collect()
}

/// Redacts the credentials and the query values of a URL for display.
pub(crate) fn address(address: Resolved) -> Resolved {
    Resolved::new(anything(address.shown()), address.value())
}

fn anything(written: &str) -> String {
    let shown = match written.split_once("://") {
        Some((scheme, rest)) => format!("{scheme}://{}", after_scheme(rest)),
        None => written.to_owned(),
    };
    MASKER.as_ref().map_or_else(
        || WITHHELD.to_owned(),
        |masker| masker.mask_or_withhold(&shown),
    )
}

fn after_scheme(rest: &str) -> String {
    let (path, fragment) = rest.split_once('#').unwrap_or((rest, ""));
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let (authority, path) = path.split_at(path.find('/').unwrap_or(path.len()));
    let mut shown = match authority.rsplit_once('@') {
        Some((credentials, host)) => format!("{}@{host}{path}", hidden(credentials)),
        None => format!("{authority}{path}"),
    };
    for (number, pair) in query.split('&').filter(|pair| !pair.is_empty()).enumerate() {
        shown.push(if number == 0 { '?' } else { '&' });
        match pair.split_once('=') {
            Some((name, value)) => shown.push_str(&format!("{name}={}", hidden(value))),
            None => shown.push_str(&hidden(pair)),
        }
    }
    if !fragment.is_empty() {
        shown.push('#');
        shown.push_str(&hidden(fragment));
    }
    shown
}

/// Hides a value, unless it is a template. A template names the variable of a secret, not the secret.
fn hidden(value: &str) -> String {
    let is_template = value
        .strip_prefix("${")
        .and_then(|rest| rest.strip_suffix('}'))
        .is_some_and(|name| !name.contains(['{', '}', ':']));
    if is_template { value } else { HIDDEN }.to_owned()
}

/// Whether this is the name of a secret: `--token`, `api_key`, `GITHUB_TOKEN`, `--apiKey`; but `--token-file` names a
/// file.
fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let last = name.rsplit(['-', '_', '.', ' ']).next().unwrap_or_default();
    SECRET_NAMES.iter().any(|secret| last.ends_with(secret))
}

#[cfg(test)]
mod tests {
    use super::{address, arguments};
    use crate::Resolved;

    #[test]
    fn arguments_are_shown_without_their_secrets() {
        for (written, shown) in [
            ("--token hunter2 -v", "--token [secret] -v"),
            ("--api-key=hunter2", "--api-key=[secret]"),
            (
                "run -e GITHUB_TOKEN=hunter2 image",
                "run -e GITHUB_TOKEN=[secret] image",
            ),
            (
                "--apiKey hunter2 --port 8080",
                "--apiKey [secret] --port 8080",
            ),
            ("--token ${TOKEN}", "--token ${TOKEN}"),
            ("--token ${TOKEN:-hunter2}", "--token [secret]"),
            ("--password --verbose", "--password --verbose"),
            ("--token-file /run/token", "--token-file /run/token"),
            (
                "postgres://u:hunter2@db/x?sslmode=require",
                "postgres://[secret]@db/x?sslmode=[secret]",
            ),
            (
                "ghp_0123456789abcdefghijABCDEFGHIJ012345",
                "[MASKED_GITHUB_TOKEN]",
            ),
            (
                "-y kubernetes-mcp-server@latest",
                "-y kubernetes-mcp-server@latest",
            ),
        ] {
            let words = written.split(' ').map(Resolved::from).collect();
            let redacted = arguments(words);
            let words: Vec<_> = redacted.iter().map(Resolved::shown).collect();
            assert_eq!(words.join(" "), shown);
            let values: Vec<_> = redacted.iter().map(Resolved::value).collect();
            assert_eq!(values.join(" "), written, "what is meant stays");
        }
    }

    #[test]
    fn addresses_are_shown_without_credentials_and_query() {
        for (written, shown) in [
            (
                "https://u:p@host/mcp?key=hunter2&a#b",
                "https://[secret]@host/mcp?key=[secret]&[secret]#[secret]",
            ),
            ("https://host/a@b?key=${KEY}", "https://host/a@b?key=${KEY}"),
            ("https://host:8080/mcp", "https://host:8080/mcp"),
        ] {
            assert_eq!(address(Resolved::from(written)).shown(), shown);
        }
    }
}
