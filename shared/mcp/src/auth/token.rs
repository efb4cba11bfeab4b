//! An access token and its expiry.

use std::time::{Duration, Instant};

use serde::Deserialize;
use tarsy_model::Secret;

/// A token is renewed this long before its end, or at four fifths of a shorter life.
const MARGIN: Duration = Duration::from_secs(30);

/// An access token. Its value shows in nothing but the request that carries it.
pub(super) struct Token {
    value: Secret,
    /// When to get another; `None`: when it is refused.
    renew_at: Option<Instant>,
}

/// A token endpoint's answer (RFC 6749 §5.1), as far as it matters here.
#[derive(Deserialize)]
pub(super) struct Granted {
    access_token: String,
    token_type: String,
    expires_in: Option<u64>,
}

impl Token {
    /// `None` for a token that is no bearer token, or that no header can carry.
    pub(super) fn new(granted: Granted, asked_at: Instant) -> Option<Self> {
        let sendable = granted.access_token.bytes().all(|b| b.is_ascii_graphic());
        if !granted.token_type.eq_ignore_ascii_case("bearer")
            || granted.access_token.is_empty()
            || !sendable
        {
            return None;
        }
        let renew_at = granted.expires_in.and_then(|seconds| {
            let life = Duration::from_secs(seconds);
            asked_at.checked_add(life.saturating_sub(MARGIN.min(life / 5)))
        });
        Some(Self {
            value: Secret::new(granted.access_token),
            renew_at,
        })
    }

    pub(super) fn is_fresh(&self) -> bool {
        self.renew_at.is_none_or(|at| Instant::now() < at)
    }

    pub(super) fn value(&self) -> String {
        self.value.expose().to_owned()
    }
}
