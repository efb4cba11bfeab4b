//! The guarded HTTP client: GET and POST.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use reqwest::header::{ACCEPT_ENCODING, CONTENT_ENCODING, HeaderMap, HeaderValue, LOCATION};
use reqwest::{Method, StatusCode, redirect};
use url::{Host, Url};

use crate::lookup::Guard;
use crate::proxies::Proxies;
use crate::{Access, Error, Lookup, Policy, SystemLookup, parse_url};

/// An HTTP client restricted by a [`Policy`].
#[derive(Clone)]
pub struct Client {
    /// Client for hosts that must have public addresses.
    outside: reqwest::Client,
    /// Client for hosts that may have private addresses, by host and port.
    inside: reqwest::Client,
    /// Client for hosts that are called through a proxy.
    proxied: reqwest::Client,
    proxies: Proxies,
    lookup: Arc<dyn Lookup>,
    policy: Arc<Policy>,
}

/// A complete response.
#[derive(Clone, Debug)]
pub struct Response {
    /// Status of the last response, including error statuses.
    pub status: StatusCode,
    /// Headers.
    pub headers: HeaderMap,
    /// The whole body.
    pub body: Vec<u8>,
    /// URL of the last response.
    pub url: Url,
}

impl Client {
    /// Creates a client for a policy. The process must have installed its TLS provider.
    ///
    /// # Errors
    ///
    /// [`Error::Client`] if TLS can't be set up.
    pub fn new(policy: Policy, lookup: Arc<dyn Lookup>) -> Result<Self, Error> {
        // The HTTP client reads the same proxy variables as [`Proxies`].
        let proxied = builder().build().map_err(Error::Client)?;
        Self::with_proxies(policy, lookup, Proxies::from_environment(), proxied)
    }

    /// Creates a client that calls only the host of `url`, with these limits.
    ///
    /// # Errors
    ///
    /// See [`Client::new`].
    pub fn to_host_of(
        url: &Url,
        access: Access,
        timeout: Duration,
        max_bytes: usize,
    ) -> Result<Self, Error> {
        let policy = Policy::bounded(timeout, max_bytes).allow_host_of(url, access);
        Self::new(policy, Arc::new(SystemLookup))
    }

    fn with_proxies(
        policy: Policy,
        lookup: Arc<dyn Lookup>,
        proxies: Proxies,
        proxied: reqwest::Client,
    ) -> Result<Self, Error> {
        Ok(Self {
            outside: build(Arc::clone(&lookup), Some(policy.is_public))?,
            inside: build(Arc::clone(&lookup), None)?,
            proxied,
            proxies,
            lookup,
            policy: Arc::new(policy),
        })
    }

    /// Returns the client for this URL's level of access.
    async fn to(&self, url: &Url) -> Result<&reqwest::Client, Error> {
        let access = self.policy.check(url)?;
        if self.proxies.serve(url) {
            if !access.private {
                self.check_name(url).await?;
            }
            return Ok(&self.proxied);
        }
        Ok(if access.private {
            &self.inside
        } else {
            &self.outside
        })
    }

    /// Refuses a name with an address that is not public, before a proxy gets it. A name that can't be resolved here
    /// passes, because it is on the allow list. On a network with a proxy, external names often can't be resolved.
    async fn check_name(&self, url: &Url) -> Result<(), Error> {
        let Some(Host::Domain(name)) = url.host() else {
            return Ok(());
        };
        let resolving = self.lookup.addresses(name);
        let resolved = tokio::time::timeout(self.policy.timeout, resolving).await;
        let addresses = resolved.ok().and_then(Result::ok).unwrap_or_default();
        match addresses.iter().all(|ip| (self.policy.is_public)(*ip)) {
            true => Ok(()),
            false => Err(Error::PrivateAddress(name.to_owned())),
        }
    }

    /// Sends a GET and follows redirects within the policy. `headers_for` is called for each
    /// redirect, so a header meant for one host is not sent to another.
    ///
    /// # Errors
    ///
    /// [`Error`] if there is no response. A response with an error status is not an error.
    pub async fn get(
        &self,
        url: Url,
        headers_for: impl Fn(&Url) -> HeaderMap,
    ) -> Result<Response, Error> {
        let limit = self.policy.timeout;
        let followed = tokio::time::timeout(limit, self.follow(url, headers_for)).await;
        followed.unwrap_or(Err(Error::Timeout(limit)))
    }

    /// Sends a POST. A redirect is returned, not followed: the body is for this host only.
    ///
    /// # Errors
    ///
    /// See [`Client::get`].
    pub async fn post(
        &self,
        url: Url,
        headers: HeaderMap,
        body: String,
    ) -> Result<Response, Error> {
        self.send(Method::POST, url, headers, body).await
    }

    /// Sends a PUT. Redirects are handled as by [`Client::post`].
    ///
    /// # Errors
    ///
    /// See [`Client::get`].
    pub async fn put(&self, url: Url, headers: HeaderMap, body: String) -> Result<Response, Error> {
        self.send(Method::PUT, url, headers, body).await
    }

    async fn send(
        &self,
        method: Method,
        url: Url,
        mut headers: HeaderMap,
        body: String,
    ) -> Result<Response, Error> {
        let http = self.to(&url).await?;
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        let limit = self.policy.timeout;
        let work = async {
            let sent = http
                .request(method, url.clone())
                .headers(headers)
                .body(body)
                .send()
                .await;
            let response = sent.map_err(|error| classify(&url, error))?;
            self.read(url, response).await
        };
        tokio::time::timeout(limit, work)
            .await
            .unwrap_or(Err(Error::Timeout(limit)))
    }

    async fn follow(
        &self,
        mut url: Url,
        headers_for: impl Fn(&Url) -> HeaderMap,
    ) -> Result<Response, Error> {
        for _ in 0..=self.policy.max_redirects {
            let http = self.to(&url).await?;
            let mut headers = headers_for(&url);
            headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
            let sent = http.get(url.clone()).headers(headers).send().await;
            let response = sent.map_err(|error| classify(&url, error))?;
            let Some(next) = redirect_of(&response) else {
                return self.read(url, response).await;
            };
            let joined = url
                .join(&next)
                .map_err(|_| Error::InvalidUrl("invalid redirect target"))?;
            url = parse_url(joined.as_str())?;
        }
        Err(Error::TooManyRedirects(self.policy.max_redirects))
    }

    async fn read(&self, url: Url, mut response: reqwest::Response) -> Result<Response, Error> {
        let limit = self.policy.max_bytes;
        let encoding = response.headers().get(CONTENT_ENCODING);
        if encoding.is_some_and(|value| !value.as_bytes().eq_ignore_ascii_case(b"identity")) {
            return Err(Error::Compressed);
        }
        let mut body = Vec::new();
        while let Some(chunk) = response
            .chunk()
            .await
            .map_err(|error| classify(&url, error))?
        {
            if body.len() + chunk.len() > limit {
                return Err(Error::TooLarge(limit));
            }
            body.extend_from_slice(&chunk);
        }
        Ok(Response {
            status: response.status(),
            headers: response.headers().clone(),
            body,
            url,
        })
    }
}

fn build(
    lookup: Arc<dyn Lookup>,
    is_public: Option<fn(IpAddr) -> bool>,
) -> Result<reqwest::Client, Error> {
    builder()
        // A name that goes to a proxy was checked before. Other names are resolved and checked here, once.
        .no_proxy()
        .dns_resolver(Arc::new(Guard { lookup, is_public }))
        .build()
        .map_err(Error::Client)
}

/// Returns a builder with the settings that all clients share.
fn builder() -> reqwest::ClientBuilder {
    reqwest::Client::builder()
        // Disable decompression, no matter which features other crates enable.
        .no_gzip()
        .no_brotli()
        .no_deflate()
        .no_zstd()
        .redirect(redirect::Policy::none())
        .pool_max_idle_per_host(0)
        .user_agent(concat!("tarsy/", env!("CARGO_PKG_VERSION")))
}

/// Returns the target of a redirect response.
fn redirect_of(response: &reqwest::Response) -> Option<String> {
    if !matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308) {
        return None;
    }
    Some(response.headers().get(LOCATION)?.to_str().ok()?.to_owned())
}

/// Unwraps the error of the address guard from the HTTP client's error.
fn classify(url: &Url, error: reqwest::Error) -> Error {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(&error);
    while let Some(inner) = cause {
        match inner.downcast_ref::<Error>() {
            Some(Error::PrivateAddress(host)) => return Error::PrivateAddress(host.clone()),
            Some(Error::Lookup { host, source }) => {
                let source = std::io::Error::new(source.kind(), source.to_string());
                return Error::Lookup {
                    host: host.clone(),
                    source,
                };
            }
            _ => cause = inner.source(),
        }
    }
    let host = url.host_str().unwrap_or_default().to_owned();
    Error::Unreachable {
        host,
        source: error.without_url(),
    }
}

#[cfg(test)]
mod proxied_tests;
#[cfg(test)]
mod tests;
