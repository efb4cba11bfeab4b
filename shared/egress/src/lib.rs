//! HTTP client for URLs from untrusted input, guarded against server-side request forgery.
//!
//! A URL from an alert or a webhook can name a cloud's metadata service, a database, or this process itself. [`Client`]
//! calls only hosts on its [`Policy`]'s list. It resolves a name once, refuses it if any of its addresses is not
//! public, and connects only to the addresses that it has checked.
//!
//! A proxy from the environment resolves names itself, so each name is checked in the same way before the proxy gets
//! it. The client follows redirects itself and checks each one like the first URL. Size and time are limited, and
//! compression is off.

mod client;
mod error;
mod headers;
mod lookup;
mod policy;
mod proxies;
mod public_address;
mod retry_after;

pub use client::{Client, Response};
pub use error::Error;
pub use headers::{only_to, secret_header};
pub use lookup::{Lookup, SystemLookup};
pub use policy::{Access, Policy, parse_url};
pub use proxies::is_loopback;
pub use public_address::is_public;
pub use retry_after::{retry_after, server_time};
