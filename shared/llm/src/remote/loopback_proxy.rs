//! Loopback proxy that limits the size of provider responses.
//!
//! `genai` reads a whole body before it returns, and has no option to stop earlier
//! (`docs/decisions/0018-libraries-for-what-is-not-ours.md`). So its requests go to a [`LoopbackProxy`]. The proxy
//! listens on loopback and serves one call. It forwards the request with the provider's own client and stops reading at
//! [`MAX_BODY_BYTES`].
//!
//! The API key never crosses loopback. `genai` sends a session token that is valid nowhere else. The proxy replaces it
//! with the key, a signature or a token of the cloud ([`Authorization`]). A connection without the session token gets a
//! 403.

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
use serde_json::Value;
use std::convert::Infallible;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::net::{TcpListener, TcpStream};
use url::Url;

use super::authorization::Authorization;
use super::body_limit::{MAX_BODY_BYTES, too_large};
use super::cloud_form::CloudForm;
use super::compat::{self, ModelName};
use super::streamed::Patience;
use super::{failure, streamed};
use crate::{AnswerStream, CallError, ErrorClass, InvalidSettings, ProviderKind, ProviderSettings};

/// Most idle listeners that are kept; others are closed. To open a new one, the kernel searches for a free port. That
/// is slow after many calls have just ended.
const IDLE_LISTENERS: usize = 32;

/// Header of the session token. A separate header is needed because a provider's format may have no place for a key.
const SESSION_TOKEN: HeaderName = HeaderName::from_static("x-session-token");

/// Headers that are not forwarded: hop-by-hop headers (RFC 9110 §7.6.1), headers that the HTTP client sets, and
/// [`SESSION_TOKEN`].
const NOT_FORWARDED: [HeaderName; 9] = [
    header::CONNECTION,
    header::CONTENT_LENGTH,
    header::HOST,
    header::PROXY_AUTHORIZATION,
    header::TE,
    header::TRAILER,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
    SESSION_TOKEN,
];

/// A provider that loopback proxies forward to.
#[derive(Debug)]
pub(super) struct Upstream {
    /// HTTP client of the provider, with its certificates, headers and timeouts.
    client: Client,
    /// `genai`'s client, which calls the proxy.
    genai: genai::Client,
    /// The provider's base URL, with a slash at the end.
    base: Url,
    /// Name of the provider.
    provider: String,
    authorization: Authorization,
    form: CloudForm,
    /// Token that `genai` sends instead of the key.
    session_token: String,
    /// Listeners of finished calls, reused by later calls.
    idle_listeners: Mutex<Vec<TcpListener>>,
    /// Whether the provider has refused to stream.
    refuses_streams: AtomicBool,
}

impl Upstream {
    /// Creates the upstream at `base`, which is called with `client`.
    pub(super) fn new(
        client: Client,
        base: Url,
        settings: &ProviderSettings,
    ) -> Result<Self, InvalidSettings> {
        let authorization = Authorization::build(settings)?;
        let session_token = format!("{:032x}", rand::random::<u128>());
        let genai = genai_client(&session_token).map_err(|source| InvalidSettings::Client {
            provider: settings.name.clone(),
            source,
        })?;
        Ok(Self {
            client,
            genai,
            base,
            provider: settings.name.clone(),
            authorization,
            form: CloudForm::new(settings),
            session_token,
            idle_listeners: Mutex::default(),
            refuses_streams: AtomicBool::new(false),
        })
    }

    /// Returns the token that `genai` sends instead of the key.
    pub(super) fn session_token(&self) -> &str {
        &self.session_token
    }

    /// Returns `genai`'s client, for calls that run in [`LoopbackProxy::serve`].
    pub(super) const fn genai(&self) -> &genai::Client {
        &self.genai
    }

    /// Opens the proxy for one call to a provider of this kind. If the answer is observed, it is streamed.
    pub(super) async fn open_proxy<'u>(
        &'u self,
        kind: ProviderKind,
        model: &'u ModelName,
        stream: AnswerStream,
        patience: Patience,
    ) -> Result<LoopbackProxy<'u>, CallError> {
        let refused = |source: std::io::Error| CallError {
            source: Some(Box::new(source)),
            ..CallError::new(ErrorClass::Connection, "failed to open a loopback socket")
        };
        let idle = self.idle_listeners().pop();
        let listener = match idle {
            Some(listener) => listener,
            None => TcpListener::bind(("127.0.0.1", 0)).await.map_err(refused)?,
        };
        let mut base_url = self.base.clone();
        let port = listener.local_addr().map_err(refused)?.port();
        // None of these three calls fails for an http(s) URL, and the settings accept no other.
        let _ = base_url.set_scheme("http");
        let _ = base_url.set_host(Some("127.0.0.1"));
        let _ = base_url.set_port(Some(port));
        Ok(LoopbackProxy {
            upstream: self,
            listener,
            base_url,
            kind,
            model,
            stream,
            patience,
            format: None,
            failure: Mutex::new(None),
        })
    }

    fn idle_listeners(&self) -> MutexGuard<'_, Vec<TcpListener>> {
        self.idle_listeners
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// The loopback proxy of one call.
#[derive(Debug)]
pub(super) struct LoopbackProxy<'u> {
    upstream: &'u Upstream,
    listener: TcpListener,
    base_url: Url,
    kind: ProviderKind,
    model: &'u ModelName,
    stream: AnswerStream,
    patience: Patience,
    /// Value of Ollama's member `format`, which `genai` can't set.
    format: Option<Value>,
    /// Reason why the provider's response was not forwarded.
    failure: Mutex<Option<CallError>>,
}

impl LoopbackProxy<'_> {
    /// Sets the JSON Schema that Ollama enforces on its answer.
    pub(super) fn set_format(&mut self, schema: Option<Value>) {
        self.format = schema;
    }

    /// Returns the base URL of this proxy.
    pub(super) fn base_url(&self) -> &str {
        self.base_url.as_str()
    }

    /// Runs `call` and serves its requests. Keeps the listener for later calls only if the call finished. Otherwise a
    /// pending connection of a dropped call could become a request of the next call.
    ///
    /// # Errors
    ///
    /// Failures between the proxy and the provider. `call` returns its own errors inside `T`.
    pub(super) async fn serve<T>(self, call: impl Future<Output = T>) -> Result<T, CallError> {
        let mut call = std::pin::pin!(call);
        let mut connections = FuturesUnordered::new();
        let done = loop {
            tokio::select! {
                done = &mut call => break done,
                accepted = self.listener.accept() => {
                    if let Ok((stream, _)) = accepted {
                        connections.push(self.serve_connection(stream));
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
                let mut idle = self.upstream.idle_listeners();
                if idle.len() < IDLE_LISTENERS {
                    idle.push(self.listener);
                }
                Ok(done)
            }
        }
    }

    async fn serve_connection(&self, stream: TcpStream) {
        let service = service_fn(|request| self.answer(request));
        let served = http1::Builder::new()
            .serve_connection(TokioIo::new(stream), service)
            .await;
        if let Err(error) = served {
            tracing::debug!(?error, "a loopback proxy connection failed");
        }
    }

    async fn answer(
        &self,
        request: Request<Incoming>,
    ) -> Result<Response<Full<Bytes>>, Infallible> {
        let token = request.headers().get(SESSION_TOKEN);
        if token.is_none_or(|token| token.as_bytes() != self.upstream.session_token.as_bytes()) {
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
            || CallError::new(ErrorClass::InvalidRequest, "failed to read the request");
        let mut url = self.upstream.base.clone();
        url.set_path(&self.model.spelled_in_path(head.uri.path()));
        url.set_query(head.uri.query());
        let body = body.collect().await.map_err(|_| unreadable())?.to_bytes();
        let body = self.model.in_body(&body).map_or(body, Bytes::from);
        let body = match &self.format {
            Some(schema) => with_member(&body, "format", schema).ok_or_else(unreadable)?,
            None => body,
        };
        let (url, body) = self
            .upstream
            .form
            .adapted(url, body)
            .ok_or_else(unreadable)?;
        let headers = forwarded(head.headers);
        let send = async |url: Url, body: Bytes| {
            let token = &self.upstream.session_token;
            let authorization = &self.upstream.authorization;
            let headers = authorization.apply(token, headers.clone(), &url, &body);
            let headers = headers.await?;
            let request = self.upstream.client.request(head.method.clone(), url);
            let request = request.headers(headers).body(body);
            request.send().await.map_err(failure::from_reqwest)
        };
        if let Some((stream_url, stream_body)) = self.streamed(&url, &body) {
            let patience = self.patience.begin();
            let mut response = patience.first(send(stream_url, stream_body)).await?;
            if streamed::is_stream(&response) {
                let stream = &self.stream;
                let whole = streamed::read(self.kind, &mut response, stream, &patience).await?;
                return self.answer_with(response, whole);
            }
            let whole = read(&mut response).await?;
            if !streamed::may_refuse_streams(response.status().as_u16(), &whole) {
                return self.answer_with(response, whole);
            }
            let mut response = send(url, body).await?;
            if response.status().is_success() {
                tracing::info!("the provider refuses to stream; answers are asked for as a whole");
                tarsy_metrics::repairs::llm(&self.upstream.provider, "stream_refused");
                self.upstream.refuses_streams.store(true, Ordering::Relaxed);
            }
            let whole = read(&mut response).await?;
            return self.answer_with(response, whole);
        }
        let mut response = send(url, body).await?;
        let whole = read(&mut response).await?;
        self.answer_with(response, whole)
    }

    /// Returns the provider's response with this body. If it is a success, the body is repaired.
    fn answer_with(
        &self,
        mut response: reqwest::Response,
        body: Vec<u8>,
    ) -> Result<Response<Full<Bytes>>, CallError> {
        let is_success = response.status().is_success();
        let body = match is_success {
            true => streamed::from_body(self.kind, body)?,
            false => body,
        };
        let body = match is_success {
            true => compat::repaired(self.kind, &self.upstream.provider, body),
            false => body,
        };
        // Set the type even if the header differs: some servers send none, or plain text.
        let is_json = is_success && body.trim_ascii_start().starts_with(b"{");
        let mut answer = Response::new(Full::new(body.into()));
        *answer.status_mut() = response.status();
        *answer.headers_mut() = forwarded(std::mem::take(response.headers_mut()));
        if is_json {
            let json = HeaderValue::from_static("application/json");
            answer.headers_mut().insert(header::CONTENT_TYPE, json);
        }
        Ok(answer)
    }

    /// Returns the request for a streamed response. `None` if the answer is not observed or can't be streamed.
    fn streamed(&self, url: &Url, body: &Bytes) -> Option<(Url, Bytes)> {
        let wanted =
            self.stream.is_observed() && !self.upstream.refuses_streams.load(Ordering::Relaxed);
        wanted
            .then(|| streamed::request(self.kind, url, body))
            .flatten()
    }
}

/// Adds a member to a JSON body.
fn with_member(body: &[u8], name: &str, value: &Value) -> Option<Bytes> {
    let mut body: Value = serde_json::from_slice(body).ok()?;
    body.as_object_mut()?.insert(name.to_owned(), value.clone());
    serde_json::to_vec(&body).ok().map(Bytes::from)
}

/// Builds `genai`'s client, which calls the proxy.
fn genai_client(
    session_token: &str,
) -> Result<genai::Client, Box<dyn std::error::Error + Send + Sync>> {
    let headers = HeaderMap::from_iter([(SESSION_TOKEN, HeaderValue::try_from(session_token)?)]);
    let loopback = Client::builder()
        .tls_certs_only([])
        .default_headers(headers)
        .redirect(redirect::Policy::none())
        .no_proxy()
        .no_gzip()
        .http1_only()
        // Keep no idle connections: each call has its own proxy.
        .pool_max_idle_per_host(0)
        .build()?;
    Ok(genai::Client::builder().with_reqwest(loopback).build()?)
}

async fn read(response: &mut reqwest::Response) -> Result<Vec<u8>, CallError> {
    if response
        .content_length()
        .is_some_and(|length| length > MAX_BODY_BYTES as u64)
    {
        return Err(too_large(MAX_BODY_BYTES));
    }
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(failure::from_reqwest)? {
        if body.len() + chunk.len() > MAX_BODY_BYTES {
            return Err(too_large(MAX_BODY_BYTES));
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
