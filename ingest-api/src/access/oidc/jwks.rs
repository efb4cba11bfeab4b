//! The issuer's public keys (JWKS, RFC 7517): fetched, kept, fetched again when they change.

use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use jsonwebtoken::jwk::{Jwk, KeyAlgorithm, PublicKeyUse};
use jsonwebtoken::{Algorithm, DecodingKey};
use serde::Deserialize;
use serde_json::Value;

use crate::access::bucket::{Bucket, Rate};
use crate::problem::{AuthError, Problem};

/// After this, keys are fetched again: one that was withdrawn is not accepted for longer.
const FRESH: Duration = Duration::from_secs(300);
/// How long keys are believed that can't be fetched again.
const BELIEVED: Duration = Duration::from_secs(3600);
/// Longest wait for the issuer.
const PATIENCE: Duration = Duration::from_secs(5);
/// Largest document, in bytes.
const LARGEST: usize = 256 * 1024;
/// How often the issuer is asked: anybody can show us a token with a key that nobody knows.
const FETCHES: Rate = Rate {
    interval: Duration::from_secs(10),
    burst: 4,
};

/// The keys of one issuer.
#[derive(Debug)]
pub(super) struct Jwks {
    http: reqwest::Client,
    issuer: String,
    /// Where they are; else the issuer's discovery document says so.
    url: Option<String>,
    known: RwLock<Option<Known>>,
    /// One fetch at a time.
    fetches: tokio::sync::Mutex<Bucket>,
}

#[derive(Clone, Debug)]
struct Known {
    keys: Arc<Vec<Jwk>>,
    at: Instant,
}

/// Why keys could not be fetched.
#[derive(Debug, thiserror::Error)]
enum Error {
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
}

impl Jwks {
    pub(super) fn new(issuer: String, url: Option<String>) -> Result<Self, reqwest::Error> {
        tarsy_telemetry::install_crypto();
        let mut builder = reqwest::Client::builder();
        if tarsy_egress::is_loopback(&issuer) {
            builder = builder.no_proxy();
        }
        let http = builder
            .timeout(PATIENCE)
            // An answer from elsewhere is not the issuer's.
            .redirect(reqwest::redirect::Policy::none())
            .user_agent(concat!("tarsy/", env!("CARGO_PKG_VERSION")))
            .build()?;
        Ok(Self {
            http,
            issuer,
            url,
            known: RwLock::default(),
            fetches: tokio::sync::Mutex::new(Bucket::full(Instant::now())),
        })
    }

    /// The key that a token names, if the issuer has it and it may be used so.
    ///
    /// # Errors
    ///
    /// [`AuthError::IdentityProviderAway`] when nothing is known of the issuer's keys.
    pub(super) async fn key(
        &self,
        kid: Option<&str>,
        algorithm: Algorithm,
    ) -> Result<Option<DecodingKey>, Problem> {
        let known = self.known();
        let found = known.as_ref().and_then(|k| find(&k.keys, kid, algorithm));
        let is_fresh = known.as_ref().is_some_and(|k| k.at.elapsed() < FRESH);
        if found.is_some() && is_fresh {
            return Ok(found);
        }
        // On the heap: every request would have room for it, and it is rare.
        Box::pin(self.fetch(known.map(|k| k.at))).await;
        match self.known() {
            Some(known) if known.at.elapsed() < BELIEVED => Ok(find(&known.keys, kid, algorithm)),
            _ => Err(AuthError::IdentityProviderAway.into()),
        }
    }

    fn known(&self) -> Option<Known> {
        self.known
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Fetch the keys, unless somebody has since `seen`, or that was done too often.
    async fn fetch(&self, seen: Option<Instant>) {
        let mut fetches = self.fetches.lock().await;
        if self.known().map(|known| known.at) != seen {
            return;
        }
        let now = Instant::now();
        if fetches.take(FETCHES, now).is_err() {
            return;
        }
        match self.read().await {
            Ok(keys) => {
                let keys = Arc::new(keys);
                let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
                *known = Some(Known { keys, at: now });
            }
            Err(error) => tracing::warn!(
                error = &error as &dyn std::error::Error,
                "failed to fetch the identity provider's keys"
            ),
        }
    }

    async fn read(&self) -> Result<Vec<Jwk>, Error> {
        let url = match &self.url {
            Some(url) => url.clone(),
            None => self.discover().await?,
        };
        let set: KeySet = serde_json::from_slice(&self.get(&url).await?)?;
        // Keys of kinds that we don't know are of no use, and no harm.
        let keys = set.keys.into_iter().map(serde_json::from_value);
        Ok(keys.filter_map(Result::ok).collect())
    }

    async fn discover(&self) -> Result<String, Error> {
        let base = self.issuer.trim_end_matches('/');
        let url = format!("{base}/.well-known/openid-configuration");
        let found: Discovered = serde_json::from_slice(&self.get(&url).await?)?;
        if found.issuer != self.issuer {
            return Err(Error::AnotherIssuer);
        }
        let is_safe = found.jwks_uri.starts_with("https://") || base.starts_with("http://");
        if !is_safe {
            return Err(Error::Insecure);
        }
        Ok(found.jwks_uri)
    }

    async fn get(&self, url: &str) -> Result<Vec<u8>, Error> {
        let mut answer = self.http.get(url).send().await?.error_for_status()?;
        let mut body = Vec::new();
        while let Some(chunk) = answer.chunk().await? {
            if body.len() + chunk.len() > LARGEST {
                return Err(Error::TooLarge);
            }
            body.extend_from_slice(&chunk);
        }
        Ok(body)
    }
}

#[derive(Deserialize)]
struct KeySet {
    keys: Vec<Value>,
}

#[derive(Deserialize)]
struct Discovered {
    issuer: String,
    jwks_uri: String,
}

/// The key of this name that may check signatures of this algorithm; a token that names none
/// has to leave no choice.
fn find(keys: &[Jwk], kid: Option<&str>, algorithm: Algorithm) -> Option<DecodingKey> {
    let fitting = keys.iter().filter_map(|jwk| {
        let common = &jwk.common;
        let is_named = kid.is_none_or(|kid| common.key_id.as_deref() == Some(kid));
        let is_for_signatures =
            matches!(common.public_key_use, None | Some(PublicKeyUse::Signature));
        let is_for_algorithm = common
            .key_algorithm
            .is_none_or(|wanted| wanted == KeyAlgorithm::from(algorithm));
        if !(is_named && is_for_signatures && is_for_algorithm) {
            return None;
        }
        let key = DecodingKey::from_jwk(jwk).ok()?;
        (key.family() == algorithm.family()).then_some(key)
    });
    let mut fitting = fitting;
    match (fitting.next(), fitting.next()) {
        (Some(key), None) => Some(key),
        _ => None,
    }
}
