//! Reasons why a sign-in at the identity provider failed, or why a token is not accepted.

use crate::access::oidc::error::Error;
use crate::problem::{AuthError, Problem};

/// Reason of a failed sign-in. The causes are logged; the page gets only [`SignInFailure::code`].
#[derive(Debug, thiserror::Error)]
pub(crate) enum SignInFailure {
    /// The cookie is missing, too old, or belongs to another sign-in.
    #[error("this browser did not begin the sign-in, or began it too long ago")]
    Stale,
    /// The person or a rule of the provider denied the sign-in.
    #[error("the identity provider denied the sign-in")]
    Denied,
    /// Another error of the authorization endpoint, under the provider's name for it.
    #[error("the identity provider answered with the error `{0}`")]
    Refused(String),
    /// The token endpoint does not accept the client id or secret.
    #[error("the identity provider does not accept the client: `{0}`")]
    Client(String),
    /// The code was already used, is too old, or was issued for another browser.
    #[error("the identity provider does not accept the code: `{0}`")]
    Code(String),
    /// The provider could not be reached, or its documents can't be used.
    #[error("the identity provider is unavailable")]
    Away(#[source] Option<Error>),
    /// The provider's answer or token is invalid.
    #[error("the identity provider's answer is invalid: {0}")]
    Answer(&'static str),
    /// The ID token has expired or is not valid yet.
    #[error("{0}: check the clocks of this machine and of the identity provider")]
    Clock(&'static str),
    /// None of the person's groups is mapped to a role.
    #[error("`{0}` has no group with a role")]
    NoRole(String),
}

impl SignInFailure {
    /// Returns the code that the sign-in screen explains.
    pub(crate) const fn code(&self) -> &'static str {
        match self {
            Self::Stale => "stale",
            Self::Denied => "denied",
            Self::Refused(_) => "refused",
            Self::Client(_) => "client",
            Self::Code(_) => "code",
            Self::Away(_) => "unavailable",
            Self::Answer(_) => "invalid",
            Self::Clock(_) => "clock",
            Self::NoRole(_) => "no_role",
        }
    }
}

impl From<Error> for SignInFailure {
    fn from(error: Error) -> Self {
        Self::Away(Some(error))
    }
}

impl From<SignInFailure> for Problem {
    fn from(failure: SignInFailure) -> Self {
        match failure {
            SignInFailure::Answer(reason) | SignInFailure::Clock(reason) => {
                AuthError::Unauthenticated(reason).into()
            }
            SignInFailure::NoRole(_) => AuthError::NoRole.into(),
            // Tokens that clients send have no other failure.
            _ => AuthError::IdentityProviderAway.into(),
        }
    }
}

/// Returns the provider's name of an error with only characters that are safe to log, because
/// anyone can send such an answer.
pub(super) fn word(text: &str) -> String {
    let is_plain = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    text.chars().filter(is_plain).take(64).collect()
}
