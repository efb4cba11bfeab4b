//! The issuer's public keys (JWKS, RFC 7517). They are fetched again when they are old or a key is missing.

use jsonwebtoken::jwk::{Jwk, KeyAlgorithm, PublicKeyUse};
use jsonwebtoken::{Algorithm, DecodingKey};
use serde::Deserialize;
use serde_json::Value;

use crate::access::oidc::error::Error;
use crate::access::oidc::issuer::Issuer;

impl Issuer {
    /// Returns the key that a token names, if the issuer has it and allows this use.
    pub(super) async fn key(
        &self,
        kid: Option<&str>,
        algorithm: Algorithm,
    ) -> Result<Option<DecodingKey>, Error> {
        let fits = |keys: &Vec<Jwk>| find(keys, kid, algorithm).is_some();
        let keys = self.keys.get(fits, || self.fetch_keys()).await?;
        Ok(find(&keys, kid, algorithm))
    }

    async fn fetch_keys(&self) -> Result<Vec<Jwk>, Error> {
        let fetched = async {
            let url = match &self.jwks_url {
                Some(url) => url.clone(),
                None => self.discovery().await?.jwks_uri.clone(),
            };
            let set: KeySet = serde_json::from_slice(&self.get(&url, None).await?)?;
            // Keys of unknown kinds are skipped.
            let keys = set.keys.into_iter().map(serde_json::from_value);
            Ok(keys.filter_map(Result::ok).collect())
        };
        fetched.await.inspect_err(|error: &Error| {
            tracing::warn!(
                error = error as &dyn std::error::Error,
                "failed to fetch the identity provider's keys"
            );
        })
    }
}

#[derive(Deserialize)]
struct KeySet {
    keys: Vec<Value>,
}

/// Returns the key with this id that may verify signatures of this algorithm. Without an id,
/// exactly one key must match.
fn find(keys: &[Jwk], kid: Option<&str>, algorithm: Algorithm) -> Option<DecodingKey> {
    let mut fitting = keys.iter().filter_map(|jwk| {
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
    match (fitting.next(), fitting.next()) {
        (Some(key), None) => Some(key),
        _ => None,
    }
}
