//! Connections: taken within bounds, and served until they end.
//!
//! Whoever can reach the port can hold a connection open, so each waits for its client only so
//! long: for headers, for a body that comes at a least rate, between requests, and for an answer
//! to be taken. When all places are taken, the connections that have waited longest without
//! a request make room, those that never sent one first: half-open ones can't keep a probe out.

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

/// Largest head of a request, in bytes.
const LARGEST_HEAD: usize = 64 * 1024;
/// Pause after the system could not give a connection, e.g. for want of files.
const NO_CONNECTION: Duration = Duration::from_millis(100);

/// Whose connection a request came over; behind a proxy the proxy's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Peer(pub(crate) IpAddr);

/// Serve each request by the newest of `routers` until `draining`, then until the requests under way are answered.
pub(crate) async fn serve(
    listener: TcpListener,
    routers: &watch::Receiver<Router>,
    settings: &ConnectionSettings,
    draining: &CancellationToken,
) {
    let places = Places::new(settings, files::limit());
    let settings = Arc::new(settings.clone());
    // Every connection holds a receiver: when the last is gone, all have ended.
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
        // Answers are small and written at once; waiting for more helps nobody.
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

/// Whether only the connection that was about to be taken is lost.
fn is_of_one_connection(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(
        error.kind(),
        ConnectionAborted | ConnectionRefused | ConnectionReset
    )
}

/// Serve a connection until it ends, has to make room, or is idle while the service drains.
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
                    // A socket looks after itself.
                    busy.for_ever();
                }
                Ok::<_, Infallible>(response.map(|body| Answered::new(body, busy)))
            }
        }
    });
    let io = TokioIo::new(PatientStream::new(stream, place, settings));
    let connection = http1::Builder::new()
        .header_read_timeout(None) // ours, in the stream, tells a slow head from a pause
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
            () = slot.asked_to_leave() => {
                if !slot.is_busy() {
                    break;
                }
                connection.as_mut().graceful_shutdown();
            }
        }
    }
}
