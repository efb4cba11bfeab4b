//! Fetches the runbook of a session, once per chain, before its first stage.
//!
//! [`RunbookFetcher::fetch`] takes the location in the alert, a URL or `local:<name>`. It returns the text, or an
//! [`Error`] whose message goes into the session's record. People copy URLs from a browser, where a page's URL does not
//! show where the branch ends and the path begins. So several candidate URLs are tried in order (`github.rs`).

mod cache;
mod content;
mod error;
mod fetcher;
mod github;
mod local;
mod rate_limit;
mod repository;

pub use cache::{CachedRunbook, NoCache, RunbookCache};
pub use error::Error;
pub use fetcher::{Freshness, Runbook, RunbookFetcher};
