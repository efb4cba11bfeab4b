//! Fetches the runbook of a session, once per chain, before its first stage.
//!
//! [`RunbookFetcher::fetch`] takes what the alert names, a URL or `local:<name>`, and answers
//! with the text or with an [`Error`] whose message goes into the session's record. URLs
//! are those people copy from a browser; where a branch ends and a path begins is found by
//! asking for the candidates in order (`github.rs`).

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
