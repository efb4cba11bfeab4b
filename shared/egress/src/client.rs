//! The guarded HTTP client: GET and POST.

use std::net::IpAddr;
use std::sync::Arc;

use reqwest::header::{ACCEPT_ENCODING, CONTENT_ENCODING, HeaderMap, HeaderValue, LOCATION};
use reqwest::{Method, StatusCode, redirect};
use url::Url;

use crate::lookup::Guard;
use crate::{Error, Lookup, Policy, parse_url};

/// An HTTP client restricted by a [`Policy`].
#[derive(Clone)]
pub struct Client {
    /// Client for hosts that must have public addresses.
    outside: reqwest::Client,
    /// Client for hosts that may have private addresses, by host and port.
    inside: reqwest::Client,
    policy: Arc<Policy>,
}

/// A complete response.
#[derive(Clone, Debug)]
pub struct Response {
    /// Status of the last response, error statuses included.
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
    /// [`Error::Client`] when TLS can't be set up.
    pub fn new(policy: Policy, lookup: Arc<dyn Lookup>) -> Result<Self, Error> {
        let outside = build(Arc::clone(&lookup), Some(policy.is_public))?;
        let inside = build(lookup, None)?;
        Ok(Self {
            outside,
            inside,
            policy: Arc::new(policy),
        })
    }

    /// The client for this URL's level of access.
    fn to(&self, url: &Url) -> Result<&reqwest::Client, Error> {
        let access = self.policy.check(url)?;
        Ok(if access.private {
            &self.inside
        } else {
            &self.outside
        })
    }

    /// Sends a GET and follows redirects within the policy. `headers_for` is called for each
    /// redirect, so a header meant for one host is not sent to another.
    ///
    /// # Errors
    ///
    /// Why the request failed. A response with an error status is a response.
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
    /// As [`Client::get`].
    pub async fn post(
        &self,
        url: Url,
        headers: HeaderMap,
        body: String,
    ) -> Result<Response, Error> {
        self.send(Method::POST, url, headers, body).await
    }

    /// Sends a PUT, as [`Client::post`].
    ///
    /// # Errors
    ///
    /// As [`Client::get`].
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
        let http = self.to(&url)?;
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
            let http = self.to(&url)?;
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
    reqwest::Client::builder()
        // A proxy would resolve names again, by its own rules.
        .no_proxy()
        // Refuses compressed answers, whatever features others switch on.
        .no_gzip()
        .no_brotli()
        .no_deflate()
        .no_zstd()
        .redirect(redirect::Policy::none())
        .dns_resolver(Arc::new(Guard { lookup, is_public }))
        .pool_max_idle_per_host(0)
        .user_agent(concat!("tarsy/", env!("CARGO_PKG_VERSION")))
        .build()
        .map_err(Error::Client)
}

/// The target of a redirect response.
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
mod tests;
