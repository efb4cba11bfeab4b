//! The client credentials token request (RFC 6749 §4.4, RFC 7523, RFC 8707).

use std::collections::BTreeSet;
use std::time::{Duration, Instant, SystemTime};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue};
use serde::Deserialize;
use tarsy_egress::{Client, Response, secret_header};
use tarsy_model::Secret;
use url::Url;
use url::form_urlencoded::{Serializer, byte_serialize};

use super::token::Granted;
use super::{AuthFailure, Issuer, SigningKey, Token};
use crate::settings::{ClientProof, OAuthSettings};

/// Timeout of a token request.
const TIMEOUT: Duration = Duration::from_secs(15);
/// Largest response, in bytes. Tokens with many claims are a few KiB.
const MAX_BYTES: usize = 64 * 1024;
/// Most characters that are kept of an error text of the authorization server.
const MAX_DESCRIPTION: usize = 300;
const JWT_BEARER: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/// Client that requests tokens, its proof of identity, its scopes and its resource.
pub(super) struct Grant {
    client_id: String,
    proof: Proof,
    scopes: Option<Vec<String>>,
    resource: String,
}

enum Proof {
    Secret(Secret),
    Key(Box<SigningKey>),
}

impl Grant {
    pub(super) fn new(oauth: &OAuthSettings, server: &Url) -> Result<Self, String> {
        let proof = match &oauth.proof {
            ClientProof::Secret(secret) => Proof::Secret(secret.clone()),
            ClientProof::Key { pem, id } => {
                Proof::Key(Box::new(SigningKey::parse(pem.expose(), id.as_deref())?))
            }
        };
        let mut resource = server.clone();
        resource.set_fragment(None);
        Ok(Self {
            client_id: oauth.client_id.clone(),
            proof,
            scopes: Some(oauth.scopes.clone()).filter(|scopes| !scopes.is_empty()),
            resource: oauth.resource.clone().unwrap_or_else(|| resource.into()),
        })
    }

    /// Returns the configured scopes, or `found` if none are configured.
    pub(super) fn first_scopes(&self, found: Vec<String>) -> Vec<String> {
        self.scopes.clone().unwrap_or(found)
    }

    /// Returns `current` plus the scopes that a refusal asks for. `None` if there are no new ones, or if the operator
    /// configured the scopes.
    pub(super) fn widened(
        &self,
        current: &[String],
        requested: Option<&str>,
    ) -> Option<Vec<String>> {
        if self.scopes.is_some() {
            return None;
        }
        let mut seen: BTreeSet<&str> = current.iter().map(String::as_str).collect();
        let more = requested?
            .split_whitespace()
            .filter(|scope| seen.insert(scope));
        let wanted: Vec<String> = more.map(str::to_owned).collect();
        (!wanted.is_empty()).then(|| [current, &wanted].concat())
    }

    /// Requests a token.
    pub(super) async fn fetch(
        &self,
        issuer: &Issuer,
        scopes: &[String],
    ) -> Result<Token, AuthFailure> {
        let (headers, body) = self.request(issuer, scopes)?;
        let client = Client::to_host_of(&issuer.token_url, issuer.access, TIMEOUT, MAX_BYTES)
            .map_err(AuthFailure::ask)?;
        let requested_at = Instant::now();
        let response = client
            .post(issuer.token_url.clone(), headers, body)
            .await
            .map_err(AuthFailure::ask)?;
        if !response.status.is_success() {
            return Err(self.refusal(&response));
        }
        let granted: Granted =
            serde_json::from_slice(&response.body).map_err(|_| AuthFailure::NoToken)?;
        Token::new(granted, requested_at).ok_or(AuthFailure::NoToken)
    }

    fn request(
        &self,
        issuer: &Issuer,
        scopes: &[String],
    ) -> Result<(HeaderMap, String), AuthFailure> {
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
        let form = HeaderValue::from_static("application/x-www-form-urlencoded");
        headers.insert(CONTENT_TYPE, form);
        let mut body = Serializer::new(String::new());
        body.append_pair("grant_type", "client_credentials");
        body.append_pair("resource", &self.resource);
        if !scopes.is_empty() {
            body.append_pair("scope", &scopes.join(" "));
        }
        match &self.proof {
            Proof::Secret(secret) if issuer.only_post => {
                body.append_pair("client_id", &self.client_id);
                body.append_pair("client_secret", secret.expose());
            }
            Proof::Secret(secret) => {
                headers.insert(AUTHORIZATION, basic(&self.client_id, secret.expose()));
            }
            Proof::Key(key) => {
                let assertion =
                    key.assertion(&self.client_id, &issuer.audience, SystemTime::now())?;
                body.append_pair("client_assertion_type", JWT_BEARER);
                body.append_pair("client_assertion", &assertion);
            }
        }
        Ok((headers, body.finish()))
    }

    /// Converts a response of the authorization server to an error, without the secret that was sent.
    fn refusal(&self, response: &Response) -> AuthFailure {
        /// Error response of RFC 6749 §5.2.
        #[derive(Default, Deserialize)]
        #[serde(default)]
        struct Refused {
            error: String,
            error_description: String,
        }
        let refused: Refused = serde_json::from_slice(&response.body).unwrap_or_default();
        let mut description = match (&*refused.error, &*refused.error_description) {
            ("", _) => String::new(),
            (error, "") => format!(": {error}"),
            (error, description) => format!(": {error} ({description})"),
        };
        if let Proof::Secret(secret) = &self.proof
            && !secret.expose().is_empty()
        {
            description = description.replace(secret.expose(), "..");
        }
        AuthFailure::Refused {
            status: response.status.as_u16(),
            description: description.chars().take(MAX_DESCRIPTION).collect(),
        }
    }
}

/// Returns `Authorization: Basic` with both parts encoded according to RFC 6749 §2.3.1.
fn basic(id: &str, secret: &str) -> HeaderValue {
    let encoded = |text: &str| byte_serialize(text.as_bytes()).collect::<String>();
    let pair = STANDARD.encode(format!("{}:{}", encoded(id), encoded(secret)));
    secret_header(&format!("Basic {pair}")).unwrap_or_else(|_| HeaderValue::from_static("Basic"))
}
