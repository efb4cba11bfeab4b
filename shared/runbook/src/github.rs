//! Maps the URL of a GitHub page to the URLs of the file that it shows.

use tarsy_config::GitHubHost;
use url::Url;

use crate::Error;

/// A candidate URL of a runbook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Candidate {
    pub(crate) url: Url,
    /// Whether it is a URL of GitHub's API, which needs a header to return raw content.
    pub(crate) api: bool,
}

/// Maximum number of path segments tried as the ref.
const MAX_REF_SEGMENTS: usize = 4;

/// Returns the candidate URLs of a runbook, in the order to try them.
///
/// The URL of a GitHub page, `/<owner>/<repo>/blob/<ref>/<path>` (or `tree`, `raw`, `blame`), does not show where the
/// ref ends, because names of branches may contain slashes. GitHub's raw host usually finds out by itself. If not, the
/// ref is tried as a branch and as a tag. With a token, the API is also tried with one, two, .. segments as the ref.
/// Raw and other URLs stay as they are. Fragments are removed, because browsers never send them.
///
/// # Errors
///
/// [`Error::NotAFile`] for a GitHub page that does not show a file.
pub(crate) fn candidates(url: &Url, github: &[GitHubHost]) -> Result<Vec<Candidate>, Error> {
    let mut url = url.clone();
    url.set_fragment(None);
    let host = authority(&url);
    let bare = host.strip_prefix("www.").unwrap_or(&host);
    match github.iter().find(|server| server.host == bare) {
        Some(server) => page(&url, server),
        None => {
            let api = github
                .iter()
                .any(|server| server.api_host().as_deref() == Some(host.as_str()));
            Ok(vec![Candidate { url, api }])
        }
    }
}

/// Returns the GitHub server that a URL belongs to.
pub(crate) fn owner_of<'a>(url: &Url, github: &'a [GitHubHost]) -> Option<&'a GitHubHost> {
    let host = authority(url);
    github.iter().find(|server| {
        server.host == host
            || host.strip_prefix("www.") == Some(&server.host)
            || server.raw_host.as_deref() == Some(&host)
            || server.api_host().as_deref() == Some(&host)
    })
}

/// Returns `host`, or `host:port` if the port is not the scheme's default.
pub(crate) fn authority(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    url.port()
        .map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

fn page(url: &Url, server: &GitHubHost) -> Result<Vec<Candidate>, Error> {
    let not_a_file = || Error::NotAFile(server.host.clone());
    // An Enterprise server has its API under the host of its pages.
    if url.path().starts_with("/api/v3/") {
        return Ok(vec![Candidate {
            url: url.clone(),
            api: true,
        }]);
    }
    let segments: Vec<&str> = url.path_segments().into_iter().flatten().collect();
    let [owner, repo, "blob" | "tree" | "raw" | "blame", rest @ ..] = segments.as_slice() else {
        return Err(not_a_file());
    };
    let (qualifier, rest) = match rest {
        ["refs", kind @ ("heads" | "tags"), rest @ ..] => (Some(*kind), rest),
        rest => (None, rest),
    };
    if owner.is_empty() || repo.is_empty() || rest.len() < 2 || rest.iter().any(|s| s.is_empty()) {
        return Err(not_a_file());
    }
    let guesses = guesses(qualifier, rest);
    let raw = raw_urls(
        url,
        server,
        &format!("{owner}/{repo}"),
        qualifier,
        rest,
        guesses > 1,
    );
    let api = api_urls(server, &format!("{owner}/{repo}"), rest, guesses);
    // On an Enterprise server, only the API is certain to accept a token. So it comes first.
    let urls: Vec<Candidate> = match server.raw_host {
        Some(_) => raw.into_iter().chain(api).collect(),
        None => api.into_iter().chain(raw).collect(),
    };
    if urls.is_empty() {
        Err(not_a_file())
    } else {
        Ok(urls)
    }
}

/// Returns how many leading segments may belong to the ref. A commit id is one segment.
fn guesses(qualifier: Option<&str>, rest: &[&str]) -> usize {
    let is_commit = |s: &str| s.len() == 40 && s.bytes().all(|b| b.is_ascii_hexdigit());
    if qualifier.is_none() && rest.first().is_some_and(|first| is_commit(first)) {
        return 1;
    }
    (rest.len() - 1).min(MAX_REF_SEGMENTS)
}

fn raw_urls(
    url: &Url,
    server: &GitHubHost,
    repo: &str,
    qualifier: Option<&str>,
    rest: &[&str],
    ambiguous: bool,
) -> Vec<Candidate> {
    let scheme = url.scheme();
    let base = match &server.raw_host {
        Some(raw) => format!("{scheme}://{raw}/{repo}"),
        None => format!("{scheme}://{}/raw/{repo}", server.host),
    };
    let path = rest.join("/");
    let refs: &[&str] = match (qualifier, ambiguous) {
        (Some("tags"), _) => &["/refs/tags"],
        (Some(_), _) => &["/refs/heads"],
        (None, true) => &["", "/refs/heads", "/refs/tags"],
        (None, false) => &[""],
    };
    let parsed = refs
        .iter()
        .filter_map(|of| Url::parse(&format!("{base}{of}/{path}")).ok());
    parsed.map(|url| Candidate { url, api: false }).collect()
}

fn api_urls(server: &GitHubHost, repo: &str, rest: &[&str], guesses: usize) -> Vec<Candidate> {
    if server.token.is_none() {
        return Vec::new();
    }
    // Escapes in a path are also valid in a query, but these three characters must be escaped in addition.
    let in_query = |text: &str| {
        text.replace('&', "%26")
            .replace('+', "%2B")
            .replace('=', "%3D")
    };
    let url = |split: usize| {
        let (reference, path) = rest.split_at(split);
        let reference = in_query(&reference.join("/"));
        let text = format!(
            "{}/repos/{repo}/contents/{}?ref={reference}",
            server.api_url,
            path.join("/")
        );
        Url::parse(&text).ok()
    };
    (1..=guesses)
        .filter_map(url)
        .map(|url| Candidate { url, api: true })
        .collect()
}

#[cfg(test)]
mod tests {
    use tarsy_config::{GitHubHost, Secret};
    use tarsy_egress::parse_url;

    use super::candidates;

    fn hosts(token: bool) -> Vec<GitHubHost> {
        let host = |host: &str, raw: Option<&str>, api: &str| GitHubHost {
            host: host.to_owned(),
            raw_host: raw.map(str::to_owned),
            api_url: api.to_owned(),
            token_env: "T".to_owned(),
            token: token.then(|| Secret::new("t")),
        };
        vec![
            host(
                "github.com",
                Some("raw.githubusercontent.com"),
                "https://api.github.com",
            ),
            host("git.example.com", None, "https://git.example.com/api/v3"),
        ]
    }

    fn urls(url: &str, token: bool) -> Option<Vec<String>> {
        let found = candidates(&parse_url(url).unwrap(), &hosts(token)).ok()?;
        Some(
            found
                .iter()
                .map(|candidate| candidate.url.to_string())
                .collect(),
        )
    }

    #[test]
    fn the_first_candidate_is_the_raw_file_of_the_page() {
        const SHA: &str = "0123456789abcdef0123456789abcdef01234567";
        let raw = "https://raw.githubusercontent.com";
        let table = [
            (
                "https://github.com/o/r/blob/main/a.md",
                format!("{raw}/o/r/main/a.md"),
            ),
            (
                "https://github.com/o/r/tree/main/k8s/a.md",
                format!("{raw}/o/r/main/k8s/a.md"),
            ),
            (
                "https://github.com/o/r/raw/main/a.md",
                format!("{raw}/o/r/main/a.md"),
            ),
            (
                "https://github.com/o/r/blame/main/a.md",
                format!("{raw}/o/r/main/a.md"),
            ),
            (
                "https://www.github.com/o/r/blob/main/a.md",
                format!("{raw}/o/r/main/a.md"),
            ),
            (
                "https://GitHub.com/o/r/blob/main/a.md",
                format!("{raw}/o/r/main/a.md"),
            ),
            (
                "https://github.com./o/r/blob/main/a.md",
                format!("{raw}/o/r/main/a.md"),
            ),
            (
                "https://github.com/o/r/blob/v1.2.3/dir%20x/a.md",
                format!("{raw}/o/r/v1.2.3/dir%20x/a.md"),
            ),
            (
                "https://github.com/o/r/blob/feature%23123/a.md",
                format!("{raw}/o/r/feature%23123/a.md"),
            ),
            (
                "https://github.com/o/r/blob/fix/bug/docs/a.md",
                format!("{raw}/o/r/fix/bug/docs/a.md"),
            ),
            (
                "https://github.com/o/r/blob/main/a.md?plain=1",
                format!("{raw}/o/r/main/a.md"),
            ),
            (
                "https://github.com/o/r/blob/main/a.md#L3-L9",
                format!("{raw}/o/r/main/a.md"),
            ),
            (
                "https://github.com/o/r/blob/refs/heads/main/a.md",
                format!("{raw}/o/r/refs/heads/main/a.md"),
            ),
            (
                "https://github.com/o/r/blob/refs/tags/v1/a.md",
                format!("{raw}/o/r/refs/tags/v1/a.md"),
            ),
            (
                "https://github.com/o/r/blob/main/ünï.md",
                format!("{raw}/o/r/main/%C3%BCn%C3%AF.md"),
            ),
            (
                "https://raw.githubusercontent.com/o/r/main/a.md?token=x",
                format!("{raw}/o/r/main/a.md?token=x"),
            ),
            (
                "https://git.example.com/o/r/blob/main/a.md",
                "https://git.example.com/raw/o/r/main/a.md".to_owned(),
            ),
            (
                "https://docs.example.com/a.md#top",
                "https://docs.example.com/a.md".to_owned(),
            ),
            (
                "https://evil.example/?x=github.com/o/r/blob/m/f",
                "https://evil.example/?x=github.com/o/r/blob/m/f".to_owned(),
            ),
        ];
        for (url, expected) in table {
            assert_eq!(urls(url, false).unwrap()[0], expected, "{url}");
        }
        let commit = format!("https://github.com/o/r/blob/{SHA}/a/b/c.md");
        assert_eq!(
            urls(&commit, false).unwrap(),
            [format!("{raw}/o/r/{SHA}/a/b/c.md")]
        );
    }

    #[test]
    fn where_a_branch_may_end_every_split_is_tried_in_order() {
        assert_eq!(
            urls("https://github.com/o/r/blob/fix/a+b/c.md", true).unwrap(),
            [
                "https://raw.githubusercontent.com/o/r/fix/a+b/c.md",
                "https://raw.githubusercontent.com/o/r/refs/heads/fix/a+b/c.md",
                "https://raw.githubusercontent.com/o/r/refs/tags/fix/a+b/c.md",
                "https://api.github.com/repos/o/r/contents/a+b/c.md?ref=fix",
                "https://api.github.com/repos/o/r/contents/c.md?ref=fix/a%2Bb",
            ]
        );
        assert_eq!(
            urls("https://git.example.com/o/r/blob/main/a.md", true).unwrap(),
            [
                "https://git.example.com/api/v3/repos/o/r/contents/a.md?ref=main",
                "https://git.example.com/raw/o/r/main/a.md",
            ]
        );
    }

    #[test]
    fn pages_that_are_no_file_are_refused() {
        for url in [
            "https://github.com",
            "https://github.com/o",
            "https://github.com/o/r",
            "https://github.com/o/r/blob",
            "https://github.com/o/r/blob/main",
            "https://github.com/o/r/blob/main/",
            "https://github.com/o/r/blob/refs/heads/main",
            "https://github.com//r/blob/main/a.md",
            "https://github.com/o/r/issues/1",
            "https://github.com/o/r/blob/main/../../../x",
        ] {
            assert_eq!(urls(url, true), None, "{url}");
        }
    }
}
