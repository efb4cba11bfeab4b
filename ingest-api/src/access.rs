//! Who asks, and what they may do.
//!
//! A route is registered with what it [`Need`]s ([`Routes`] takes it no other way); the guard in
//! front of it finds out who asks, from an API key ([`Keyring`]), a token ([`Oidc`]) or a
//! webhook's signature, and lets them in or not.

mod actor;
mod auth_requirement;
mod bucket;
mod client;
mod credential;
mod gate;
mod guard;
mod host;
mod key;
mod keyring;
mod limiter;
mod oidc;
mod pages;
mod routes;
mod strangers;

pub(crate) use actor::Actor;
pub(crate) use auth_requirement::Need;
pub(crate) use gate::Gate;
pub(crate) use host::only_loopback;
pub use key::NewKey;
pub(crate) use keyring::{MOST_KEYS, Standing};
pub(crate) use pages::{cross_origin, security_headers};
pub(crate) use routes::Routes;
