//! Why a request was not made, or came to nothing.

use std::time::Duration;

/// Why a request was not made, or came to nothing. No message repeats a path or a query:
/// they may hold tokens.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Not a URL that means one thing to everybody who reads it.
    #[error("not a usable URL: {0}")]
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
    #[error("host `{host}` can't be resolved")]
    Lookup {
        /// The name.
        host: String,
        /// What the resolver said.
        #[source]
        source: std::io::Error,
    },
    /// More redirects than allowed.
    #[error("more than {0} redirects")]
    TooManyRedirects(usize),
    /// The answer is larger than allowed.
    #[error("the answer is larger than {0} bytes")]
    TooLarge(usize),
    /// The answer is compressed although that was not asked for; what it would grow to is
    /// unknown.
    #[error("the answer is compressed, which was not asked for")]
    Compressed,
    /// No answer in time, redirects included.
    #[error("no answer within {0:?}")]
    Timeout(Duration),
    /// No connection, or one that broke.
    #[error("host `{host}` can't be reached")]
    Unreachable {
        /// Whom it was for.
        host: String,
        /// What the client said.
        #[source]
        source: reqwest::Error,
    },
    /// The client could not be built.
    #[error("the HTTP client can't be built")]
    Client(#[source] reqwest::Error),
}
