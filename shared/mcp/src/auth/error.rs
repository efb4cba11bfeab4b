//! Why there is no token.

use rmcp::transport::auth::AuthError;

/// Why there is no token. No text holds a secret or a token.
#[derive(Debug, thiserror::Error)]
pub(crate) enum AuthFailure {
    /// The server's refusal led to no authorization server.
    #[error(
        "it wants a token, but names no authorization server; \
         say where to get one with `auth.token_url`"
    )]
    NoAuthorizationServer,
    /// The trail broke off.
    #[error("its authorization server can't be found; `auth.token_url` names it without asking")]
    Discovery(#[source] Box<AuthError>),
    /// The token endpoint that was found is no address.
    #[error("its authorization server's token endpoint can't be used")]
    TokenUrl {
        /// Why.
        #[source]
        source: tarsy_egress::Error,
    },
    /// The authorization server was not reached, or may not be.
    #[error("the authorization server can't be asked for a token")]
    Ask(#[source] Box<tarsy_egress::Error>),
    /// It was asked and said no.
    #[error("the authorization server refused a token with HTTP {status}{said}")]
    Refused {
        /// HTTP status.
        status: u16,
        /// Its own words after a colon, if it had any.
        said: String,
    },
    /// It said yes without a token that can be used.
    #[error("the authorization server answered without a bearer token")]
    NoToken,
    /// No assertion could be signed.
    #[error("the client assertion can't be signed with the configured key")]
    Signature,
}

impl AuthFailure {
    pub(super) fn discovery(error: AuthError) -> Self {
        Self::Discovery(Box::new(error))
    }

    pub(super) fn ask(error: tarsy_egress::Error) -> Self {
        Self::Ask(Box::new(error))
    }
}
