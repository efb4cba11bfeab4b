//! Sources of runbooks.

use std::path::PathBuf;
use std::time::Duration;

use serde::Serialize;

use crate::Secret;
use crate::fields::{Field, Fields, Length, Required, Text, Texts, Variable, Whole, section};
use crate::settings::Environment;

section! {
    /// Allowed sources of runbooks.
    struct RunbooksFields("Runbooks") {
        /// Allowed hosts besides GitHub, as `host` or `host:port`.
        allowed_hosts: Texts,
        /// GitHub Enterprise servers.
        github_enterprise: Vec<GitHubFields>,
        /// Allowed GitHub repositories, as `owner/name`; `*` matches any characters. Default: all.
        allowed_repositories: Texts,
        /// Allowed hosts that may have private addresses.
        private_hosts: Texts,
        /// Allowed hosts that are called without TLS. For tests only.
        http_hosts: Texts,
        /// Directory of `local:<name>` runbooks. Default: config/runbooks.
        local_dir: Text,
        /// Maximum duration of a fetch, including redirects. Default: 10s.
        timeout: Length,
        /// Maximum size of a runbook, in bytes. Default: 1048576.
        max_bytes: Whole<1, { 64 * 1024 * 1024 }, usize>,
    }
}

section! {
    /// A GitHub Enterprise server.
    struct GitHubFields("GitHub", "server") {
        /// Host of the web pages, e.g. `git.example.com`.
        host: Required<Text>,
        /// Name of the environment variable with the server's token.
        token_env: Required<Variable>,
        /// Host of raw files, if different.
        raw_host: Text,
        /// Base URL of the REST API. Default: https://<host>/api/v3.
        api_url: Text,
    }
}

/// The `runbooks` section.
#[derive(Clone, Debug, Serialize)]
pub struct RunbookConfig {
    /// Hosts besides GitHub's from which runbooks are fetched over https, in lower case, as `host` or `host:port`.
    pub allowed_hosts: Vec<String>,
    /// github.com and the GitHub Enterprise servers.
    pub github: Vec<GitHubHost>,
    /// Repositories on any host of `github` from which runbooks are fetched, as globs of `owner/name`. Tokens are sent
    /// for no other repository. `None`: every repository is allowed, but a token is sent only for those of `named`.
    pub allowed_repositories: Option<Vec<RepositoryGlob>>,
    /// Runbooks that the configuration itself names in the `runbook` of webhook sources.
    pub named: Vec<String>,
    /// Allowed hosts that may resolve to private addresses.
    pub private_hosts: Vec<String>,
    /// Allowed hosts that are called without TLS; for tests.
    pub http_hosts: Vec<String>,
    /// Directory from which `local:<name>` is read. Default `config/runbooks`.
    pub local_dir: PathBuf,
    /// Longest fetch, including redirects. Default 10 s.
    pub timeout: Duration,
    /// Largest runbook in bytes. Default 1 MiB.
    pub max_bytes: usize,
}

/// github.com or a GitHub Enterprise server.
#[derive(Clone, Debug, Serialize)]
pub struct GitHubHost {
    /// Host of its pages, e.g. `github.com`.
    pub host: String,
    /// Host of its raw files, if it is a different one.
    pub raw_host: Option<String>,
    /// Base URL of its REST API, e.g. `https://api.github.com`.
    pub api_url: String,
    /// Environment variable of its token.
    pub token_env: String,
    /// The token. It is sent only to this server's hosts.
    pub token: Option<Secret>,
}

impl RunbookConfig {
    /// Returns the defaults: only github.com is allowed, with `GITHUB_TOKEN`.
    pub(crate) fn usual(env: &Environment) -> Self {
        let github = GitHubHost {
            host: "github.com".to_owned(),
            raw_host: Some("raw.githubusercontent.com".to_owned()),
            api_url: "https://api.github.com".to_owned(),
            token_env: "GITHUB_TOKEN".to_owned(),
            token: token("GITHUB_TOKEN", env),
        };
        Self {
            allowed_hosts: Vec::new(),
            allowed_repositories: None,
            named: Vec::new(),
            github: vec![github],
            private_hosts: Vec::new(),
            http_hosts: Vec::new(),
            local_dir: PathBuf::from("config/runbooks"),
            timeout: Duration::from_secs(10),
            max_bytes: 1024 * 1024,
        }
    }

    pub(crate) fn read(fields: &Fields<'_>) -> Self {
        let usual = Self::usual(fields.context().env);
        let keys = RunbooksFields::FIELDS;
        let mut github = usual.github;
        for section in fields.get(keys.github_enterprise).into_iter().flatten() {
            github.extend(GitHubHost::read(&section));
        }
        Self {
            allowed_hosts: hosts(fields, keys.allowed_hosts),
            github,
            allowed_repositories: repositories(fields),
            named: Vec::new(),
            private_hosts: hosts(fields, keys.private_hosts),
            http_hosts: hosts(fields, keys.http_hosts),
            local_dir: fields
                .string(keys.local_dir)
                .map_or(usual.local_dir, PathBuf::from),
            timeout: fields.get(keys.timeout).unwrap_or(usual.timeout),
            max_bytes: fields.get(keys.max_bytes).unwrap_or(usual.max_bytes),
        }
    }
}

/// Glob of a repository, `owner/name`. In both parts `*` stands for any characters. Case is ignored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct RepositoryGlob(String);

impl RepositoryGlob {
    /// Whether the repository matches.
    #[must_use]
    pub fn matches(&self, owner: &str, name: &str) -> bool {
        let (of_owner, of_name) = self.0.split_once('/').unwrap_or_default();
        is_like(of_owner.as_bytes(), owner.to_ascii_lowercase().as_bytes())
            && is_like(of_name.as_bytes(), name.to_ascii_lowercase().as_bytes())
    }
}

impl std::str::FromStr for RepositoryGlob {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let is_part = |part: &str| {
            let allowed =
                |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-' | b'*');
            !part.is_empty() && part.bytes().all(allowed)
        };
        let (owner, name) = text.split_once('/').ok_or(())?;
        (is_part(owner) && is_part(name))
            .then(|| Self(text.to_ascii_lowercase()))
            .ok_or(())
    }
}

/// Whether a text matches a glob. It backtracks only to the last `*`, so no glob makes it slow.
fn is_like(glob: &[u8], text: &[u8]) -> bool {
    let (mut at_glob, mut at_text) = (0, 0);
    let mut last: Option<(usize, usize)> = None;
    while at_text < text.len() {
        match (glob.get(at_glob), last) {
            (Some(b'*'), _) => {
                last = Some((at_glob, at_text));
                at_glob += 1;
            }
            (Some(wanted), _) if text.get(at_text) == Some(wanted) => {
                at_glob += 1;
                at_text += 1;
            }
            (_, Some((star, taken))) => {
                last = Some((star, taken + 1));
                at_glob = star + 1;
                at_text = taken + 1;
            }
            (_, None) => return false,
        }
    }
    glob.iter().skip(at_glob).all(|byte| *byte == b'*')
}

fn repositories(fields: &Fields<'_>) -> Option<Vec<RepositoryGlob>> {
    let field = RunbooksFields::FIELDS.allowed_repositories;
    let texts = fields.get(field)?;
    let mut globs = Vec::new();
    for text in &texts {
        match text.value().parse() {
            Ok(glob) => globs.push(glob),
            Err(()) => fields.context().report(
                text.at,
                format!("`{field}`: invalid repository `{}`", text.shown()),
                Some("expected `owner/name`; `*` matches any characters, e.g. `acme/*`".to_owned()),
            ),
        }
    }
    Some(globs)
}

impl GitHubHost {
    /// Returns the host of its REST API, with the port if it is not the scheme's default.
    #[must_use]
    pub fn api_host(&self) -> Option<String> {
        let url = url::Url::parse(&self.api_url).ok()?;
        let host = url.host_str()?.to_owned();
        Some(
            url.port()
                .map_or_else(|| host.clone(), |port| format!("{host}:{port}")),
        )
    }

    fn read(fields: &Fields<'_>) -> Option<Self> {
        let keys = GitHubFields::FIELDS;
        let host = fields.require(
            keys.host,
            "it is the host of the pages, e.g. `git.example.com`",
        );
        let raw_host = fields.get(keys.raw_host);
        let api_url = fields.url(keys.api_url, &["https", "http"]);
        let token_env = fields.require(
            keys.token_env,
            "set it to the variable with this server's token; github.com's token is never sent to it",
        );
        let host = host_name(fields, keys.host.name(), &host?)?;
        let token_env = token_env.unwrap_or_else(|| "GITHUB_TOKEN".to_owned());
        Some(Self {
            raw_host: raw_host.and_then(|text| host_name(fields, keys.raw_host.name(), &text)),
            api_url: api_url.map_or_else(
                || format!("https://{host}/api/v3"),
                |text| text.value().trim_end_matches('/').to_owned(),
            ),
            token: token(&token_env, fields.context().env),
            token_env,
            host,
        })
    }
}

/// Returns the token, unless it is one of the placeholders in example files.
fn token(name: &str, env: &Environment) -> Option<Secret> {
    const PLACEHOLDERS: [&str; 3] = ["your_github_token_here", "your_token", "placeholder"];
    env.value(name)
        .filter(|value| !PLACEHOLDERS.contains(value))
        .map(Secret::new)
}

fn hosts(fields: &Fields<'_>, field: Field<Texts>) -> Vec<String> {
    let texts = fields.get(field).unwrap_or_default();
    texts
        .iter()
        .filter_map(|text| host_name(fields, field.name(), text))
        .collect()
}

/// Returns `host` or `host:port` in the normalized spelling of parsed URLs.
fn host_name(fields: &Fields<'_>, key: &str, text: &Text) -> Option<String> {
    let url = url::Url::parse(&format!("https://{}/", text.value())).ok();
    let parsed =
        url.filter(|url| url.path() == "/" && url.username().is_empty() && url.query().is_none());
    let name = parsed.and_then(|url| {
        let host = url.host_str()?.trim_end_matches('.').to_owned();
        Some(
            url.port()
                .map_or_else(|| host.clone(), |port| format!("{host}:{port}")),
        )
    });
    if name.is_none() {
        let hint = "expected `host` or `host:port`, without scheme or path".to_owned();
        fields.context().report(
            text.at,
            format!("`{key}`: invalid host `{}`", text.shown()),
            Some(hint),
        );
    }
    name
}

#[cfg(test)]
mod tests {
    use super::RepositoryGlob;

    #[test]
    fn a_glob_matches_repositories_regardless_of_case() {
        for (glob, owner, name, expected) in [
            ("acme/runbooks", "Acme", "Runbooks", true),
            ("acme/runbooks", "acme", "runbooks2", false),
            ("acme/*", "acme", "anything", true),
            ("acme/*", "acme-evil", "anything", false),
            ("*/runbooks", "anybody", "runbooks", true),
            ("acme/*-docs-*", "acme", "x-docs-docs-y", true),
            ("acme/*-docs", "acme", "x-docs-y", false),
            ("a*b*c/x", "aXbYbZc", "x", true),
            ("a*b*c/x", "ac", "x", false),
        ] {
            let parsed: RepositoryGlob = glob.parse().unwrap();
            assert_eq!(
                parsed.matches(owner, name),
                expected,
                "{glob} {owner}/{name}"
            );
        }
        for bad in [
            "",
            "acme",
            "acme/",
            "/x",
            "a/b/c",
            "a b/c",
            "https://github.com/a/b",
            "a%2f/b",
        ] {
            assert!(bad.parse::<RepositoryGlob>().is_err(), "{bad}");
        }
    }
}
