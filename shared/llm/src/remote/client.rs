//! The HTTP client of a provider.

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Certificate, Client, redirect};
use tarsy_egress::secret_header;

use crate::{InvalidSettings, ProviderSettings};

/// Builds the client.
///
/// It follows no redirects, because it would send the key's header to the redirect's target.
pub(super) fn build(
    settings: &ProviderSettings,
    endpoint: &str,
) -> Result<Client, InvalidSettings> {
    // The client is compiled without a built-in TLS implementation. `Err` means that one is already installed.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let refused = |source: reqwest::Error| InvalidSettings::Client {
        provider: settings.name.clone(),
        source: Box::new(source),
    };
    let mut builder = Client::builder()
        .connect_timeout(settings.connect_timeout)
        .redirect(redirect::Policy::none())
        .default_headers(extra_headers(settings)?)
        .no_gzip()
        .tls_danger_accept_invalid_certs(settings.tls.accept_invalid_certificates);
    let extra_roots = match &settings.tls.extra_roots_pem {
        Some(pem) => Certificate::from_pem_bundle(pem.as_bytes()).map_err(refused)?,
        None => Vec::new(),
    };
    // A machine without root certificates, such as a small container, can then still start if its providers need none.
    let needs_system_roots = settings.is_configured() && endpoint.starts_with("https:");
    builder = if needs_system_roots {
        builder.tls_certs_merge(extra_roots)
    } else {
        builder.tls_certs_only(extra_roots)
    };
    if tarsy_egress::is_loopback(endpoint) {
        builder = builder.no_proxy();
    }
    builder.build().map_err(refused)
}

/// Builds a client for a server inside the cloud: without a proxy and without TLS.
pub(super) fn direct(settings: &ProviderSettings) -> Result<Client, InvalidSettings> {
    let client = Client::builder()
        .connect_timeout(settings.connect_timeout)
        .redirect(redirect::Policy::none())
        .tls_certs_only([])
        .no_proxy();
    client.build().map_err(|source| InvalidSettings::Client {
        provider: settings.name.clone(),
        source: Box::new(source),
    })
}

fn extra_headers(settings: &ProviderSettings) -> Result<HeaderMap, InvalidSettings> {
    let mut headers = HeaderMap::new();
    for (name, value) in &settings.extra_headers {
        let refused = || InvalidSettings::Header {
            provider: settings.name.clone(),
            header: name.clone(),
        };
        let key = HeaderName::try_from(name.as_str()).map_err(|_| refused())?;
        let value = secret_header(value.expose()).map_err(|_| refused())?;
        headers.insert(key, value);
    }
    // A key that does not fit in a header would fail at the first call. Report it at the start.
    HeaderValue::try_from(settings.api_key.expose()).map_err(|_| InvalidSettings::Header {
        provider: settings.name.clone(),
        header: "API key".into(),
    })?;
    Ok(headers)
}
