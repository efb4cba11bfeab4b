//! HTTP client for URLs from untrusted input, guarded against server-side request forgery.
//!
//! A URL from an alert or a webhook can name a cloud's metadata service, a database or this
//! process itself. [`Client`] asks only hosts on its [`Policy`]'s list, resolves a name
//! once, refuses it if any of its addresses is not public, and connects only to the
//! addresses that it has checked. Where the environment names a proxy, which resolves names by
//! itself, a name is checked the same way before it is handed over. It follows redirects itself and
//! checks each one like the first. Size and time are bounded, compression is off.

mod client;
mod error;
mod lookup;
mod policy;
mod proxies;
mod public_address;
mod retry_after;

pub use client::{Client, Response};
pub use error::Error;
pub use lookup::{Lookup, SystemLookup};
pub use policy::{Access, Policy, parse_url};
pub use proxies::is_loopback;
pub use public_address::is_public;
pub use retry_after::{retry_after, server_time};
