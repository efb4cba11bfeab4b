//! Streamable HTTP transport.

use std::collections::HashMap;
use std::time::Duration;

use reqwest::header::{HeaderName, HeaderValue};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::common::client_side_sse::ExponentialBackoff;
use rmcp::transport::streamable_http_client::{
    StreamableHttpClientTransportConfig, StreamableHttpError,
};

use tarsy_model::{LocalFault, Shortage};

use super::StartFailure;
use super::authorized::AuthorizedClient;
use super::endpoint::Endpoint;
use super::inflow::Inflow;
use crate::auth::Authorizer;
use crate::client::Client;
use crate::error::Error;
use crate::settings::HttpSettings;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Most redirects that are followed for one request.
const MOST_REDIRECTS: usize = 3;
/// Headers of the protocol, which the configuration can't set.
const RESERVED: &[&str] = &[
    "accept",
    "content-type",
    "mcp-session-id",
    "mcp-protocol-version",
    "last-event-id",
];

/// Checks address and headers.
pub(crate) fn check(server: &str, settings: &HttpSettings) -> Result<(), Error> {
    let bad = |reason: String| Error::BadUrl {
        server: server.to_owned(),
        reason,
    };
    let url = url::Url::parse(&settings.url).map_err(|error| bad(error.to_string()))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(bad(format!(
            "scheme `{}` is neither http nor https",
            url.scheme()
        )));
    }
    headers(settings)
        .map(drop)
        .map_err(|header| Error::BadHeader {
            server: server.to_owned(),
            header,
        })
}

/// Returns the configured headers, or the name of one that can't be sent.
pub(crate) fn headers(settings: &HttpSettings) -> Result<HashMap<HeaderName, HeaderValue>, String> {
    let parse = |(name, value): (&String, &crate::Secret)| {
        let parsed = HeaderName::from_bytes(name.as_bytes())
            .ok()
            .zip(HeaderValue::from_str(value.expose().trim()).ok());
        let (parsed, mut value) = parsed.ok_or_else(|| name.clone())?;
        if RESERVED.contains(&parsed.as_str()) {
            return Err(name.clone());
        }
        value.set_sensitive(true);
        Ok((parsed, value))
    };
    settings.headers.iter().map(parse).collect()
}

/// Builds a client that connects within a time limit and sends credentials to no other origin.
pub(crate) fn client(settings: &HttpSettings) -> Result<reqwest::Client, StartFailure> {
    let mut builder = reqwest::Client::builder();
    if tarsy_egress::is_loopback(&settings.url) {
        builder = builder.no_proxy();
    }
    builder
        .connect_timeout(settings.connect_timeout.unwrap_or(CONNECT_TIMEOUT))
        .pool_max_idle_per_host(0)
        .redirect(reqwest::redirect::Policy::custom(within_origin))
        .tls_danger_accept_invalid_certs(settings.accept_invalid_certificates)
        .build()
        .map_err(|error| StartFailure {
            fault: shortage_now().map(LocalFault::Shortage),
            ..format!("no HTTP client: {error}").into()
        })
}

/// Returns the current shortage of files, if there is one. The client reads the machine's certificates, but its error
/// does not state why that failed.
fn shortage_now() -> Option<Shortage> {
    Shortage::find(&std::fs::File::open("/dev/null").err()?)
}

/// Follows a redirect that keeps the method and the origin, e.g. from `/mcp` to `/mcp/`. Credentials go nowhere else.
fn within_origin(attempt: reqwest::redirect::Attempt<'_>) -> reqwest::redirect::Action {
    let keeps_method = matches!(attempt.status().as_u16(), 307 | 308);
    let is_own = attempt
        .previous()
        .first()
        .is_some_and(|first| first.origin() == attempt.url().origin());
    match keeps_method && is_own && attempt.previous().len() < MOST_REDIRECTS {
        true => attempt.follow(),
        false => attempt.stop(),
    }
}

/// Creates the transport. Sends nothing yet.
pub(crate) fn transport(
    settings: &HttpSettings,
    tokens: Option<Authorizer>,
    max_message_bytes: usize,
    inflow: Inflow,
    listener: Client,
) -> Result<StreamableHttpClientTransport<Endpoint>, StartFailure> {
    let mut config = StreamableHttpClientTransportConfig::with_uri(settings.url.as_str())
        .custom_headers(headers(settings)?)
        .max_sse_event_size(max_message_bytes)
        // The owner of the connection reconnects, because it also knows which calls may be repeated.
        .reinit_on_expired_session(false);
    let mut backoff = ExponentialBackoff::default();
    backoff.max_times = Some(3);
    config.retry_config = std::sync::Arc::new(backoff);
    if let Some(bearer) = &settings.bearer {
        // Secrets that come from files end with a newline.
        config = config.auth_header(bearer.expose().trim());
    }
    Ok(StreamableHttpClientTransport::with_client(
        Endpoint::new(
            AuthorizedClient::new(client(settings)?, tokens),
            inflow,
            listener,
        ),
        config,
    ))
}

/// Returns the HTTP client's error inside an error of the transport.
pub(crate) fn client_error<'e>(
    error: &'e (dyn std::error::Error + 'static),
) -> Option<&'e (dyn std::error::Error + 'static)> {
    match error.downcast_ref::<StreamableHttpError<reqwest::Error>>() {
        Some(StreamableHttpError::Client(error)) => Some(error),
        _ => None,
    }
}

/// Whether this error shows that the server did nothing.
pub(crate) fn never_arrived(error: &(dyn std::error::Error + 'static)) -> bool {
    if let Some(error) = error.downcast_ref::<StreamableHttpError<reqwest::Error>>() {
        return match error {
            // The server rejected the request without processing it.
            StreamableHttpError::SessionExpired
            | StreamableHttpError::Auth(_)
            | StreamableHttpError::AuthRequired(_) => true,
            StreamableHttpError::Client(error) => error.is_connect(),
            _ => false,
        };
    }
    error
        .downcast_ref::<reqwest::Error>()
        .is_some_and(reqwest::Error::is_connect)
}
