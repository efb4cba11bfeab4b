//! Client of the identity provider: reads its discovery document (OIDC Discovery 1.0) and sends
//! requests to it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::http::{Request, Response};
use serde::Deserialize;

use crate::access::bucket::{Bucket, Rate};

/// Age at which documents of the issuer are fetched again.
pub(super) const FRESH: Duration = Duration::from_secs(300);
/// Maximum age of documents that can't be fetched again.
pub(super) const BELIEVED: Duration = Duration::from_secs(3600);
/// Timeout of one request to the issuer.
const PATIENCE: Duration = Duration::from_secs(5);
/// Largest document, in bytes.
const LARGEST: usize = 256 * 1024;
/// Rate limit for fetching each document, because any client can cause a fetch.
pub(super) const FETCHES: Rate = Rate {
    interval: Duration::from_secs(10),
    burst: 4,
};

/// An issuer. Cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct Issuer(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    http: reqwest::Client,
    url: String,
    discovery: tokio::sync::Mutex<Discovery>,
}

#[derive(Debug)]
struct Discovery {
    known: Option<(Arc<Discovered>, Instant)>,
    fetches: Bucket,
}

/// The discovery document.
#[derive(Debug, Deserialize)]
pub(super) struct Discovered {
    issuer: String,
    pub(super) jwks_uri: String,
    /// `None` if it is not https, like the other endpoints.
    pub(super) authorization_endpoint: Option<String>,
    pub(super) token_endpoint: Option<String>,
    pub(super) userinfo_endpoint: Option<String>,
    /// OIDC RP-Initiated Logout 1.0.
    pub(super) end_session_endpoint: Option<String>,
    /// How clients may send their secret. Absent: by basic authentication.
    token_endpoint_auth_methods_supported: Option<Vec<String>>,
    /// Whether its authorization responses name the issuer (RFC 9207).
    #[serde(default)]
    pub(super) authorization_response_iss_parameter_supported: bool,
}

/// Reason why the issuer gave no usable answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("the issuer is unreachable")]
    Unreachable(#[from] reqwest::Error),
    #[error("the issuer's document is larger than {LARGEST} bytes")]
    TooLarge,
    #[error("the issuer's document is invalid")]
    Unreadable(#[from] serde_json::Error),
    #[error("the discovery document names another issuer")]
    AnotherIssuer,
    #[error("the issuer's key address is not https")]
    Insecure,
    #[error("the issuer has not answered recently")]
    TooManyFetches,
}

impl Issuer {
    pub(super) fn new(url: String) -> Result<Self, reqwest::Error> {
        tarsy_telemetry::install_crypto();
        let mut builder = reqwest::Client::builder();
        if tarsy_egress::is_loopback(&url) {
            builder = builder.no_proxy();
        }
        let http = builder
            .timeout(PATIENCE)
            // A response from another address is not the issuer's.
            .redirect(reqwest::redirect::Policy::none())
            .user_agent(concat!("tarsy/", env!("CARGO_PKG_VERSION")))
            .build()?;
        let discovery = tokio::sync::Mutex::new(Discovery {
            known: None,
            fetches: Bucket::full(Instant::now()),
        });
        Ok(Self(Arc::new(Inner {
            http,
            url,
            discovery,
        })))
    }

    /// The issuer's identifier.
    pub(super) fn url(&self) -> &str {
        &self.0.url
    }

    /// Returns the discovery document, which is at most 5 minutes old. If it can't be fetched
    /// again, one of up to an hour is returned.
    pub(super) async fn discovery(&self) -> Result<Arc<Discovered>, Error> {
        // One fetch at a time.
        let mut discovery = self.0.discovery.lock().await;
        let known = discovery.known.clone();
        let younger_than = |age: Duration| {
            let known = known.as_ref().filter(|(_, at)| at.elapsed() < age);
            known.map(|(document, _)| Arc::clone(document))
        };
        if let Some(document) = younger_than(FRESH) {
            return Ok(document);
        }
        let now = Instant::now();
        let fetched = match discovery.fetches.take(FETCHES, now) {
            Ok(()) => self.fetch().await,
            Err(_) => Err(Error::TooManyFetches),
        };
        match fetched {
            Ok(document) => {
                let document = Arc::new(document);
                discovery.known = Some((Arc::clone(&document), now));
                Ok(document)
            }
            Err(error) => younger_than(BELIEVED).ok_or(error),
        }
    }

    async fn fetch(&self) -> Result<Discovered, Error> {
        let base = self.url().trim_end_matches('/');
        let url = format!("{base}/.well-known/openid-configuration");
        let mut found: Discovered = serde_json::from_slice(&self.get(&url).await?)?;
        if found.issuer != self.url() {
            return Err(Error::AnotherIssuer);
        }
        let is_safe = |url: &str| url.starts_with("https://") || base.starts_with("http://");
        if !is_safe(&found.jwks_uri) {
            return Err(Error::Insecure);
        }
        // These are optional, because verifying tokens needs none of them.
        for endpoint in [
            &mut found.authorization_endpoint,
            &mut found.token_endpoint,
            &mut found.userinfo_endpoint,
            &mut found.end_session_endpoint,
        ] {
            endpoint.take_if(|url| !is_safe(url));
        }
        Ok(found)
    }

    /// Fetches a document.
    pub(super) async fn get(&self, url: &str) -> Result<Vec<u8>, Error> {
        let answer = self.0.http.get(url).send().await?;
        bounded(answer.error_for_status()?).await
    }

    /// Fetches a document with this bearer token.
    pub(super) async fn get_as(&self, token: &str, url: &str) -> Result<Vec<u8>, Error> {
        let answer = self.0.http.get(url).bearer_auth(token).send().await?;
        bounded(answer.error_for_status()?).await
    }

    /// Sends a request and returns the response, regardless of its status.
    pub(super) async fn send(&self, request: Request<Vec<u8>>) -> Result<Response<Vec<u8>>, Error> {
        let answer = self.0.http.execute(request.try_into()?).await?;
        let mut response = Response::new(Vec::new());
        *response.status_mut() = answer.status();
        *response.headers_mut() = answer.headers().clone();
        *response.body_mut() = bounded(answer).await?;
        Ok(response)
    }
}

impl Discovered {
    /// Returns whether the client must send its secret in the body of token requests.
    pub(super) fn wants_secret_in_body(&self) -> bool {
        let methods = self.token_endpoint_auth_methods_supported.as_ref();
        methods.is_some_and(|methods| {
            let has = |method: &str| methods.iter().any(|one| one == method);
            has("client_secret_post") && !has("client_secret_basic")
        })
    }
}

async fn bounded(mut answer: reqwest::Response) -> Result<Vec<u8>, Error> {
    let mut body = Vec::new();
    while let Some(chunk) = answer.chunk().await? {
        if body.len() + chunk.len() > LARGEST {
            return Err(Error::TooLarge);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}
