//! Access tokens of Google Cloud. They belong to the service account of the machine or pod, or to that of a key file.

use std::path::Path;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::Utc;
use reqwest::{Client, RequestBuilder, header};
use ring::rand::SystemRandom;
use ring::signature::{RSA_PKCS1_SHA256, RsaKeyPair};
use rustls_pki_types::PrivatePkcs8KeyDer;
use rustls_pki_types::pem::PemObject as _;
use serde::Deserialize;
use serde_json::json;
use tokio::sync::Mutex;
use tokio::time::Instant;

use super::failure;
use crate::{CallError, ErrorClass};

/// OAuth scope of the tokens.
const CLOUD_PLATFORM: &str = "https://www.googleapis.com/auth/cloud-platform";
/// Time before its expiry from which a token is no longer used.
const RESERVE: Duration = Duration::from_secs(60);
/// Timeout for requesting a token.
const PATIENCE: Duration = Duration::from_secs(10);
/// Lifetime of an assertion. This is the longest that Google accepts.
const LIFE_SECONDS: i64 = 3_600;

/// Source of tokens.
pub(super) enum Source {
    /// Metadata server, as `host` or `host:port`.
    Metadata(String),
    Account(Box<Account>),
}

/// A service account's key.
pub(super) struct Account {
    email: String,
    key_id: String,
    token_uri: String,
    key: RsaKeyPair,
}

/// Tokens of one provider. Each is reused until shortly before it expires.
pub(super) struct Tokens {
    client: Client,
    source: Source,
    current: Mutex<Option<(String, Instant)>>,
}

#[derive(Deserialize)]
struct KeyFile {
    #[serde(rename = "type")]
    kind: String,
    client_email: Option<String>,
    #[serde(default)]
    private_key_id: String,
    private_key: Option<String>,
    token_uri: Option<String>,
}

#[derive(Deserialize)]
struct Answer {
    access_token: String,
    expires_in: u64,
}

impl Account {
    /// Reads a key file. The error is a message for people.
    pub(super) fn read(path: &Path) -> Result<Self, String> {
        let named = |why: String| format!("its credentials file {}: {why}", path.display());
        let text = std::fs::read_to_string(path).map_err(|error| named(error.to_string()))?;
        Self::parse(&text).map_err(named)
    }

    fn parse(text: &str) -> Result<Self, String> {
        // Drop the parser's message, because it may quote the key.
        let file: KeyFile = serde_json::from_str(text).map_err(|_| "not a key file of Google")?;
        let (Some(email), Some(pem), Some(token_uri)) =
            (file.client_email, file.private_key, file.token_uri)
        else {
            return Err(format!(
                "credentials of type `{}` are not supported; use the key of a service account, or the metadata server",
                file.kind
            ));
        };
        let der = PrivatePkcs8KeyDer::from_pem_slice(pem.as_bytes());
        let key = der.map_err(|_| "its private key is not PKCS #8 in PEM")?;
        let key = RsaKeyPair::from_pkcs8(key.secret_pkcs8_der())
            .map_err(|_| "its private key is not RSA")?;
        Ok(Self {
            email,
            key_id: file.private_key_id,
            token_uri,
            key,
        })
    }

    /// Returns a signed JWT that requests a token (RFC 7523).
    fn assertion(&self) -> Option<String> {
        let now = Utc::now().timestamp();
        let header = json!({"alg": "RS256", "typ": "JWT", "kid": self.key_id});
        let claims = json!({
            "iss": self.email, "scope": CLOUD_PLATFORM, "aud": self.token_uri,
            "iat": now, "exp": now + LIFE_SECONDS,
        });
        let encode = |part: &serde_json::Value| URL_SAFE_NO_PAD.encode(part.to_string());
        let signed = format!("{}.{}", encode(&header), encode(&claims));
        let mut signature = vec![0; self.key.public().modulus_len()];
        let random = SystemRandom::new();
        self.key
            .sign(
                &RSA_PKCS1_SHA256,
                &random,
                signed.as_bytes(),
                &mut signature,
            )
            .ok()?;
        Some(format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature)))
    }
}

impl Tokens {
    pub(super) fn new(client: Client, source: Source) -> Self {
        Self {
            client,
            source,
            current: Mutex::new(None),
        }
    }

    /// Returns the cached token if it is valid for another minute, or requests a new one.
    pub(super) async fn token(&self) -> Result<String, CallError> {
        let mut current = self.current.lock().await;
        if let Some((token, until)) = &*current
            && Instant::now() < *until
        {
            return Ok(token.clone());
        }
        let answer = self.request()?.timeout(PATIENCE).send().await;
        let answer = answer.map_err(failure::from_reqwest)?;
        let status = answer.status();
        if !status.is_success() {
            let class = match status.as_u16() {
                500.. => ErrorClass::ServerError,
                429 => ErrorClass::RateLimited,
                _ => ErrorClass::Auth,
            };
            let message = format!("Google refused an access token: HTTP {}", status.as_u16());
            return Err(CallError::new(class, message));
        }
        let body = answer.bytes().await.map_err(failure::from_reqwest)?;
        let answer: Answer = serde_json::from_slice(&body).map_err(|_| {
            CallError::new(
                ErrorClass::Malformed,
                "Google's answer holds no access token",
            )
        })?;
        let life = Duration::from_secs(answer.expires_in).saturating_sub(RESERVE);
        *current = Some((answer.access_token.clone(), Instant::now() + life));
        Ok(answer.access_token)
    }

    fn request(&self) -> Result<RequestBuilder, CallError> {
        Ok(match &self.source {
            Source::Metadata(host) => self
                .client
                .get(format!(
                    "http://{host}/computeMetadata/v1/instance/service-accounts/default/token"
                ))
                .header("metadata-flavor", "Google"),
            Source::Account(account) => {
                let assertion = account.assertion().ok_or_else(|| {
                    CallError::new(
                        ErrorClass::Auth,
                        "failed to sign with the service account's key",
                    )
                })?;
                let form = format!(
                    "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion={assertion}"
                );
                self.client
                    .post(&account.token_uri)
                    .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
                    .body(form)
            }
        })
    }
}
