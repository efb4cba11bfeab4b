//! Access rules of GitHub repositories and their tokens.
//!
//! The sender of an alert chooses the URL, but the token is the operator's. So each requested URL, including redirects,
//! is checked. If it is not clearly a file of a repository that the token is meant for, it is requested without the
//! token or not at all.

use tarsy_config::{GitHubHost, RunbookConfig};
use tarsy_egress::parse_url;
use url::Url;

use crate::github::{authority, candidates, owner_of};

/// Whether a URL may be requested, and with which token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Permission {
    /// With the token of its GitHub server, if that has one.
    WithToken,
    /// Without a token: the URL is on no GitHub server, or the token is not meant for it.
    Anonymous,
    Refused,
}

/// A repository by host and path; lower case.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Repository {
    host: String,
    owner: String,
    name: String,
}

/// Permissions from the configuration.
#[derive(Clone, Debug)]
pub(crate) struct Permissions {
    config: RunbookConfig,
    named: Vec<Repository>,
}

impl Permissions {
    pub(crate) fn new(config: &RunbookConfig) -> Self {
        let urls = config
            .named
            .iter()
            .filter_map(|named| parse_url(named).ok());
        let files = urls.filter_map(|url| candidates(&url, &config.github).ok());
        let named = files.flatten().filter_map(|file| {
            let server = owner_of(&file.url, &config.github)?;
            repositories_of(&file.url, server)
        });
        Self {
            named: named.flatten().collect(),
            config: config.clone(),
        }
    }

    /// Whether a URL may be requested, and with which token.
    pub(crate) fn permission(&self, url: &Url) -> Permission {
        let Some(server) = owner_of(url, &self.config.github) else {
            return Permission::Anonymous;
        };
        let repositories = repositories_of(url, server).unwrap_or_default();
        let all = |is_meant: &dyn Fn(&Repository) -> bool| {
            !repositories.is_empty() && repositories.iter().all(is_meant)
        };
        match &self.config.allowed_repositories {
            Some(globs) => {
                let is_allowed = |repository: &Repository| {
                    let mut globs = globs.iter();
                    globs.any(|glob| glob.matches(&repository.owner, &repository.name))
                };
                match all(&is_allowed) {
                    true => Permission::WithToken,
                    false => Permission::Refused,
                }
            }
            None if all(&|repository| self.named.contains(repository)) => Permission::WithToken,
            None => Permission::Anonymous,
        }
    }
}

/// Returns the repositories that a GitHub URL may refer to; `None` if that can't be determined.
fn repositories_of(url: &Url, server: &GitHubHost) -> Option<Vec<Repository>> {
    // Escaped dots, slashes and percent signs would change the path when they are unescaped.
    let path = url.path().to_ascii_lowercase();
    if ["%2e", "%2f", "%5c", "%25"]
        .iter()
        .any(|escape| path.contains(escape))
    {
        return None;
    }
    let segments: Vec<&str> = path.strip_prefix('/')?.split('/').collect();
    let host = authority(url);
    let is_page = host.strip_prefix("www.").unwrap_or(&host) == server.host;
    let found: Vec<(&str, &str)> = if server.raw_host.as_deref() == Some(&host) {
        vec![(segments.first()?, segments.get(1)?)]
    } else if let Some(rest) = below_the_api(&segments, &host, server) {
        match rest {
            ["repos", owner, name, "contents", ..] => vec![(owner, name)],
            _ => return None,
        }
    } else if is_page {
        of_page(&segments, server)
    } else {
        return None;
    };
    let is_name = |name: &str| {
        let allowed = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-');
        !name.is_empty() && name.bytes().all(allowed)
    };
    let repositories = found.into_iter().map(|(owner, name)| {
        (is_name(owner) && is_name(name)).then(|| Repository {
            host: server.host.clone(),
            owner: owner.to_owned(),
            name: name.to_owned(),
        })
    });
    repositories.collect()
}

/// Returns the path below the base of the REST API, if the URL is there.
fn below_the_api<'s, 'p>(
    segments: &'s [&'p str],
    host: &str,
    server: &GitHubHost,
) -> Option<&'s [&'p str]> {
    if server.api_host().as_deref() != Some(host) {
        return None;
    }
    let base = Url::parse(&server.api_url)
        .ok()?
        .path()
        .to_ascii_lowercase();
    let base: Vec<&str> = base.split('/').filter(|part| !part.is_empty()).collect();
    let rest = segments.get(base.len()..);
    rest.filter(|_| segments.starts_with(&base))
}

/// Returns the repositories that a page's path may refer to. Pages have paths like `/<owner>/<name>/raw/..`. On servers
/// without a host for raw files, there is also `/raw/<owner>/<name>/..`. A path that could be both returns two
/// repositories.
fn of_page<'p>(segments: &[&'p str], server: &GitHubHost) -> Vec<(&'p str, &'p str)> {
    let mut found = Vec::new();
    if let ["raw", owner, name, ..] = segments
        && server.raw_host.is_none()
    {
        found.push((*owner, *name));
    }
    if let [owner, name, "blob" | "tree" | "raw" | "blame", ..] = segments {
        found.push((*owner, *name));
    }
    found
}

#[cfg(test)]
mod tests {
    use tarsy_config::{Config, Environment, Source};

    use super::*;

    fn permissions(yaml: &str) -> Permissions {
        let text = format!(
            "{yaml}\nrunbooks:\n  github_enterprise: [{{host: git.example.com, token_env: GHE}}]\n"
        );
        let source = Source::Text {
            name: "test".to_owned(),
            text,
        };
        let environment =
            Environment::from_pairs([("GITHUB_TOKEN", "t"), ("GHE", "t"), ("OPENAI_API_KEY", "x")]);
        Permissions::new(&Config::load(&source, &environment).unwrap().runbooks)
    }

    fn with_globs(globs: &[&str]) -> Permissions {
        let mut permissions = permissions("");
        let globs = globs.iter().map(|glob| glob.parse().unwrap());
        permissions.config.allowed_repositories = Some(globs.collect());
        permissions
    }

    fn permission_of(permissions: &Permissions, url: &str) -> Permission {
        permissions.permission(&parse_url(url).unwrap())
    }

    #[test]
    fn only_files_of_allowed_repositories_are_requested() {
        let permissions = with_globs(&["acme/runbooks", "acme-*/docs"]);
        for url in [
            "https://github.com/acme/runbooks/raw/main/a.md",
            "https://github.com/Acme/RunBooks/blob/main/a.md",
            "https://raw.githubusercontent.com/acme/runbooks/main/a.md?token=x",
            "https://api.github.com/repos/acme/runbooks/contents/a.md?ref=main",
            "https://raw.githubusercontent.com/acme-sre/docs/main/a.md",
            "https://git.example.com/raw/acme/runbooks/main/a.md",
            "https://git.example.com/api/v3/repos/acme/runbooks/contents/a.md",
            "https://raw.githubusercontent.com/evil/x/../../acme/runbooks/main/a.md",
        ] {
            assert_eq!(
                permission_of(&permissions, url),
                Permission::WithToken,
                "{url}"
            );
        }
        for url in [
            "https://raw.githubusercontent.com/acme/private/main/a.md",
            "https://raw.githubusercontent.com/acme/runbooks/../private/main/a.md",
            "https://raw.githubusercontent.com/acme/runbooks/%2e%2e/private/main/a.md",
            "https://raw.githubusercontent.com/acme/runbooks/..%2fprivate/main/a.md",
            "https://raw.githubusercontent.com/acme/runbooks/..%5cprivate/main/a.md",
            "https://raw.githubusercontent.com/acme/runbooks/..%252fprivate/main/a.md",
            "https://raw.githubusercontent.com/acme%2frunbooks/x/main/a.md",
            "https://raw.githubusercontent.com//acme/runbooks/main/a.md",
            "https://api.github.com/user",
            "https://api.github.com/orgs/acme/repos",
            "https://api.github.com/search/code?q=password",
            "https://api.github.com/repositories/1/contents/a.md",
            "https://api.github.com/repos/acme/runbooks",
            "https://api.github.com/repos/acme/runbooks/actions/secrets",
            "https://api.github.com/repos/acme/runbooks/contents/../../private/contents/a.md",
            "https://github.com/acme/runbooks/issues/1",
            "https://git.example.com/raw/acme/private/main/a.md",
            "https://git.example.com/raw/acme/raw/acme/runbooks/a.md",
            "https://git.example.com/api/v3/users",
        ] {
            assert_eq!(
                permission_of(&permissions, url),
                Permission::Refused,
                "{url}"
            );
        }
        let elsewhere = "https://docs.example.com/acme/runbooks/a.md";
        assert_eq!(
            permission_of(&permissions, elsewhere),
            Permission::Anonymous
        );
    }

    #[test]
    fn with_no_list_the_token_is_for_what_the_configuration_names() {
        let permissions = permissions(
            "webhooks: {alertmanager: {runbook: {default: 'https://github.com/acme/runbooks/blob/main/a.md', annotations: [runbook_url]}}}",
        );
        for url in [
            "https://raw.githubusercontent.com/acme/runbooks/main/b.md",
            "https://api.github.com/repos/acme/runbooks/contents/b.md?ref=main",
        ] {
            assert_eq!(
                permission_of(&permissions, url),
                Permission::WithToken,
                "{url}"
            );
        }
        for url in [
            "https://raw.githubusercontent.com/acme/private/main/b.md",
            "https://api.github.com/user",
            // The same names on another server are another repository.
            "https://git.example.com/raw/acme/runbooks/main/b.md",
        ] {
            assert_eq!(
                permission_of(&permissions, url),
                Permission::Anonymous,
                "{url}"
            );
        }
    }
}
