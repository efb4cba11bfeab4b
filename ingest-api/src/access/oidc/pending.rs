//! A sign-in that has begun: the data that binds the provider's answer to the browser that asked.
//!
//! The browser keeps a random secret in a cookie. State, nonce and code verifier are derived from
//! it. So no process keeps anything, any process can finish a sign-in that another began, and only
//! this browser can.

use std::time::Duration;

use axum::http::{HeaderMap, HeaderValue};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use rand::RngCore as _;
use ring::hmac;
use subtle::ConstantTimeEq as _;

use crate::access::browser_session::{host_prefix, set_cookie, single};
use crate::server::clock;

/// Maximum time between the start and the provider's answer.
const LIFETIME: Duration = Duration::from_secs(600);
/// Tolerated difference between the clocks of the fleet.
const SKEW: Duration = Duration::from_secs(60);
/// Longest path to return to, in bytes. Browsers limit cookies to 4 KiB.
const LONGEST_PATH: usize = 2_048;
const SECRET_BYTES: usize = 32;
const COOKIE: &str = "tarsy_sign_in";

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Pending {
    secret: [u8; SECRET_BYTES],
    /// Unix seconds.
    begun_at: u64,
    /// Path of the page to return to. It is validated when it is used.
    return_to: String,
}

impl Pending {
    /// Begins a sign-in now. A path that is too long for the cookie is dropped.
    pub(super) fn begin(return_to: &str) -> Self {
        let mut secret = [0; SECRET_BYTES];
        rand::rng().fill_bytes(&mut secret);
        let kept = Some(return_to).filter(|path| path.len() <= LONGEST_PATH);
        Self {
            secret,
            begun_at: now(),
            return_to: kept.unwrap_or_default().to_owned(),
        }
    }

    /// Returns the sign-in that this browser began, if it is at most [`LIFETIME`] old.
    pub(crate) fn of_browser(headers: &HeaderMap, is_secure: bool) -> Option<Self> {
        let name = format!("{}{COOKIE}", host_prefix(is_secure));
        let (secret, rest) = single(headers, &name)?.split_once('.')?;
        let (begun_at, return_to) = rest.split_once('.')?;
        let pending = Self {
            secret: BASE64.decode(secret).ok()?.try_into().ok()?,
            begun_at: begun_at.parse().ok()?,
            return_to: String::from_utf8(BASE64.decode(return_to).ok()?).ok()?,
        };
        let latest = pending.begun_at.checked_add(LIFETIME.as_secs())?;
        let earliest = pending.begun_at.saturating_sub(SKEW.as_secs());
        (earliest..=latest).contains(&now()).then_some(pending)
    }

    /// Returns the `Set-Cookie` header that stores this sign-in. `SameSite=Lax`, because the answer
    /// arrives by a link from the provider.
    pub(crate) fn cookie(&self, is_secure: bool) -> HeaderValue {
        let secret = BASE64.encode(self.secret);
        let return_to = BASE64.encode(&self.return_to);
        let value = format!("{secret}.{}.{return_to}", self.begun_at);
        set_cookie(COOKIE, &value, LIFETIME, "Lax", is_secure)
    }

    /// Returns the `Set-Cookie` header that removes the cookie.
    pub(crate) fn removal(is_secure: bool) -> HeaderValue {
        set_cookie(COOKIE, "", Duration::ZERO, "Lax", is_secure)
    }

    /// Path of the page that the browser asked for.
    pub(crate) fn return_to(&self) -> &str {
        &self.return_to
    }

    /// Returns the value of `state` (RFC 6749, 10.12). It also covers time and path, which are in
    /// plain text in the cookie.
    pub(super) fn state(&self) -> String {
        self.derived(&format!("state {} {}", self.begun_at, self.return_to))
    }

    /// Returns whether an answer belongs to this sign-in.
    pub(super) fn has_state(&self, state: &str) -> bool {
        self.state().as_bytes().ct_eq(state.as_bytes()).into()
    }

    /// Returns the value of `nonce`, which the provider repeats in the ID token.
    pub(super) fn nonce(&self) -> String {
        self.derived("nonce")
    }

    /// Returns whether an ID token was made for this sign-in.
    pub(super) fn has_nonce(&self, nonce: &str) -> bool {
        self.nonce().as_bytes().ct_eq(nonce.as_bytes()).into()
    }

    /// Returns the code verifier of PKCE (RFC 7636): 43 characters.
    pub(super) fn verifier(&self) -> String {
        self.derived("verifier")
    }

    fn derived(&self, purpose: &str) -> String {
        let key = hmac::Key::new(hmac::HMAC_SHA256, &self.secret);
        BASE64.encode(hmac::sign(&key, purpose.as_bytes()))
    }
}

fn now() -> u64 {
    u64::try_from(clock::now_us() / 1_000_000).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the headers of a browser that has this sign-in's cookie, with its value changed by `change`.
    fn browser(pending: &Pending, change: impl Fn(&str) -> String) -> HeaderMap {
        let set = pending.cookie(true);
        let (name, value) = set.to_str().unwrap().split_once('=').unwrap();
        let value = change(value.split(';').next().unwrap());
        let mut headers = HeaderMap::new();
        headers.insert("cookie", format!("{name}={value}").parse().unwrap());
        headers
    }

    #[test]
    fn a_browser_brings_back_what_it_was_given() {
        let begun = Pending::begin("/dashboard/fleet?a=b#c");
        let headers = browser(&begun, str::to_owned);
        let found = Pending::of_browser(&headers, true).unwrap();
        assert_eq!(found, begun);
        assert!(found.has_state(&begun.state()) && found.has_nonce(&begun.nonce()));
        assert_eq!(begun.verifier().len(), 43);
        let values = [begun.state(), begun.nonce(), begun.verifier()];
        assert!(values[0] != values[1] && values[1] != values[2] && values[0] != values[2]);
        assert_eq!(Pending::of_browser(&headers, false), None, "of http");
    }

    #[test]
    fn another_browser_and_a_changed_cookie_have_another_state() {
        let begun = Pending::begin("/dashboard/");
        assert!(!Pending::begin("/dashboard/").has_state(&begun.state()));
        assert!(!begun.has_state("") && !begun.has_nonce(""));
        let moved = |change: fn(&str) -> String| {
            let found = Pending::of_browser(&browser(&begun, change), true);
            found.is_some_and(|found| found.has_state(&begun.state()))
        };
        assert!(moved(str::to_owned));
        assert!(!moved(|value| {
            let (kept, _) = value.rsplit_once('.').unwrap();
            format!("{kept}.{}", BASE64.encode("/dev-ui/"))
        }));
        assert!(!moved(|value| value.chars().rev().collect()));
        assert!(!moved(|_| String::new()));
    }

    #[test]
    fn a_sign_in_ends_by_itself() {
        let begun_at = |begun_at: u64| {
            let pending = Pending {
                begun_at,
                ..Pending::begin("")
            };
            Pending::of_browser(&browser(&pending, str::to_owned), true).is_some()
        };
        assert!(begun_at(now()) && begun_at(now() - 590) && begun_at(now() + 30));
        assert!(!begun_at(now() - 660) && !begun_at(now() + 120) && !begun_at(u64::MAX));
    }

    #[test]
    fn a_path_that_fits_no_cookie_is_forgotten() {
        assert_eq!(Pending::begin(&"x".repeat(3_000)).return_to(), "");
    }
}
