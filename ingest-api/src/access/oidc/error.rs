//! Errors of requests to the issuer.

/// Largest document, in bytes.
pub(super) const LARGEST: usize = 256 * 1024;

/// Reason why the issuer gave no usable answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("the issuer is unreachable")]
    Unreachable(#[from] reqwest::Error),
    #[error("the issuer's document is larger than {LARGEST} bytes")]
    TooLarge,
    #[error("the issuer's document is invalid")]
    Unreadable(#[from] serde_json::Error),
    #[error("the discovery document names another issuer")]
    AnotherIssuer,
    #[error("the issuer's key address is not https")]
    Insecure,
    #[error("the issuer has not answered recently")]
    TooManyFetches,
}
