//! Accepts connections within limits, and serves them until they end.
//!
//! Any client that can reach the port can hold a connection open. So each wait for a client has a
//! timeout: for the head of a request, between requests, and for the client to read the response.
//! Bodies must arrive at a minimum rate.
//!
//! When all places are taken, idle connections are closed. Those that never sent a request go
//! first, then those that have been idle longest. So half-open connections can't lock out a probe.

mod body;
mod files;
mod places;
mod stream;

use std::convert::Infallible;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::StatusCode;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tarsy_config::settings::ConnectionSettings;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tower::Service as _;

pub(crate) use body::TooSlow;
use body::{Answered, Paced};
use places::{ConnectionPermit, Places};
use stream::PatientStream;

/// Largest head of a request (request line and headers), in bytes.
const LARGEST_HEAD: usize = 64 * 1024;
/// Pause after the system could not accept a connection, e.g. because there are too many open files.
const NO_CONNECTION: Duration = Duration::from_millis(100);

/// Address of the connection that a request came over. Behind a proxy it is the proxy's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Peer(pub(crate) IpAddr);

/// Serves each request with the newest of `routers` until `draining`. Then waits until the running
/// requests are answered.
pub(crate) async fn serve(
    listener: TcpListener,
    routers: &watch::Receiver<Router>,
    settings: &ConnectionSettings,
    draining: &CancellationToken,
) {
    let places = Places::new(settings, files::limit());
    let settings = Arc::new(settings.clone());
    // Every connection holds a receiver. When the last one is dropped, all connections have ended.
    let (open, held) = watch::channel(());
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = draining.cancelled() => break,
        };
        let (stream, address) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                if !is_of_one_connection(&error) {
                    tracing::warn!(?error, "no connection can be taken");
                    places.make_room();
                    tokio::time::sleep(NO_CONNECTION).await;
                }
                continue;
            }
        };
        let Some(place) = places.take(address.ip()) else {
            continue;
        };
        // Responses are small and written at once, so delaying packets (Nagle's algorithm) has no benefit.
        let _ = stream.set_nodelay(true);
        let serving = attend(
            stream,
            Peer(address.ip()),
            place,
            routers.clone(),
            Arc::clone(&settings),
            draining.clone(),
        );
        let held = held.clone();
        tokio::spawn(async move {
            serving.await;
            drop(held);
        });
    }
    drop((listener, held));
    open.closed().await;
}

/// Returns whether an error concerns only the connection that was being accepted.
fn is_of_one_connection(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(
        error.kind(),
        ConnectionAborted | ConnectionRefused | ConnectionReset
    )
}

/// Serves a connection until it ends, must give up its place, or is idle while the service drains.
async fn attend(
    stream: TcpStream,
    peer: Peer,
    place: ConnectionPermit,
    routers: watch::Receiver<Router>,
    settings: Arc<ConnectionSettings>,
    draining: CancellationToken,
) {
    let slot = Arc::clone(place.slot());
    let body_timeout = settings.body_timeout;
    let service = service_fn({
        let slot = Arc::clone(&slot);
        move |request: Request<Incoming>| {
            let busy = slot.begin();
            let mut router = routers.borrow().clone();
            let mut request = request.map(|body| Body::new(Paced::new(body, body_timeout)));
            request.extensions_mut().insert(peer);
            async move {
                let response = router.call(request).await?;
                if response.status() == StatusCode::SWITCHING_PROTOCOLS {
                    // A WebSocket has its own timeouts, so its connection never counts as idle.
                    busy.keep_busy();
                }
                Ok::<_, Infallible>(response.map(|body| Answered::new(body, busy)))
            }
        }
    });
    let io = TokioIo::new(PatientStream::new(stream, place, settings));
    let connection = http1::Builder::new()
        .header_read_timeout(None) // the timeout in the stream distinguishes a slow head from a pause
        .max_header_size(LARGEST_HEAD)
        .serve_connection(io, service)
        .with_upgrades();
    let mut connection = std::pin::pin!(connection);
    let mut is_draining = false;
    loop {
        tokio::select! {
            ended = connection.as_mut() => {
                if let Err(error) = ended {
                    tracing::trace!(?error, "a connection ended");
                }
                break;
            }
            () = draining.cancelled(), if !is_draining => {
                is_draining = true;
                connection.as_mut().graceful_shutdown();
            }
            () = slot.place_needed() => {
                if !slot.is_busy() {
                    break;
                }
                connection.as_mut().graceful_shutdown();
            }
        }
    }
}
