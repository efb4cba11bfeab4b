//! Authentication and authorization.
//!
//! Every route is registered with an [`AuthRequirement`]. The middleware in front of it identifies
//! the caller by an API key ([`Keyring`]), a browser's cookie, a token ([`Oidc`]) or the signature
//! of a webhook.

mod actor;
mod auth_middleware;
mod auth_requirement;
mod authenticator;
mod browser_session;
mod bucket;
mod client;
mod cors_headers;
mod credential;
mod failed_attempts;
mod host;
mod key;
mod keyring;
mod oidc;
mod rate_limiter;
mod routes;
pub(crate) mod sign_in;
pub(crate) mod single_sign_on;

pub(crate) use actor::{Actor, AuthMethod};
pub(crate) use auth_requirement::AuthRequirement;
pub(crate) use authenticator::Authenticator;
pub(crate) use browser_session::{cookie, is_own_page, removals};
pub(crate) use cors_headers::{SecurityHeaders, cross_origin};
pub(crate) use host::names_loopback;
pub use key::NewKey;
pub(crate) use keyring::{CredentialLifetime, MOST_KEYS};
pub(crate) use routes::{Route, Routes, answered, route};
