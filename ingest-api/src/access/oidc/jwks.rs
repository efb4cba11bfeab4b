//! Cache of the issuer's public keys (JWKS, RFC 7517). It is refreshed when it is old or lacks a key.

use std::sync::{Arc, PoisonError, RwLock};
use std::time::Instant;

use jsonwebtoken::jwk::{Jwk, KeyAlgorithm, PublicKeyUse};
use jsonwebtoken::{Algorithm, DecodingKey};
use serde::Deserialize;
use serde_json::Value;

use crate::access::bucket::Bucket;
use crate::access::oidc::issuer::{BELIEVED, Error, FETCHES, FRESH, Issuer};

/// The keys of one issuer.
#[derive(Debug)]
pub(super) struct Jwks {
    issuer: Issuer,
    /// Address of the keys. `None`: the issuer's discovery document names it.
    url: Option<String>,
    known: RwLock<Option<Known>>,
    /// Rate limit of fetches. The lock allows one fetch at a time.
    fetches: tokio::sync::Mutex<Bucket>,
}

#[derive(Clone, Debug)]
struct Known {
    keys: Arc<Vec<Jwk>>,
    at: Instant,
}

/// Error if no recent keys of the issuer are known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Away;

impl Jwks {
    pub(super) fn new(issuer: Issuer, url: Option<String>) -> Self {
        Self {
            issuer,
            url,
            known: RwLock::default(),
            fetches: tokio::sync::Mutex::new(Bucket::full(Instant::now())),
        }
    }

    /// Returns the key that a token names, if the issuer has it and allows this use.
    ///
    /// # Errors
    ///
    /// [`Away`] if the keys can't be fetched and the known ones are too old.
    pub(super) async fn key(
        &self,
        kid: Option<&str>,
        algorithm: Algorithm,
    ) -> Result<Option<DecodingKey>, Away> {
        let known = self.known();
        let found = known.as_ref().and_then(|k| find(&k.keys, kid, algorithm));
        let is_fresh = known.as_ref().is_some_and(|k| k.at.elapsed() < FRESH);
        if found.is_some() && is_fresh {
            return Ok(found);
        }
        // Boxed, because otherwise the future of every request would reserve space for this rare case.
        Box::pin(self.fetch(known.map(|k| k.at))).await;
        match self.known() {
            Some(known) if known.at.elapsed() < BELIEVED => Ok(find(&known.keys, kid, algorithm)),
            _ => Err(Away),
        }
    }

    fn known(&self) -> Option<Known> {
        self.known
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Fetches the keys, unless another request did so since `seen`, or the rate limit is reached.
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
            None => self.issuer.discovery().await?.jwks_uri.clone(),
        };
        let set: KeySet = serde_json::from_slice(&self.issuer.get(&url).await?)?;
        // Keys of unknown kinds are skipped.
        let keys = set.keys.into_iter().map(serde_json::from_value);
        Ok(keys.filter_map(Result::ok).collect())
    }
}

#[derive(Deserialize)]
struct KeySet {
    keys: Vec<Value>,
}

/// Returns the key with this id that may verify signatures of this algorithm. Without an id,
/// exactly one key must match.
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
