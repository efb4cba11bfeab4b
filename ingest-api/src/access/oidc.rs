//! Identifies people of an identity provider by their tokens (JWT, RFC 7519) or by a sign-in of
//! their browser.
//!
//! A token must be signed with a public-key algorithm by a key that the issuer publishes. It must
//! be issued for this service and be valid now. A claim lists the person's groups, which determine
//! their role.

mod cached;
mod claims;
mod code_flow;
mod crypto;
mod error;
mod failure;
mod issuer;
mod jwks;
mod pending;
mod return_path;

use std::sync::Arc;

use jsonwebtoken::errors::ErrorKind;
use jsonwebtoken::{Algorithm, Validation, decode, decode_header};
use serde_json::{Map, Value};
use tarsy_config::settings::OidcSettings;

pub(super) use code_flow::{Answer, CodeFlow};
pub(super) use failure::SignInFailure;
pub(super) use pending::Pending;

use crate::access::actor::{Actor, AuthMethod};
use crate::access::oidc::issuer::Issuer;
use crate::problem::{AuthError, Problem};

/// Tolerated difference of clocks, in seconds.
const LEEWAY: u64 = 60;
/// Longest token that is accepted, in bytes.
const LONGEST: usize = 16 * 1024;
/// Verifier of tokens, and sign-in of browsers. Cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct Oidc(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    settings: OidcSettings,
    issuer: Issuer,
}

/// A person and what they may do.
#[derive(Debug)]
pub(crate) struct Person {
    pub(super) name: String,
    pub(super) role: tarsy_model::Role,
}

impl Oidc {
    pub(super) fn new(settings: OidcSettings) -> Result<Self, reqwest::Error> {
        crypto::install();
        let issuer = Issuer::new(settings.issuer.clone(), settings.jwks_url.clone())?;
        Ok(Self(Arc::new(Inner { settings, issuer })))
    }

    /// Name of the identity proxy's header, in lower case.
    pub(super) fn header(&self) -> Option<&str> {
        self.0.settings.header.as_deref()
    }

    /// Returns the sign-in of browsers, or `None` if people can sign in only with keys.
    pub(super) fn code_flow(&self) -> Option<CodeFlow<'_>> {
        let settings = self.0.settings.sign_in.as_ref()?;
        Some(CodeFlow::new(self, settings))
    }

    /// Returns the person whose token this is.
    pub(super) async fn identify(&self, token: &str) -> Result<Actor, Problem> {
        let audience = &self.0.settings.audience;
        if audience.is_empty() {
            return Err(AuthError::Unauthenticated(
                "tokens are not accepted here: TARSY_OIDC_AUDIENCE is not set",
            )
            .into());
        }
        let claims = self.verify(token, audience).await?;
        let Person { name, role } = self.person(&claims)?;
        Ok(Actor::new(name, role, AuthMethod::Oidc))
    }

    /// Returns the person that verified claims describe.
    fn person(&self, claims: &Map<String, Value>) -> Result<Person, SignInFailure> {
        let settings = &self.0.settings;
        let name = claims::name(claims, settings);
        let name = name.ok_or(SignInFailure::Answer("the token has no subject"))?;
        match claims::role(claims, settings) {
            Some(role) => Ok(Person { name, role }),
            None => Err(SignInFailure::NoRole(name)),
        }
    }

    /// Verifies a token of the issuer for one of `audience`, and returns its claims.
    async fn verify(
        &self,
        token: &str,
        audience: &[String],
    ) -> Result<Map<String, Value>, SignInFailure> {
        let Inner { settings, issuer } = &*self.0;
        if token.len() > LONGEST {
            return Err(SignInFailure::Answer("the token is too long"));
        }
        let header = decode_header(token)
            .map_err(|_| SignInFailure::Answer("not a valid API key or token"))?;
        if !crypto::verifies(header.alg) || header.crit.is_some() {
            return Err(SignInFailure::Answer("unsupported token algorithm"));
        }
        let key = issuer.key(header.kid.as_deref(), header.alg).await?;
        let key = key.ok_or(SignInFailure::Answer("unknown signing key of the token"))?;
        let validation = validation(&settings.issuer, audience, header.alg);
        let decoded = decode::<Map<String, Value>>(token, &key, &validation);
        Ok(decoded.map_err(|error| rejected(error.kind()))?.claims)
    }
}

fn validation(issuer: &str, audience: &[String], algorithm: Algorithm) -> Validation {
    let mut validation = Validation::new(algorithm);
    validation.leeway = LEEWAY;
    validation.validate_nbf = true;
    validation.set_issuer(&[issuer]);
    validation.set_audience(audience);
    validation.set_required_spec_claims(&["exp", "iss", "aud"]);
    validation
}

const fn rejected(kind: &ErrorKind) -> SignInFailure {
    match kind {
        ErrorKind::ExpiredSignature => SignInFailure::Clock("the token has expired"),
        ErrorKind::ImmatureSignature => SignInFailure::Clock("the token is not valid yet"),
        ErrorKind::InvalidAudience => SignInFailure::Answer("the token has the wrong audience"),
        ErrorKind::InvalidIssuer => SignInFailure::Answer("the token has the wrong issuer"),
        ErrorKind::MissingRequiredClaim(_) => {
            SignInFailure::Answer("the token lacks `exp`, `iss` or `aud`")
        }
        ErrorKind::InvalidSignature => SignInFailure::Answer("invalid token signature"),
        _ => SignInFailure::Answer("invalid token"),
    }
}
