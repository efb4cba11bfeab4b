//! People behind an identity provider, by their tokens (JWT, RFC 7519).
//!
//! Signed with a public-key algorithm by a key the issuer publishes, for us, and not out of date;
//! what a claim calls their groups decides their role.

mod claims;
mod crypto;
mod jwks;

use std::sync::Arc;

use jsonwebtoken::errors::ErrorKind;
use jsonwebtoken::{Algorithm, Validation, decode, decode_header};
use serde_json::{Map, Value};
use tarsy_config::settings::OidcSettings;

use crate::access::actor::{Actor, AuthMethod};
use crate::access::oidc::jwks::Jwks;
use crate::problem::{AuthError, Problem};

/// How far clocks may differ, in seconds.
const LEEWAY: u64 = 60;
/// Longest token that is looked at, in bytes.
const LONGEST: usize = 16 * 1024;
/// Algorithms with a public key. With a shared secret, whoever checks could also sign.
const ALGORITHMS: [Algorithm; 9] = [
    Algorithm::RS256,
    Algorithm::RS384,
    Algorithm::RS512,
    Algorithm::PS256,
    Algorithm::PS384,
    Algorithm::PS512,
    Algorithm::ES256,
    Algorithm::ES384,
    Algorithm::EdDSA,
];

/// Checks tokens. Cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct Oidc(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    settings: OidcSettings,
    jwks: Jwks,
}

impl Oidc {
    pub(super) fn new(settings: OidcSettings) -> Result<Self, reqwest::Error> {
        crypto::install();
        let jwks = Jwks::new(settings.issuer.clone(), settings.jwks_url.clone())?;
        Ok(Self(Arc::new(Inner { settings, jwks })))
    }

    /// Header of the identity proxy, in lower case.
    pub(super) fn header(&self) -> Option<&str> {
        self.0.settings.header.as_deref()
    }

    /// Whose token this is.
    pub(super) async fn identify(&self, token: &str) -> Result<Actor, Problem> {
        let Inner { settings, jwks } = &*self.0;
        if token.len() > LONGEST {
            return Err(AuthError::Unauthenticated("the token is too long").into());
        }
        let header = decode_header(token)
            .map_err(|_| AuthError::Unauthenticated("not a valid API key or token"))?;
        if !ALGORITHMS.contains(&header.alg) || header.crit.is_some() {
            return Err(AuthError::Unauthenticated("unsupported token algorithm").into());
        }
        let key = jwks.key(header.kid.as_deref(), header.alg).await?;
        let key = key.ok_or(AuthError::Unauthenticated(
            "unknown signing key of the token",
        ))?;
        let claims = decode::<Map<String, Value>>(token, &key, &validation(settings, header.alg))
            .map_err(|error| AuthError::Unauthenticated(reason(error.kind())))?
            .claims;
        let name = claims::name(&claims, settings)
            .ok_or(AuthError::Unauthenticated("the token has no subject"))?;
        let role = claims::role(&claims, settings).ok_or(AuthError::NoRole)?;
        Ok(Actor::new(name, role, AuthMethod::Oidc))
    }
}

fn validation(settings: &OidcSettings, algorithm: Algorithm) -> Validation {
    let mut validation = Validation::new(algorithm);
    validation.leeway = LEEWAY;
    validation.validate_nbf = true;
    validation.set_issuer(&[&settings.issuer]);
    validation.set_audience(&settings.audience);
    validation.set_required_spec_claims(&["exp", "iss", "aud"]);
    validation
}

const fn reason(kind: &ErrorKind) -> &'static str {
    match kind {
        ErrorKind::ExpiredSignature => "the token has expired",
        ErrorKind::ImmatureSignature => "the token is not valid yet",
        ErrorKind::InvalidAudience => "the token has the wrong audience",
        ErrorKind::InvalidIssuer => "the token has the wrong issuer",
        ErrorKind::MissingRequiredClaim(_) => "the token lacks `exp`, `iss` or `aud`",
        ErrorKind::InvalidSignature => "invalid token signature",
        _ => "invalid token",
    }
}
