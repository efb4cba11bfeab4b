//! Authentication and authorization errors.

use std::time::Duration;

use axum::http::{HeaderMap, HeaderValue, header};
use serde_json::json;
use tarsy_model::Role;

use crate::problem::Code;
use crate::problem::public_message::{PublicMessage, public_message};

/// Authentication, authorization or rate limit error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AuthError {
    /// Missing or invalid credentials.
    #[error("authentication required")]
    Unauthenticated(&'static str),
    /// The role is insufficient.
    #[error("insufficient role")]
    Forbidden {
        /// The required role.
        needed: Role,
        /// The caller's role.
        has: Role,
    },
    /// The caller requested the session by a message or a question, and so may not approve it.
    #[error("own request")]
    OwnRequest,
    /// The token is valid but maps to no role.
    #[error("no role")]
    NoRole,
    /// The caller's rate limit is exceeded; holds the time to wait.
    #[error("too many requests")]
    RateLimited(Duration),
    /// A webhook source's rate limit is exceeded. Answered with 503, because several monitoring systems never retry a 429.
    #[error("too many webhooks")]
    SourceRateLimited(Duration),
    /// The identity provider's signing keys are unavailable.
    #[error("the identity provider is unavailable")]
    IdentityProviderAway,
}

impl AuthError {
    pub(super) fn public_message(&self) -> PublicMessage {
        match self {
            Self::Unauthenticated(reason) => public_message(Code::Unauthenticated, *reason),
            Self::Forbidden { needed, has } => public_message(
                Code::Forbidden,
                format!("role {needed} is required, the caller has {has}"),
            )
            .with(json!({ "needed_role": needed, "role": has })),
            Self::OwnRequest => public_message(
                Code::OwnRequest,
                "you asked for this yourself: somebody else approves it, or the configuration allows it by `approvals.own_requests`",
            ),
            Self::NoRole => public_message(
                Code::Forbidden,
                "the token's claims map to no role; see TARSY_OIDC_ROLE_CLAIM and TARSY_OIDC_ROLES",
            ),
            Self::RateLimited(wait) => public_message(
                Code::RateLimited,
                format!("retry after {} s; see TARSY_RATE_LIMIT", seconds(*wait)),
            ),
            Self::SourceRateLimited(wait) => public_message(
                Code::SourceRateLimited,
                format!("retry after {} s; see TARSY_RATE_LIMIT", seconds(*wait)),
            ),
            Self::IdentityProviderAway => public_message(
                Code::IdentityProviderAway,
                "the identity provider's keys can't be fetched; API keys still work",
            ),
        }
    }

    /// Returns how long the caller should wait, if that is known.
    pub(super) const fn wait(&self) -> Option<Duration> {
        match self {
            Self::RateLimited(wait) | Self::SourceRateLimited(wait) => Some(*wait),
            _ => None,
        }
    }

    /// Adds the headers of the error.
    pub(super) fn add_headers(&self, headers: &mut HeaderMap) {
        if let Self::Forbidden { .. } | Self::NoRole = self {
            headers.insert(header::WWW_AUTHENTICATE, INSUFFICIENT);
        }
    }
}

/// Challenge for an insufficient role (RFC 6750, 3.1).
const INSUFFICIENT: HeaderValue =
    HeaderValue::from_static("Bearer realm=\"tarsy\", error=\"insufficient_scope\"");

/// Whole seconds for `Retry-After`, at least 1.
pub(super) fn seconds(wait: Duration) -> u64 {
    wait.as_millis()
        .div_ceil(1_000)
        .try_into()
        .unwrap_or(u64::MAX)
        .max(1)
}
