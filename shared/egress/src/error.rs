//! Errors of requests.

use std::time::Duration;

/// Why a request failed. No message repeats a path or a query:
/// they may hold tokens.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Not a URL that means one thing to everybody who reads it.
    #[error("invalid URL: {0}")]
    InvalidUrl(&'static str),
    /// The host is not on the list.
    #[error("host `{0}` is not allowed")]
    HostNotAllowed(String),
    /// Not https.
    #[error("`{scheme}` is not allowed for host `{host}`")]
    SchemeNotAllowed {
        /// As written.
        scheme: String,
        /// Whom it was for.
        host: String,
    },
    /// The host has an address inside somebody's network.
    #[error("host `{0}` has an address that is not public")]
    PrivateAddress(String),
    /// The name has no address.
    #[error("failed to resolve host `{host}`")]
    Lookup {
        /// The name.
        host: String,
        /// What the resolver said.
        #[source]
        source: std::io::Error,
    },
    /// More redirects than allowed.
    #[error("too many redirects (limit: {0})")]
    TooManyRedirects(usize),
    /// The answer is larger than allowed.
    #[error("response is larger than {0} bytes")]
    TooLarge(usize),
    /// The answer is compressed although that was not asked for; what it would grow to is
    /// unknown.
    #[error("response is compressed, but compression is disabled")]
    Compressed,
    /// No answer in time, redirects included.
    #[error("no response within {0:?}")]
    Timeout(Duration),
    /// No connection, or one that broke.
    #[error("request to host `{host}` failed")]
    Unreachable {
        /// Whom it was for.
        host: String,
        /// What the client said.
        #[source]
        source: reqwest::Error,
    },
    /// The client could not be built.
    #[error("failed to build the HTTP client")]
    Client(#[source] reqwest::Error),
}
