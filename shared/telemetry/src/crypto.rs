//! Installs the TLS provider of the process.

/// Installs ring as the rustls provider.
///
/// Must run before anything builds an HTTP client, because the clients are compiled without a
/// default of their own. Idempotent: a provider that is already installed stays.
pub fn install_crypto() {
    // `Err` only says that another caller was first.
    let _ = rustls::crypto::ring::default_provider().install_default();
}
