//! Why a browser was not signed in at the identity provider.

use crate::access::oidc::Rejected;
use crate::access::oidc::issuer;

/// See the module. The causes are logged; the page gets [`SignInFailure::code`] alone.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SignInFailure {
    /// No cookie, an old one, or one of another sign-in.
    #[error("this browser did not begin the sign-in, or began it too long ago")]
    Stale,
    /// The person or the provider's rules said no.
    #[error("the identity provider denied the sign-in")]
    Denied,
    /// Another error of the authorization endpoint, as it names it.
    #[error("the identity provider answered with the error `{0}`")]
    Refused(String),
    /// The token endpoint does not know us.
    #[error("the identity provider does not accept the client: `{0}`")]
    Client(String),
    /// The code is used, too old, or not for this browser.
    #[error("the identity provider does not accept the code: `{0}`")]
    Code(String),
    /// The provider gave no usable answer.
    #[error("the identity provider is unavailable")]
    Away(#[source] Option<issuer::Error>),
    /// An answer that makes no sense.
    #[error("the identity provider's answer is invalid: {0}")]
    Answer(&'static str),
    /// The ID token does not hold now.
    #[error("{0}: check the clocks of this machine and of the identity provider")]
    Clock(&'static str),
    /// No group of the person has a role.
    #[error("`{0}` has no group with a role")]
    NoRole(String),
}

impl SignInFailure {
    /// The word that the sign-in screen explains.
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

impl From<issuer::Error> for SignInFailure {
    fn from(error: issuer::Error) -> Self {
        Self::Away(Some(error))
    }
}

impl From<Rejected> for SignInFailure {
    fn from(rejected: Rejected) -> Self {
        match rejected {
            Rejected::Invalid(reason) => Self::Answer(reason),
            Rejected::OutOfTime(reason) => Self::Clock(reason),
            Rejected::Away => Self::Away(None),
        }
    }
}

/// What a provider calls an error, as far as it is safe to log: anybody can send an answer.
pub(super) fn word(text: &str) -> String {
    let is_plain = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    text.chars().filter(is_plain).take(64).collect()
}
