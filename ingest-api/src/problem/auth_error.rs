//! ReasonBody somebody is not let in.

use std::time::Duration;

use axum::http::{HeaderMap, HeaderValue, header};
use serde_json::json;
use tarsy_model::Role;

use super::Code;
use super::public_message::{PublicMessage, public_message};

/// ReasonBody somebody is not let in, or not now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AuthError {
    /// Nothing shows who asks; the text says what is wrong.
    #[error("nobody we know")]
    Unauthenticated(&'static str),
    /// They may not do this.
    #[error("not with this role")]
    Forbidden {
        /// What it takes.
        needed: Role,
        /// What they have.
        has: Role,
    },
    /// Their token is valid, and gives them no role.
    #[error("no role")]
    NoRole,
    /// They ask too much; how long to wait.
    #[error("too many requests")]
    RateLimited(Duration),
    /// As before, for a webhook: several monitoring systems give up for good at a 429.
    #[error("too many webhooks")]
    SourceRateLimited(Duration),
    /// Nothing is known of the keys that tokens are signed with.
    #[error("the identity provider can't be asked")]
    IdentityProviderAway,
}

impl AuthError {
    pub(super) fn public_message(&self) -> PublicMessage {
        match self {
            Self::Unauthenticated(reason) => public_message(Code::Unauthenticated, *reason),
            Self::Forbidden { needed, has } => public_message(
                Code::Forbidden,
                format!("this takes the role {needed}, and you have {has}"),
            )
            .with(json!({ "needed_role": needed, "role": has })),
            Self::NoRole => public_message(
                Code::Forbidden,
                "no claim of the token gives a role: see TARSY_OIDC_ROLE_CLAIM and TARSY_OIDC_ROLES",
            ),
            Self::RateLimited(wait) => public_message(
                Code::RateLimited,
                format!("wait for {} s; see TARSY_RATE_LIMIT", seconds(*wait)),
            ),
            Self::SourceRateLimited(wait) => public_message(
                Code::SourceRateLimited,
                format!(
                    "send it again after {} s; see TARSY_RATE_LIMIT",
                    seconds(*wait)
                ),
            ),
            Self::IdentityProviderAway => public_message(
                Code::IdentityProviderAway,
                "the identity provider's keys can't be fetched; API keys work",
            ),
        }
    }

    /// How long the caller should wait, where that is known.
    pub(super) const fn wait(&self) -> Option<Duration> {
        match self {
            Self::RateLimited(wait) | Self::SourceRateLimited(wait) => Some(*wait),
            _ => None,
        }
    }

    /// What a client acts on without reading the body.
    pub(super) fn add_headers(&self, headers: &mut HeaderMap) {
        if let Self::Forbidden { .. } | Self::NoRole = self {
            headers.insert(header::WWW_AUTHENTICATE, INSUFFICIENT);
        }
    }
}

/// RFC 6750, 3.1.
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
