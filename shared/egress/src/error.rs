//! Errors of requests.

use std::time::Duration;

/// Reason why a request failed. No message repeats a path or a query, because they may hold tokens.
#[expect(missing_docs, reason = "the messages name the fields")]
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Ambiguous or malformed URL.
    #[error("invalid URL: {0}")]
    InvalidUrl(&'static str),
    /// The host is not on the allow list.
    #[error("host `{0}` is not allowed")]
    HostNotAllowed(String),
    /// A scheme other than https.
    #[error("`{scheme}` is not allowed for host `{host}`")]
    SchemeNotAllowed { scheme: String, host: String },
    /// The host has a private address.
    #[error("host `{0}` has an address that is not public")]
    PrivateAddress(String),
    /// The host name has no address.
    #[error("failed to resolve host `{host}`")]
    Lookup {
        host: String,
        #[source]
        source: std::io::Error,
    },
    /// More redirects than allowed.
    #[error("too many redirects (limit: {0})")]
    TooManyRedirects(usize),
    /// The response is larger than allowed.
    #[error("response is larger than {0} bytes")]
    TooLarge(usize),
    /// The response is compressed although no compression was requested, so its real size is unknown.
    #[error("response is compressed, but compression is disabled")]
    Compressed,
    /// No complete response within the timeout, which includes redirects.
    #[error("no response within {0:?}")]
    Timeout(Duration),
    /// The connection failed or broke.
    #[error("request to host `{host}` failed")]
    Unreachable {
        host: String,
        #[source]
        source: reqwest::Error,
    },
    /// The client could not be built.
    #[error("failed to build the HTTP client")]
    Client(#[source] reqwest::Error),
}
