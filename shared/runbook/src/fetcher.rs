//! Fetches runbooks: cache, candidate URLs, rate limits.

use std::sync::Arc;

use reqwest::header::{
    ACCEPT, AUTHORIZATION, CONTENT_TYPE, ETAG, HeaderMap, HeaderValue, IF_NONE_MATCH,
};
use tarsy_config::RunbookConfig;
use tarsy_egress::{
    Access, Client, Lookup, Policy, Response, SystemLookup, parse_url, secret_header,
};
use url::Url;

use crate::content::{Page, check_file, check_page};
use crate::github::{Candidate, authority, candidates, owner_of};
use crate::rate_limit::{RateLimits, wait_of};
use crate::repository::{Permission, Permissions};
use crate::{CachedRunbook, Error, RunbookCache, local};

/// Media type that makes GitHub's API return a file's raw content.
const RAW: &str = "application/vnd.github.raw+json";

/// A fetched runbook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Runbook {
    /// The text, as the server returned it.
    pub content: String,
    /// Its source: the URL, or `local:<name>`.
    pub source: String,
    /// Freshness of the content.
    pub freshness: Freshness,
}

/// Freshness of a runbook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Freshness {
    /// Fetched just now.
    Fetched,
    /// Cached, and the server confirmed that it has not changed.
    Unchanged,
    /// Cached, because the server failed for this reason.
    Stale(String),
}

/// Fetches runbooks. Create one per process, because it remembers rate-limited hosts.
pub struct RunbookFetcher {
    client: Client,
    config: RunbookConfig,
    cache: Arc<dyn RunbookCache>,
    limits: RateLimits,
    permissions: Permissions,
}

/// Result of requesting one candidate URL.
enum Answer {
    Found(Runbook),
    NotThere,
}

impl RunbookFetcher {
    /// Creates a fetcher. The process must have installed its TLS provider.
    ///
    /// # Errors
    ///
    /// [`Error::Egress`] when TLS can't be set up.
    pub fn new(config: &RunbookConfig, cache: Arc<dyn RunbookCache>) -> Result<Self, Error> {
        Self::with_lookup(config, cache, Arc::new(SystemLookup))
    }

    /// Like [`RunbookFetcher::new`], with another resolver.
    ///
    /// # Errors
    ///
    /// As [`RunbookFetcher::new`].
    pub fn with_lookup(
        config: &RunbookConfig,
        cache: Arc<dyn RunbookCache>,
        lookup: Arc<dyn Lookup>,
    ) -> Result<Self, Error> {
        let client = Client::new(policy_of(config), lookup)?;
        let has_token = config.github.iter().any(|server| server.token.is_some());
        if has_token && config.allowed_repositories.is_none() {
            tracing::info!(
                "`runbooks.allowed_repositories` is not set: the GitHub token is sent only to repositories that webhook sources name"
            );
        }
        Ok(Self {
            client,
            permissions: Permissions::new(config),
            config: config.clone(),
            cache,
            limits: RateLimits::default(),
        })
    }

    /// Fetches the runbook of an alert.
    ///
    /// # Errors
    ///
    /// The reason why the fetch failed; record [`Error::full_message`]. If the server fails temporarily and a cached
    /// copy exists, the copy is returned instead.
    pub async fn fetch(&self, runbook: &str) -> Result<Runbook, Error> {
        let runbook = runbook.trim();
        if let Some(name) = runbook.strip_prefix("local:") {
            let content = local::read(&self.config.local_dir, name, self.config.max_bytes).await?;
            check_file(&content)?;
            return Ok(Runbook {
                content,
                source: runbook.to_owned(),
                freshness: Freshness::Fetched,
            });
        }
        let url = parse_url(runbook)?;
        let candidates = self.permitted(candidates(&url, &self.config.github)?)?;
        let limit = self.config.timeout;
        let tried = tokio::time::timeout(limit, self.try_all(&candidates)).await;
        match tried.unwrap_or(Err(Error::Timeout(limit))) {
            Err(error) if error.is_temporary() => {
                self.cached_copy(&candidates, &error).await.ok_or(error)
            }
            result => result,
        }
    }

    /// Removes candidates that are not allowed. Without a token, candidates of the API are removed too if there are
    /// others. They would use up the small request quota, and the raw host finds the same files.
    fn permitted(&self, mut candidates: Vec<Candidate>) -> Result<Vec<Candidate>, Error> {
        let are_guesses = candidates.len() > 1;
        candidates.retain(
            |candidate| match self.permissions.permission(&candidate.url) {
                Permission::WithToken => true,
                Permission::Anonymous => !(are_guesses && candidate.api),
                Permission::Refused => false,
            },
        );
        match candidates.is_empty() {
            true => Err(Error::RepositoryNotAllowed),
            false => Ok(candidates),
        }
    }

    async fn try_all(&self, candidates: &[Candidate]) -> Result<Runbook, Error> {
        for candidate in candidates {
            if let Answer::Found(runbook) = self.try_one(candidate).await? {
                return Ok(runbook);
            }
        }
        let with_token = candidates
            .iter()
            .any(|candidate| self.token(&candidate.url).is_some());
        Err(Error::NotFound { with_token })
    }

    async fn try_one(&self, candidate: &Candidate) -> Result<Answer, Error> {
        let host = authority(&candidate.url);
        if let Some(retry_after) = self.limits.wait(&host) {
            return Err(Error::RateLimited { host, retry_after });
        }
        let kept = self.cached(&candidate.url).await;
        let response = self
            .client
            .get(candidate.url.clone(), |url| {
                self.headers(url, candidate, kept.as_ref())
            })
            .await?;
        // A renamed or transferred repository redirects to another one.
        if self.permissions.permission(&response.url) == Permission::Refused {
            return Err(Error::RepositoryNotAllowed);
        }
        let status = response.status.as_u16();
        let answered_by = authority(&response.url);
        if let Some(retry_after) = wait_of(status, &response.headers) {
            self.limits.set(&host, retry_after);
            return Err(Error::RateLimited {
                host: answered_by,
                retry_after,
            });
        }
        match (status, kept) {
            (200, _) if candidate.api && is_listing(&response.headers) => Ok(Answer::NotThere),
            (200, _) => self.found(candidate, response).await.map(Answer::Found),
            (304, Some(kept)) => Ok(Answer::Found(Runbook {
                content: kept.content,
                source: candidate.url.to_string(),
                freshness: Freshness::Unchanged,
            })),
            (404 | 410, _) => Ok(Answer::NotThere),
            (401 | 403, _) => Err(Error::Refused {
                status,
                host: answered_by,
            }),
            _ => Err(Error::Status {
                host: answered_by,
                status,
            }),
        }
    }

    async fn found(&self, candidate: &Candidate, response: Response) -> Result<Runbook, Error> {
        let etag = response
            .headers
            .get(ETAG)
            .and_then(|value| value.to_str().ok())
            .map(str::to_owned);
        let content = local::text_of(response.body)?;
        let host = authority(&response.url);
        check_page(
            &content,
            &Page::new(&host, response.url.path(), &response.headers),
        )?;
        check_file(&content)?;
        if let Some(etag) = etag {
            let entry = CachedRunbook {
                etag,
                content: content.clone(),
            };
            if let Err(error) = self.cache.put(candidate.url.as_str(), &entry).await {
                tracing::warn!(error, "failed to cache the runbook");
            }
        }
        Ok(Runbook {
            content,
            source: candidate.url.to_string(),
            freshness: Freshness::Fetched,
        })
    }

    /// Returns a cached copy of any of the candidates.
    async fn cached_copy(&self, candidates: &[Candidate], why: &Error) -> Option<Runbook> {
        for candidate in candidates {
            if let Some(kept) = self.cached(&candidate.url).await {
                let freshness = Freshness::Stale(why.full_message());
                return Some(Runbook {
                    content: kept.content,
                    source: candidate.url.to_string(),
                    freshness,
                });
            }
        }
        None
    }

    /// Returns the cached copy of a URL. Returns `None` if this server's token may not be sent for the URL, because the
    /// copy may have been fetched with the token under another configuration.
    async fn cached(&self, url: &Url) -> Option<CachedRunbook> {
        let server = owner_of(url, &self.config.github);
        if server.is_some_and(|server| server.token.is_some()) && self.token(url).is_none() {
            return None;
        }
        let kept = self.cache.get(url.as_str()).await.unwrap_or_else(|error| {
            tracing::warn!(error, "failed to read the runbook cache");
            None
        });
        // Earlier versions also cached pages and pointers.
        kept.filter(|kept| {
            let page = Page {
                host: "",
                path: url.path(),
                kind: "",
            };
            check_page(&kept.content, &page)
                .and_then(|()| check_file(&kept.content))
                .is_ok()
        })
    }

    /// Returns the token of the GitHub server of a URL, if the token may be used for its repository.
    fn token(&self, url: &Url) -> Option<&str> {
        if self.permissions.permission(url) != Permission::WithToken {
            return None;
        }
        Some(owner_of(url, &self.config.github)?.token.as_ref()?.expose())
    }

    /// Returns the headers for one request. The token is sent only to its own GitHub server, the `ETag` only for its
    /// own URL.
    fn headers(&self, hop: &Url, candidate: &Candidate, kept: Option<&CachedRunbook>) -> HeaderMap {
        let mut headers = HeaderMap::new();
        let accept = if candidate.api {
            RAW
        } else {
            "text/markdown, text/plain, */*;q=0.5"
        };
        headers.insert(ACCEPT, HeaderValue::from_static(accept));
        if let Some(token) = self.token(hop)
            && let Ok(value) = secret_header(&format!("Bearer {token}"))
        {
            headers.insert(AUTHORIZATION, value);
        }
        if let Some(kept) = kept
            && let Ok(value) = HeaderValue::from_str(&kept.etag)
        {
            headers.insert(IF_NONE_MATCH, value);
        }
        headers
    }
}

/// Returns the allowed hosts: GitHub servers with their raw and API hosts, and the configured hosts.
fn policy_of(config: &RunbookConfig) -> Policy {
    let mut policy = Policy::bounded(config.timeout, config.max_bytes);
    let github = config.github.iter().flat_map(|server| {
        let www = format!("www.{}", server.host);
        [
            Some(server.host.clone()),
            Some(www),
            server.raw_host.clone(),
            server.api_host(),
        ]
    });
    for host in github.flatten().chain(config.allowed_hosts.iter().cloned()) {
        let access = Access {
            private: config.private_hosts.contains(&host),
            http: config.http_hosts.contains(&host),
        };
        policy = policy.allow(&host, access);
    }
    policy
}

/// Whether GitHub's API returned the listing of a directory. It does so even if raw content was requested.
fn is_listing(headers: &HeaderMap) -> bool {
    let kind = headers
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok());
    kind.is_some_and(|kind| kind.starts_with("application/json"))
}
