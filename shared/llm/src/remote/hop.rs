//! The way to a provider, with a bound on what comes back.
//!
//! `genai` reads a body whole before anyone sees it, and its client cannot be told otherwise. So
//! its requests go to a [`Hop`]: a listener on loopback that serves one call at a time, sends the
//! request on over the provider's own client, and stops reading at [`MAX_BODY_BYTES`]. The key is
//! not on loopback: `genai` is given a pass that is worth nothing elsewhere, and the hop puts the
//! key in its place. Whoever else connects has no pass and is turned away.

use std::convert::Infallible;
use std::sync::{Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use futures::StreamExt as _;
use futures::stream::FuturesUnordered;
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::header::{self, HeaderMap, HeaderName, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use reqwest::{Client, redirect};
use tokio::net::{TcpListener, TcpStream};
use url::Url;

use super::failure;
use crate::{CallError, ErrorClass, Secret};

/// Longest body that is read of any answer, errors included. The longest answers of today's
/// models are below 1 MiB.
pub(super) const MAX_BODY_BYTES: usize = 8 * 1024 * 1024;

/// Listeners that wait for the next call; more are closed. A new one costs the kernel a search for
/// a free port, which is dear where very many calls have just ended.
const IDLE_LISTENERS: usize = 32;

/// Carries the pass where a provider's format has no place for a key.
const PASS: HeaderName = HeaderName::from_static("x-hop-pass");

/// What concerns one connection and not the message (RFC 9110 §7.6.1), and our own.
const NOT_FORWARDED: [HeaderName; 9] = [
    header::CONNECTION,
    header::CONTENT_LENGTH,
    header::HOST,
    header::PROXY_AUTHORIZATION,
    header::TE,
    header::TRAILER,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
    PASS,
];

/// One provider's end of all hops to it.
#[derive(Debug)]
pub(super) struct Route {
    /// Speaks to the provider: its certificates, headers and timeouts.
    client: Client,
    /// Speaks to the hop.
    inner: genai::Client,
    /// The provider's base URL, with a slash at the end.
    base: Url,
    /// What the provider takes for a key.
    key: Secret,
    /// Stands for the key on loopback.
    pass: String,
    /// Of calls that have ended.
    idle: Mutex<Vec<TcpListener>>,
}

impl Route {
    /// The route to `base`, which answers to `key` over `client`.
    pub(super) fn new(
        client: Client,
        base: Url,
        key: Secret,
    ) -> Result<Self, Box<dyn std::error::Error + Send + Sync>> {
        let pass = format!("{:032x}", rand::random::<u128>());
        let shown = HeaderMap::from_iter([(PASS, HeaderValue::try_from(&pass)?)]);
        let inner = Client::builder()
            .tls_certs_only([])
            .default_headers(shown)
            .redirect(redirect::Policy::none())
            .no_proxy()
            .no_gzip()
            .http1_only()
            // The connections to a hop end with their call.
            .pool_max_idle_per_host(0)
            .build()?;
        let inner = genai::Client::builder().with_reqwest(inner).build()?;
        // An own endpoint may need no key; the header is then sent with a placeholder.
        let key = if key.is_empty() {
            Secret::new("none")
        } else {
            key
        };
        Ok(Self {
            client,
            inner,
            base,
            key,
            pass,
            idle: Mutex::default(),
        })
    }

    /// What stands for the key.
    pub(super) fn pass(&self) -> &str {
        &self.pass
    }

    /// `genai`'s client, for calls that [`Hop::carry`] carries.
    pub(super) const fn inner(&self) -> &genai::Client {
        &self.inner
    }

    /// Listen for one call.
    pub(super) async fn hop(&self) -> Result<Hop<'_>, CallError> {
        let refused = |source: std::io::Error| CallError {
            source: Some(Box::new(source)),
            ..CallError::new(ErrorClass::Connection, "no socket could be opened")
        };
        let idle = self.idle().pop();
        let listener = match idle {
            Some(listener) => listener,
            None => TcpListener::bind(("127.0.0.1", 0)).await.map_err(refused)?,
        };
        let mut entrance = self.base.clone();
        let port = listener.local_addr().map_err(refused)?.port();
        // All three succeed for an http URL, which the settings have checked it to be.
        let _ = entrance.set_scheme("http");
        let _ = entrance.set_host(Some("127.0.0.1"));
        let _ = entrance.set_port(Some(port));
        Ok(Hop {
            route: self,
            listener,
            entrance,
            failure: Mutex::new(None),
        })
    }

    fn idle(&self) -> MutexGuard<'_, Vec<TcpListener>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The way of one call.
#[derive(Debug)]
pub(super) struct Hop<'r> {
    route: &'r Route,
    listener: TcpListener,
    entrance: Url,
    /// Why the provider's answer did not get through.
    failure: Mutex<Option<CallError>>,
}

impl Hop<'_> {
    /// The base URL that leads through this hop.
    pub(super) fn entrance(&self) -> &str {
        self.entrance.as_str()
    }

    /// Run `call`, whose requests come to the entrance. Only the listener outlives it, and only if
    /// the call came to its end: what one that was given up has left at the door must not be
    /// taken for a request of the next.
    ///
    /// # Errors
    ///
    /// What went wrong on the way to the provider; what `call` makes of answers is its own.
    pub(super) async fn carry<T>(self, call: impl Future<Output = T>) -> Result<T, CallError> {
        let mut call = std::pin::pin!(call);
        let mut connections = FuturesUnordered::new();
        let done = loop {
            tokio::select! {
                done = &mut call => break done,
                accepted = self.listener.accept() => {
                    if let Ok((stream, _)) = accepted {
                        connections.push(self.serve(stream));
                    }
                }
                Some(()) = connections.next() => {}
            }
        };
        drop(connections);
        let failure = self.failure.into_inner();
        match failure.unwrap_or_else(PoisonError::into_inner) {
            Some(failure) => Err(failure),
            None => {
                let mut idle = self.route.idle();
                if idle.len() < IDLE_LISTENERS {
                    idle.push(self.listener);
                }
                Ok(done)
            }
        }
    }

    async fn serve(&self, stream: TcpStream) {
        let service = service_fn(|request| self.answer(request));
        let served = http1::Builder::new()
            .serve_connection(TokioIo::new(stream), service)
            .await;
        if let Err(error) = served {
            tracing::debug!(?error, "a connection to the hop broke");
        }
    }

    async fn answer(
        &self,
        request: Request<Incoming>,
    ) -> Result<Response<Full<Bytes>>, Infallible> {
        let pass = request.headers().get(PASS);
        if pass.is_none_or(|pass| pass.as_bytes() != self.route.pass.as_bytes()) {
            return Ok(status(StatusCode::FORBIDDEN));
        }
        Ok(self.forward(request).await.unwrap_or_else(|error| {
            *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            status(StatusCode::BAD_GATEWAY)
        }))
    }

    async fn forward(
        &self,
        request: Request<Incoming>,
    ) -> Result<Response<Full<Bytes>>, CallError> {
        let (head, body) = request.into_parts();
        let unreadable =
            || CallError::new(ErrorClass::InvalidRequest, "the request cannot be read");
        let mut url = self.route.base.clone();
        url.set_path(head.uri.path());
        url.set_query(head.uri.query());
        let body = body.collect().await.map_err(|_| unreadable())?.to_bytes();
        let request = self
            .route
            .client
            .request(head.method, url)
            .headers(self.with_key(head.headers).ok_or_else(unreadable)?)
            .body(body);
        let mut response = request.send().await.map_err(failure::from_reqwest)?;
        let body = read(&mut response).await?;
        let mut answer = Response::new(Full::new(body.into()));
        *answer.status_mut() = response.status();
        *answer.headers_mut() = forwarded(std::mem::take(response.headers_mut()));
        Ok(answer)
    }

    /// The headers as the provider gets them: the key wherever the pass stands for it.
    fn with_key(&self, headers: HeaderMap) -> Option<HeaderMap> {
        let mut headers = forwarded(headers);
        for value in headers.values_mut() {
            let text = value.to_str().ok()?;
            if text.contains(&self.route.pass) {
                let key = text.replace(&self.route.pass, self.route.key.expose());
                *value = HeaderValue::try_from(key).ok()?;
                value.set_sensitive(true);
            }
        }
        Some(headers)
    }
}

async fn read(response: &mut reqwest::Response) -> Result<Vec<u8>, CallError> {
    let too_long = || {
        CallError::new(
            ErrorClass::Malformed,
            format!("the answer is larger than {MAX_BODY_BYTES} bytes"),
        )
    };
    if response
        .content_length()
        .is_some_and(|length| length > MAX_BODY_BYTES as u64)
    {
        return Err(too_long());
    }
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(failure::from_reqwest)? {
        if body.len() + chunk.len() > MAX_BODY_BYTES {
            return Err(too_long());
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

fn forwarded(mut headers: HeaderMap) -> HeaderMap {
    for name in NOT_FORWARDED {
        headers.remove(name);
    }
    headers
}

fn status(status: StatusCode) -> Response<Full<Bytes>> {
    let mut answer = Response::new(Full::default());
    *answer.status_mut() = status;
    answer
}
