//! Installs the TLS provider of the process.

/// Installs ring as the rustls provider.
///
/// It must run before any HTTP client is built, because the clients are compiled without a default provider.
/// Idempotent: a provider that is already installed stays.
pub fn install_crypto() {
    // `Err` only means that another caller was first.
    let _ = rustls::crypto::ring::default_provider().install_default();
}
