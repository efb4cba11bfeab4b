//! The identity provider as a server: its discovery document (OIDC Discovery 1.0), and requests to it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::http::{Request, Response};
use serde::Deserialize;

use crate::access::bucket::{Bucket, Rate};

/// After this, documents of the issuer are fetched again.
pub(super) const FRESH: Duration = Duration::from_secs(300);
/// How long documents are believed that can't be fetched again.
pub(super) const BELIEVED: Duration = Duration::from_secs(3600);
/// Longest wait for the issuer.
const PATIENCE: Duration = Duration::from_secs(5);
/// Largest document, in bytes.
const LARGEST: usize = 256 * 1024;
/// How often each document is asked for: anybody can have us ask.
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

/// What the discovery document says.
#[derive(Debug, Deserialize)]
pub(super) struct Discovered {
    issuer: String,
    pub(super) jwks_uri: String,
    /// As the other endpoints: absent if it is not https.
    pub(super) authorization_endpoint: Option<String>,
    pub(super) token_endpoint: Option<String>,
    pub(super) userinfo_endpoint: Option<String>,
    /// OIDC RP-Initiated Logout 1.0.
    pub(super) end_session_endpoint: Option<String>,
    /// How clients show their secret. Absent: by basic authentication.
    token_endpoint_auth_methods_supported: Option<Vec<String>>,
    /// RFC 9207: its answers name it.
    #[serde(default)]
    pub(super) authorization_response_iss_parameter_supported: bool,
}

/// Why the issuer gave no usable answer.
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
    AskedLately,
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
            // An answer from elsewhere is not the issuer's.
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

    /// What it calls itself.
    pub(super) fn url(&self) -> &str {
        &self.0.url
    }

    /// Its discovery document, as it was in the last minutes.
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
            Err(_) => Err(Error::AskedLately),
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
        // Who only checks tokens needs none of these.
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

    /// A document.
    pub(super) async fn get(&self, url: &str) -> Result<Vec<u8>, Error> {
        let answer = self.0.http.get(url).send().await?;
        bounded(answer.error_for_status()?).await
    }

    /// A document that is shown to the bearer of this token.
    pub(super) async fn get_as(&self, token: &str, url: &str) -> Result<Vec<u8>, Error> {
        let answer = self.0.http.get(url).bearer_auth(token).send().await?;
        bounded(answer.error_for_status()?).await
    }

    /// The answer to any request, whatever its status.
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
    /// Whether a client's secret must stand in the body of a request for tokens.
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
