//! Errors of fetching an access token.

use rmcp::transport::auth::AuthError;

/// Reason why fetching an access token failed. No message contains a secret or a token.
#[derive(Debug, thiserror::Error)]
pub(crate) enum AuthFailure {
    /// The 401 response does not lead to an authorization server.
    #[error("the server requires a token but names no authorization server; set `auth.token_url`")]
    NoAuthorizationServer,
    #[error("authorization server discovery failed; set `auth.token_url` to skip it")]
    Discovery(#[source] Box<AuthError>),
    /// The discovered token endpoint is not a valid URL.
    #[error("invalid token endpoint of the authorization server")]
    TokenUrl {
        #[source]
        source: tarsy_egress::Error,
    },
    /// The request failed, or the address is not allowed.
    #[error("request to the authorization server failed")]
    Ask(#[source] Box<tarsy_egress::Error>),
    /// The authorization server rejected the request.
    #[error("the authorization server rejected the token request with HTTP {status}{description}")]
    Refused {
        status: u16,
        /// Error that the server reported, after a colon; empty if it reported none.
        description: String,
    },
    /// The response is a success but holds no usable token.
    #[error("the authorization server returned no bearer token")]
    NoToken,
    /// Signing the assertion failed.
    #[error("failed to sign the client assertion with the configured key")]
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
