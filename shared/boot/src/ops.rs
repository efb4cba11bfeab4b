//! Serves a worker's probes and metrics: `/livez`, `/readyz`, `/health`, `/metrics`.
//!
//! Anyone who can reach the port may use it, so its resources are limited. It serves one request per connection and few
//! connections at a time, and each connection ends soon.

use std::convert::Infallible;
use std::io::ErrorKind;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use hyper::body::Incoming;
use hyper::header::{ACCEPT, CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use serde_json::{Map, Value, json};
use tarsy_config::settings::OpsListen;
use tarsy_metrics::housekeeping::DutyAge;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

use crate::{Error, Readiness};

/// Port on which a `chain-worker` listens by default.
pub const CHAIN_WORKER_PORT: u16 = 9101;
/// Port on which a `stage-worker` listens by default.
pub const STAGE_WORKER_PORT: u16 = 9102;
/// Port on which `tarsy up` serves its workers' probes and metrics by default.
pub const UP_PORT: u16 = 9103;

/// Maximum number of connections at a time.
const CONNECTIONS: usize = 32;
/// How long a connection may last.
const PATIENCE: Duration = Duration::from_secs(10);
/// Pause after the system could not accept a connection, e.g. because it has no free file descriptors.
const NO_CONNECTION: Duration = Duration::from_millis(100);

/// Binds the address, and serves requests until the task is aborted. Returns `None` if the port is switched off.
///
/// # Errors
///
/// [`Error::Ops`] if a configured address is not available.
pub(crate) async fn serve(
    listen: OpsListen,
    default_port: u16,
    readiness: Readiness,
) -> Result<Option<JoinHandle<()>>, Error> {
    let Some(listener) = bind(listen, default_port).await? else {
        return Ok(None);
    };
    if let Ok(address) = listener.local_addr() {
        tracing::info!(ops.address = %address, "probes and metrics are served");
    }
    Ok(Some(tokio::spawn(accept(listener, readiness))))
}

async fn bind(listen: OpsListen, default_port: u16) -> Result<Option<TcpListener>, Error> {
    let address = match listen {
        OpsListen::Off => return Ok(None),
        OpsListen::At(address) => address,
        OpsListen::Default => SocketAddr::from((Ipv4Addr::LOCALHOST, default_port)),
    };
    let bound = match TcpListener::bind(address).await {
        Err(error) if error.kind() == ErrorKind::AddrInUse && listen == OpsListen::Default => {
            tracing::warn!(%address, "the default address of probes and metrics is taken; using any free port");
            TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await
        }
        bound => bound,
    };
    let listener = bound.map_err(|source| Error::Ops { address, source })?;
    Ok(Some(listener))
}

async fn accept(listener: TcpListener, readiness: Readiness) {
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    while let Ok(place) = Arc::clone(&places).acquire_owned().await {
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(error) => {
                tracing::warn!(?error, "no connection can be taken");
                tokio::time::sleep(NO_CONNECTION).await;
                continue;
            }
        };
        let readiness = readiness.clone();
        tokio::spawn(async move {
            let _ = tokio::time::timeout(PATIENCE, attend(stream, readiness)).await;
            drop(place);
        });
    }
}

async fn attend(stream: TcpStream, readiness: Readiness) {
    let service = service_fn(|request: Request<Incoming>| {
        let readiness = readiness.clone();
        async move { Ok::<_, Infallible>(answer(&request, &readiness).await) }
    });
    let connection = http1::Builder::new()
        .header_read_timeout(None) // the whole connection has one
        .keep_alive(false)
        .serve_connection(TokioIo::new(stream), service);
    if let Err(error) = connection.await {
        tracing::trace!(?error, "a connection ended");
    }
}

async fn answer(request: &Request<Incoming>, readiness: &Readiness) -> Response<String> {
    const JSON: &str = "application/json";
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return respond(StatusCode::METHOD_NOT_ALLOWED, "text/plain", String::new());
    }
    let accept = request.headers().get(ACCEPT);
    let accept = accept.and_then(|value| value.to_str().ok());
    match request.uri().path() {
        "/livez" => respond(StatusCode::OK, JSON, r#"{"status":"alive"}"#.to_owned()),
        "/readyz" => {
            let ready = readiness.check().await;
            let status = match ready.is_ready() {
                true => StatusCode::OK,
                false => StatusCode::SERVICE_UNAVAILABLE,
            };
            respond(status, JSON, ready.document().to_string())
        }
        "/health" => respond(StatusCode::OK, JSON, health().to_string()),
        "/metrics" => match tarsy_metrics::scrape(readiness.process_state(), accept) {
            Ok(scrape) => respond(StatusCode::OK, scrape.content_type, scrape.text),
            Err(error) => {
                tracing::error!(?error, "metrics can't be encoded");
                respond(
                    StatusCode::INTERNAL_SERVER_ERROR,
                    "text/plain",
                    String::new(),
                )
            }
        },
        _ => respond(
            StatusCode::NOT_FOUND,
            "text/plain",
            "/livez /readyz /health /metrics\n".to_owned(),
        ),
    }
}

/// Reports the housekeeping duties of the process, and whether any of them is late. Probes use `/readyz` instead,
/// because a restart would not help.
fn health() -> Value {
    let ages = tarsy_metrics::housekeeping::ages();
    let is_late = ages.values().any(DutyAge::is_late);
    let duties = ages.iter().map(|(duty, age)| {
        let state = json!({"age_seconds": age.age().as_secs(), "late": age.is_late()});
        ((*duty).to_owned(), state)
    });
    json!({
        "status": if is_late { "degraded" } else { "healthy" },
        "housekeeping": duties.collect::<Map<_, _>>(),
    })
}

fn respond(status: StatusCode, kind: &'static str, body: String) -> Response<String> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    let kind = HeaderValue::from_static(kind);
    response.headers_mut().insert(CONTENT_TYPE, kind);
    response
}
