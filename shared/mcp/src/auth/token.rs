//! An access token and its expiry.

use std::time::{Duration, Instant};

use serde::Deserialize;
use tarsy_model::Secret;

/// Time before its expiry at which a token is renewed. A token with a short lifetime is renewed after four fifths of
/// it.
const MARGIN: Duration = Duration::from_secs(30);

/// An access token. Its value appears only in the requests that carry it.
pub(super) struct Token {
    value: Secret,
    /// When to request another token; `None`: after a refusal.
    renew_at: Option<Instant>,
}

/// Response of a token endpoint (RFC 6749 §5.1), with the members that are used here.
#[derive(Deserialize)]
pub(super) struct Granted {
    access_token: String,
    token_type: String,
    expires_in: Option<u64>,
}

impl Token {
    /// Creates a token. `None` if it is not a bearer token or a header can't carry it.
    pub(super) fn new(granted: Granted, requested_at: Instant) -> Option<Self> {
        let sendable = granted.access_token.bytes().all(|b| b.is_ascii_graphic());
        if !granted.token_type.eq_ignore_ascii_case("bearer")
            || granted.access_token.is_empty()
            || !sendable
        {
            return None;
        }
        let renew_at = granted.expires_in.and_then(|seconds| {
            let life = Duration::from_secs(seconds);
            requested_at.checked_add(life.saturating_sub(MARGIN.min(life / 5)))
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
