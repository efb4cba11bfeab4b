//! Streamable HTTP, without sessions.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse as _, Response};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use subtle::ConstantTimeEq as _;
use tokio::net::TcpListener;

use crate::error::Error;
use crate::server::{Protocol, ToolServer};

/// Who may call over HTTP.
#[derive(Clone, Debug, Default)]
pub struct HttpOptions {
    /// What callers send as `Authorization: Bearer`. Without it only this host's programs may call.
    pub token: Option<String>,
    /// Names under which the server is called, beside those of loopback.
    pub allowed_hosts: Vec<String>,
}

/// Serves `/mcp` on a socket until `stopped` is ready.
///
/// # Errors
///
/// [`Error::Open`] for an address beyond loopback without a token, or [`Error::Http`].
pub async fn serve_http(
    server: impl ToolServer,
    listener: TcpListener,
    options: HttpOptions,
    stopped: impl Future<Output = ()> + Send + 'static,
) -> Result<(), Error> {
    let address = listener.local_addr()?;
    if options.token.is_none() && !address.ip().is_loopback() {
        return Err(Error::Open(address));
    }
    let mut hosts = vec![
        "localhost".to_owned(),
        "127.0.0.1".to_owned(),
        "::1".to_owned(),
    ];
    hosts.extend(options.allowed_hosts);
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_allowed_hosts(hosts)
        .with_max_request_body_bytes(64 * 1024);
    let protocol = Protocol(Arc::new(server));
    let service = StreamableHttpService::new(
        move || Ok(protocol.clone()),
        Arc::new(NeverSessionManager::default()),
        config,
    );
    let token: Arc<Option<String>> = Arc::new(options.token);
    let router = Router::new()
        .route_service("/mcp", service)
        .layer(middleware::from_fn_with_state(token, authenticate));
    axum::serve(listener, router)
        .with_graceful_shutdown(stopped)
        .await?;
    Ok(())
}

async fn authenticate(
    State(token): State<Arc<Option<String>>>,
    request: Request,
    next: Next,
) -> Response {
    if let Some(token) = token.as_deref() {
        let sent = request
            .headers()
            .get(header::AUTHORIZATION)
            .and_then(|value| value.to_str().ok());
        let sent = sent
            .and_then(|value| value.strip_prefix("Bearer "))
            .unwrap_or_default();
        if !bool::from(sent.as_bytes().ct_eq(token.as_bytes())) {
            return (StatusCode::UNAUTHORIZED, "a token is needed").into_response();
        }
    }
    next.run(request).await
}
