//! Requests to addresses that somebody else chose, without becoming their way inside.
//!
//! A URL from an alert or a webhook can name a cloud's metadata service, a database or this
//! process itself. [`Client`] asks only hosts on its [`Policy`]'s list, resolves a name
//! once, refuses it if any of its addresses is not public, and connects to exactly the
//! addresses it has checked. Redirects are followed by hand, each hop checked like the
//! first. Size and time are bounded, proxies and compression are off.

mod client;
mod error;
mod lookup;
mod policy;
mod public_address;

pub use client::{Client, Response};
pub use error::Error;
pub use lookup::{Lookup, SystemLookup};
pub use policy::{Access, Policy, parse_url};
pub use public_address::is_public;
