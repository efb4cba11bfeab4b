//! Fetching runbooks from servers that respond as GitHub does, and from servers that misbehave.

#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests, outside of test functions"
)]

mod repositories;

use std::collections::HashMap;
use std::error::Error as StdError;
use std::net::IpAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use tarsy_config::{Config, Environment, RunbookConfig, Source};
use tarsy_egress::Lookup;
use tarsy_runbook::{CachedRunbook, Error, Freshness, NoCache, RunbookCache, RunbookFetcher};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

/// A server that responds by path, and counts and records requests.
#[derive(Clone, Default)]
struct Server {
    answers: Arc<Mutex<HashMap<String, String>>>,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Server {
    async fn start(&self) -> u16 {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let this = self.clone();
        tokio::spawn(async move {
            while let Ok((mut socket, _)) = listener.accept().await {
                let mut buffer = vec![0; 8192];
                let n = socket.read(&mut buffer).await.unwrap_or(0);
                let request = String::from_utf8_lossy(&buffer[..n]).into_owned();
                let path = request.split(' ').nth(1).unwrap_or_default().to_owned();
                let answer = this.answers.lock().unwrap().get(&path).cloned();
                this.requests.lock().unwrap().push(request);
                let answer = answer.unwrap_or_else(|| response("404 Not Found", "", ""));
                let _ = socket.write_all(answer.as_bytes()).await;
            }
        });
        port
    }

    fn answer(&self, path: &str, status: &str, headers: &str, body: &str) {
        self.answers
            .lock()
            .unwrap()
            .insert(path.to_owned(), response(status, headers, body));
    }

    fn requests(&self) -> Vec<String> {
        std::mem::take(&mut *self.requests.lock().unwrap())
    }

    fn paths(&self) -> Vec<String> {
        self.requests()
            .iter()
            .map(|request| request.split(' ').nth(1).unwrap().to_owned())
            .collect()
    }
}

fn response(status: &str, headers: &str, body: &str) -> String {
    format!(
        "HTTP/1.1 {status}\r\n{headers}Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
}

/// Resolves every name to this machine.
struct Loopback;

#[async_trait]
impl Lookup for Loopback {
    async fn addresses(&self, _: &str) -> std::io::Result<Vec<IpAddr>> {
        Ok(vec!["127.0.0.1".parse().unwrap()])
    }
}

#[derive(Default)]
struct Memory(Mutex<HashMap<String, CachedRunbook>>);

#[async_trait]
impl RunbookCache for Memory {
    async fn get(
        &self,
        url: &str,
    ) -> Result<Option<CachedRunbook>, Box<dyn StdError + Send + Sync>> {
        Ok(self.0.lock().unwrap().get(url).cloned())
    }

    async fn put(
        &self,
        url: &str,
        runbook: &CachedRunbook,
    ) -> Result<(), Box<dyn StdError + Send + Sync>> {
        self.0
            .lock()
            .unwrap()
            .insert(url.to_owned(), runbook.clone());
        Ok(())
    }
}

/// Configures a GitHub Enterprise server `ghe.test` with a token, and a plain host `docs.test`. Both are at `port` and
/// without TLS. Every repository is allowed.
fn config(port: u16, more: &str) -> RunbookConfig {
    config_without_list(port, &format!("  allowed_repositories: ['*/*']\n{more}"))
}

fn config_without_list(port: u16, more: &str) -> RunbookConfig {
    let hosts = format!("[\"ghe.test:{port}\", \"docs.test:{port}\"]");
    let text = format!(
        "runbooks:
  allowed_hosts: [\"docs.test:{port}\"]
  private_hosts: {hosts}
  http_hosts: {hosts}
  github_enterprise:
    - {{host: \"ghe.test:{port}\", api_url: \"http://ghe.test:{port}/api/v3\", token_env: GHE_TOKEN}}
{more}"
    );
    let env = Environment::from_pairs([
        ("GHE_TOKEN", "ghe-canary"),
        ("GITHUB_TOKEN", "github-canary"),
    ]);
    let source = Source::Text {
        name: "test".to_owned(),
        text,
    };
    Config::load(&source, &env)
        .unwrap_or_else(|problems| panic!("{problems}"))
        .runbooks
}

fn fetcher(config: &RunbookConfig, cache: Arc<dyn RunbookCache>) -> RunbookFetcher {
    let _ = rustls::crypto::ring::default_provider().install_default();
    RunbookFetcher::with_lookup(config, cache, Arc::new(Loopback)).unwrap()
}

#[tokio::test]
async fn a_branch_with_slashes_is_found_and_the_token_is_sent_to_its_own_server_only() {
    let server = Server::default();
    let port = server.start().await;
    server.answer(
        "/api/v3/repos/o/r/contents/ops/a.md?ref=fix/bug",
        "200 OK",
        "Content-Type: application/vnd.github.raw+json\r\n",
        "# Steps\n  indented <kept>\n",
    );
    let runbooks = fetcher(&config(port, ""), Arc::new(NoCache));

    let runbook = runbooks
        .fetch(&format!(
            "http://ghe.test:{port}/o/r/blob/fix/bug/ops/a.md#L1"
        ))
        .await
        .unwrap();
    assert_eq!(
        (runbook.content.as_str(), runbook.freshness),
        ("# Steps\n  indented <kept>\n", Freshness::Fetched)
    );
    let requests = server.requests();
    assert_eq!(requests.len(), 2, "{requests:?}");
    assert!(
        requests
            .iter()
            .all(|r| r.contains("authorization: Bearer ghe-canary")
                && r.contains("application/vnd.github.raw+json"))
    );

    server.answer("/a.md", "200 OK", "", "plain");
    runbooks
        .fetch(&format!("http://docs.test:{port}/a.md"))
        .await
        .unwrap();
    assert!(
        server
            .requests()
            .iter()
            .all(|request| !request.contains("canary"))
    );
}

#[tokio::test]
async fn a_redirect_takes_no_token_along() {
    let server = Server::default();
    let port = server.start().await;
    server.answer(
        "/api/v3/repos/o/r/contents/a.md?ref=main",
        "302 Found",
        &format!("Location: http://docs.test:{port}/a.md\r\n"),
        "",
    );
    server.answer("/a.md", "200 OK", "", "moved");
    let runbook = fetcher(&config(port, ""), Arc::new(NoCache))
        .fetch(&format!("http://ghe.test:{port}/o/r/blob/main/a.md"))
        .await
        .unwrap();
    assert_eq!(runbook.content, "moved");
    let requests = server.requests();
    assert!(
        requests[0].contains("ghe-canary") && !requests[1].contains("canary"),
        "{requests:?}"
    );
}

#[tokio::test]
async fn an_unchanged_runbook_is_not_sent_again_and_an_old_one_is_better_than_none() {
    let server = Server::default();
    let port = server.start().await;
    let url = format!("http://docs.test:{port}/a.md");
    let runbooks = fetcher(&config(port, ""), Arc::new(Memory::default()));
    server.answer("/a.md", "200 OK", "ETag: \"v1\"\r\n", "one");
    assert_eq!(
        runbooks.fetch(&url).await.unwrap().freshness,
        Freshness::Fetched
    );

    server.answer("/a.md", "304 Not Modified", "", "");
    let again = runbooks.fetch(&url).await.unwrap();
    assert_eq!(
        (again.content.as_str(), again.freshness),
        ("one", Freshness::Unchanged)
    );
    assert!(server.requests()[1].contains("if-none-match: \"v1\""));

    server.answer("/a.md", "502 Bad Gateway", "", "");
    let stale = runbooks.fetch(&url).await.unwrap();
    assert_eq!(stale.content, "one");
    assert!(matches!(stale.freshness, Freshness::Stale(why) if why.contains("502")));

    server.answer("/a.md", "404 Not Found", "", "");
    assert!(
        matches!(runbooks.fetch(&url).await, Err(Error::NotFound { .. })),
        "what is gone is not served from memory"
    );
}

#[tokio::test]
async fn a_rate_limit_is_kept_to() {
    let server = Server::default();
    let port = server.start().await;
    let reset = "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\nX-RateLimit-Remaining: 0\r\nX-RateLimit-Reset: 784111877\r\n";
    server.answer(
        "/api/v3/repos/o/r/contents/a.md?ref=main",
        "403 Forbidden",
        reset,
        "",
    );
    let runbooks = fetcher(&config(port, ""), Arc::new(NoCache));
    let url = format!("http://ghe.test:{port}/o/r/blob/main/a.md");
    let error = runbooks.fetch(&url).await.unwrap_err();
    assert!(
        matches!(error, Error::RateLimited { retry_after, .. } if retry_after == Duration::from_secs(100)),
        "{error:?}"
    );
    assert_eq!(server.paths().len(), 1);
    assert!(matches!(
        runbooks.fetch(&url).await,
        Err(Error::RateLimited { .. })
    ));
    assert_eq!(
        server.paths().len(),
        0,
        "nobody is asked before the time is up"
    );
}

#[tokio::test]
async fn what_is_no_runbook_is_refused_with_a_reason_and_without_a_token() {
    let server = Server::default();
    let port = server.start().await;
    server.answer("/big.md?t=canary", "200 OK", "", &"x".repeat(101));
    server.answer("/gzip.md", "200 OK", "Content-Encoding: gzip\r\n", "abc");
    server.answer("/nul.md", "200 OK", "", "a\0b");
    server.answer("/private.md", "401 Unauthorized", "", "");
    server.answer("/broken.md", "500 Internal Server Error", "", "");
    server.answer(
        "/api/v3/repos/o/r/contents/dir?ref=main",
        "200 OK",
        "Content-Type: application/json; charset=utf-8\r\n",
        "[]",
    );
    let runbooks = fetcher(&config(port, "  max_bytes: 100\n"), Arc::new(NoCache));
    for (runbook, expected) in [
        (
            format!("http://docs.test:{port}/big.md?t=canary"),
            "larger than 100 bytes",
        ),
        (format!("http://docs.test:{port}/gzip.md"), "compressed"),
        (format!("http://docs.test:{port}/nul.md"), "not text"),
        (
            format!("http://docs.test:{port}/private.md"),
            "denied access to the runbook (401)",
        ),
        (
            format!("http://docs.test:{port}/broken.md"),
            "returned HTTP 500",
        ),
        (format!("http://docs.test:{port}/none.md"), "404"),
        (format!("http://ghe.test:{port}/o/r/tree/main/dir"), "404"),
        (
            format!("http://ghe.test:{port}/o/r"),
            "does not name a file",
        ),
        (
            "https://github.com/o/r/blob/main/a.md".to_owned(),
            "not public",
        ),
        (format!("http://other.test:{port}/a.md"), "not allowed"),
        (format!("http://docs.test:{}/a.md", port ^ 1), "not allowed"),
        (
            "http://github.com/o/r/blob/main/a.md".to_owned(),
            "`http` is not allowed",
        ),
        (
            format!("https://canary:canary@docs.test:{port}/a.md"),
            "credentials",
        ),
        ("not a url".to_owned(), "invalid URL"),
        ("ftp://docs.test/a.md".to_owned(), "invalid URL"),
    ] {
        let message = runbooks.fetch(&runbook).await.unwrap_err().full_message();
        assert!(
            message.contains(expected) && !message.contains("canary"),
            "{runbook}: {message}"
        );
    }
    assert!(
        server
            .requests()
            .iter()
            .all(|request| !request.contains("github-canary"))
    );
}

#[tokio::test]
async fn local_runbooks_come_from_their_folder_and_from_nowhere_else() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("runbooks");
    std::fs::create_dir_all(root.join("storage")).unwrap();
    std::fs::write(root.join("disk-full.md"), "\u{feff}free some").unwrap();
    std::fs::write(root.join("storage/raid.md"), "swap the disk").unwrap();
    std::fs::write(root.join("big.md"), "x".repeat(200)).unwrap();
    std::fs::write(folder.path().join("secret.md"), "canary").unwrap();
    std::os::unix::fs::symlink(folder.path().join("secret.md"), root.join("link.md")).unwrap();
    let more = format!("  max_bytes: 100\n  local_dir: {}\n", root.display());
    let runbooks = fetcher(&config(1, &more), Arc::new(NoCache));
    let read = async |name: &str| {
        runbooks
            .fetch(&format!("local:{name}"))
            .await
            .map(|r| r.content)
    };
    assert_eq!(read("disk-full").await.unwrap(), "free some");
    assert_eq!(read("disk-full.md").await.unwrap(), "free some");
    assert_eq!(read("storage/raid").await.unwrap(), "swap the disk");
    let outside = folder.path().join("secret.md").display().to_string();
    for name in [
        "../secret",
        "../secret.md",
        "storage/../../secret",
        &outside,
        "link",
        "",
        ".",
        "storage",
        "a\\b",
        "none",
        "big",
        "a\nb",
    ] {
        assert!(read(name).await.is_err(), "{name:?}");
    }
}

#[tokio::test]
async fn what_replaces_a_runbook_is_an_error_that_explains_what_to_do() {
    let server = Server::default();
    let port = server.start().await;
    let sign_in =
        "<!DOCTYPE html><html><form action=/login><input type=\"password\"></form></html>";
    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n";
    let html = "Content-Type: text/html\r\n";
    server.answer("/login", "200 OK", html, sign_in);
    server.answer(
        "/sso.md",
        "302 Found",
        &format!("Location: http://docs.test:{port}/login\r\n"),
        "",
    );
    server.answer(
        "/o/r/-/blob/main/a.md",
        "200 OK",
        html,
        "<!DOCTYPE html><html>Disk</html>",
    );
    server.answer("/lfs.md", "200 OK", "", pointer);
    server.answer("/link.md", "200 OK", "", "../shared/disk.md");
    let runbooks = fetcher(&config(port, ""), Arc::new(NoCache));
    for (path, expected) in [
        ("sso.md", "sign-in page; use a URL"),
        ("o/r/-/blob/main/a.md", "link to the raw text"),
        ("lfs.md", "git lfs untrack"),
        ("link.md", "link to the file that it points to"),
    ] {
        let fetched = runbooks
            .fetch(&format!("http://docs.test:{port}/{path}"))
            .await;
        let error = fetched.expect_err(path).full_message();
        assert!(error.contains(expected), "{path}: {error}");
    }
}

#[tokio::test]
async fn an_older_copy_replaces_a_sign_in_page() {
    let server = Server::default();
    let port = server.start().await;
    let url = format!("http://docs.test:{port}/a.md");
    let cache = Arc::new(Memory::default());
    let runbooks = fetcher(
        &config(port, ""),
        Arc::clone(&cache) as Arc<dyn RunbookCache>,
    );
    server.answer("/a.md", "200 OK", "ETag: \"v1\"\r\n", "# Disk");
    runbooks.fetch(&url).await.unwrap();
    let page = "<html><input type=password></html>";
    server.answer("/a.md", "200 OK", "ETag: \"v2\"\r\n", page);
    let runbook = runbooks.fetch(&url).await.unwrap();
    assert_eq!(runbook.content, "# Disk");
    assert!(
        matches!(runbook.freshness, Freshness::Stale(_)),
        "{runbook:?}"
    );
    // A page that an earlier version cached does not count as a copy.
    let kept = CachedRunbook {
        etag: "\"v3\"".to_owned(),
        content: page.to_owned(),
    };
    cache.put(&url, &kept).await.unwrap();
    assert!(runbooks.fetch(&url).await.is_err());
}
