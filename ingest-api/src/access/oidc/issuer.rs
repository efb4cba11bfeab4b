//! Client of the identity provider: reads its discovery document (OIDC Discovery 1.0) and sends
//! requests to it.

use std::sync::Arc;
use std::time::Duration;

use axum::http::{Request, Response};
use jsonwebtoken::jwk::Jwk;
use serde::Deserialize;

use crate::access::oidc::cached::Cached;
use crate::access::oidc::error::{Error, LARGEST};

/// Timeout of one request to the issuer.
const PATIENCE: Duration = Duration::from_secs(5);

#[derive(Debug)]
pub(super) struct Issuer {
    http: reqwest::Client,
    /// The issuer's identifier.
    pub(super) url: String,
    /// Address of the keys. `None`: the discovery document names it.
    pub(super) jwks_url: Option<String>,
    discovery: Cached<Discovered>,
    pub(super) keys: Cached<Vec<Jwk>>,
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

impl Issuer {
    pub(super) fn new(url: String, jwks_url: Option<String>) -> Result<Self, reqwest::Error> {
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
        Ok(Self {
            http,
            url,
            jwks_url,
            discovery: Cached::new(),
            keys: Cached::new(),
        })
    }

    /// Returns the discovery document.
    pub(super) async fn discovery(&self) -> Result<Arc<Discovered>, Error> {
        self.discovery.get(|_| true, || self.fetch()).await
    }

    async fn fetch(&self) -> Result<Discovered, Error> {
        let base = self.url.trim_end_matches('/');
        let url = format!("{base}/.well-known/openid-configuration");
        let mut found: Discovered = serde_json::from_slice(&self.get(&url, None).await?)?;
        if found.issuer != self.url {
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

    /// Fetches a document, with this bearer token if there is one.
    pub(super) async fn get(&self, url: &str, token: Option<&str>) -> Result<Vec<u8>, Error> {
        let mut request = self.http.get(url);
        if let Some(token) = token {
            request = request.bearer_auth(token);
        }
        bounded(request.send().await?.error_for_status()?).await
    }

    /// Sends a request and returns the response, regardless of its status.
    pub(super) async fn send(&self, request: Request<Vec<u8>>) -> Result<Response<Vec<u8>>, Error> {
        let answer = self.http.execute(request.try_into()?).await?;
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
