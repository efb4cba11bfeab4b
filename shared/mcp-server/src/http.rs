//! Serves tools over streamable HTTP, without sessions.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::to_bytes;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse as _, Response};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use subtle::ConstantTimeEq as _;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};

use crate::error::Error;
use crate::server::{Protocol, ToolServer};

/// Most concurrent connections.
const CONNECTIONS: usize = 256;
/// Time limit for a request's headers, and again for its body. Also the time that a connection may be idle.
const READ_TIME: Duration = Duration::from_secs(10);
const REQUEST_BYTES: usize = 64 * 1024;
/// Pause after the system failed to accept a connection, e.g. because of a shortage of files.
const NO_CONNECTION: Duration = Duration::from_millis(100);

/// Restrictions on callers over HTTP.
#[derive(Clone, Debug, Default)]
pub struct HttpOptions {
    /// Token that callers send as `Authorization: Bearer`. Without one, only programs on this host may call.
    pub token: Option<String>,
    /// Host names under which the server may be called, in addition to those of loopback.
    pub allowed_hosts: Vec<String>,
}

/// Serves `/mcp` on a socket until `stopped` is ready.
///
/// # Errors
///
/// [`Error::Open`] if the address is not a loopback address and there is no token, or [`Error::Http`].
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
    let own_hosts = ["localhost", "127.0.0.1", "::1"].map(str::to_owned);
    let hosts: Vec<String> = own_hosts.into_iter().chain(options.allowed_hosts).collect();
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_allowed_hosts(hosts)
        .with_max_request_body_bytes(REQUEST_BYTES);
    let protocol = Protocol(Arc::new(server));
    let service = StreamableHttpService::new(
        move || Ok(protocol.clone()),
        Arc::new(NeverSessionManager::default()),
        config,
    );
    let token: Arc<Option<String>> = Arc::new(options.token);
    let router = Router::new()
        .route_service("/mcp", service)
        .layer(middleware::from_fn(read_whole))
        .layer(middleware::from_fn_with_state(token, authenticate))
        .layer(middleware::from_fn(refuse_foreign_pages));
    accept(listener, router, stopped).await;
    Ok(())
}

/// Accepts connections until `stopped` is ready. Then waits for the open ones to finish their requests.
async fn accept(listener: TcpListener, router: Router, stopped: impl Future<Output = ()>) {
    let (stop, stopping) = watch::channel(());
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    let mut stopped = pin!(stopped);
    loop {
        let next = async {
            let place = Arc::clone(&places).acquire_owned().await;
            (listener.accept().await, place)
        };
        let (accepted, place) = tokio::select! {
            next = next => next,
            () = &mut stopped => break,
        };
        let Ok((stream, _)) = accepted else {
            tokio::time::sleep(NO_CONNECTION).await;
            continue;
        };
        let (router, stopping) = (router.clone(), stopping.clone());
        tokio::spawn(async move {
            attend(stream, router, stopping).await;
            drop(place);
        });
    }
    drop(stop);
    let all = u32::try_from(CONNECTIONS).unwrap_or(u32::MAX);
    let _ = places.acquire_many(all).await;
}

async fn attend(stream: TcpStream, router: Router, mut stopping: watch::Receiver<()>) {
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(READ_TIME)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router));
    let mut connection = pin!(connection);
    tokio::select! {
        _ = connection.as_mut() => {}
        // Returns an error as soon as the sender is dropped.
        _ = stopping.changed() => {
            connection.as_mut().graceful_shutdown();
            let _ = connection.await;
        }
    }
}

/// Refuses requests from pages of other origins. Browsers name the page in `Origin`; other programs do not send that
/// header.
async fn refuse_foreign_pages(request: Request, next: Next) -> Response {
    let host = request.headers().get(header::HOST);
    let host = host.and_then(|host| host.to_str().ok());
    let is_own = |origin: &HeaderValue| {
        let origin = origin.to_str().unwrap_or_default();
        let named = origin
            .strip_prefix("http://")
            .or(origin.strip_prefix("https://"));
        named
            .zip(host)
            .is_some_and(|(named, host)| named.eq_ignore_ascii_case(host))
    };
    let mut origins = request.headers().get_all(header::ORIGIN).iter();
    if !origins.all(is_own) {
        return (StatusCode::FORBIDDEN, "pages of other origins may not call").into_response();
    }
    next.run(request).await
}

/// Reads the whole body within its own time limit before the request is passed on.
async fn read_whole(request: Request, next: Next) -> Response {
    let (head, body) = request.into_parts();
    match tokio::time::timeout(READ_TIME, to_bytes(body, REQUEST_BYTES)).await {
        Ok(Ok(body)) => next.run(Request::from_parts(head, body.into())).await,
        Ok(Err(_)) => StatusCode::PAYLOAD_TOO_LARGE.into_response(),
        Err(_) => StatusCode::REQUEST_TIMEOUT.into_response(),
    }
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

#[cfg(test)]
mod tests;
