//! HTTP server of the fake provider.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::{DefaultBodyLimit, Json, State as Shared};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post, put};
use axum::{Router, http};
use futures::{StreamExt, stream};
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use super::error_body::{empty_body, error_body, refusal_body};
use super::state::{Responder, State};
use super::{Behaviour, FakeAnswer, Rule, SeenRequest, WireFormat};
use super::{quirk, streamed};

/// A running fake provider; stops when dropped.
pub struct FakeLlm {
    address: SocketAddr,
    state: State,
    server: JoinHandle<()>,
}

impl FakeLlm {
    /// Starts on a free port of the loopback interface. If no behaviour is queued and no rule matches,
    /// `responder` decides the behaviour.
    pub async fn start(
        responder: impl Fn(&SeenRequest) -> Behaviour + Send + Sync + 'static,
    ) -> std::io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        Self::serve(listener, Arc::new(responder))
    }

    /// Starts and answers every request with `text` by default.
    pub async fn answering(text: impl Into<String>) -> std::io::Result<Self> {
        let text = text.into();
        Self::start(move |_| Behaviour::text(text.clone())).await
    }

    /// Starts on a listener, e.g. in a separate process.
    pub fn serve(listener: TcpListener, responder: Arc<Responder>) -> std::io::Result<Self> {
        let address = listener.local_addr()?;
        let state = State::new(responder);
        let router = Router::new()
            .route("/__requests", get(list).delete(forget))
            .route("/__behaviours", post(queue))
            .route("/__rules", put(rules))
            .route(
                "/computeMetadata/v1/instance/service-accounts/default/token",
                get(google_token),
            )
            .route("/google/token", post(google_token_of_assertion))
            .fallback(answer)
            .layer(DefaultBodyLimit::disable())
            .with_state(state.clone());
        let server = tokio::spawn(async move {
            // The server ends with the process or the test.
            let _ = axum::serve(listener, router).await;
        });
        Ok(Self {
            address,
            state,
            server,
        })
    }

    /// Returns the base URL for a client of this format, with a trailing slash.
    #[must_use]
    pub fn base_url(&self, format: WireFormat) -> String {
        format!("http://{}{}", self.address, format.base_path())
    }

    /// Returns the base URL of the control requests, without a trailing slash.
    #[must_use]
    pub fn admin_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Queues behaviours for the next requests. They take precedence over rules and responder.
    pub fn queue(&self, behaviours: impl IntoIterator<Item = Behaviour>) {
        self.state.queue(behaviours);
    }

    /// Replaces the rules. They take precedence over the responder.
    pub fn set_rules(&self, rules: Vec<Rule>) {
        self.state.set_rules(rules);
    }

    /// Sends all held answers. Later [`Behaviour::Held`] answers are sent at once.
    pub fn release(&self) {
        self.state.release();
    }

    /// Reports token usage with a prompt cache from now on.
    pub fn price_by_prefix(&self) {
        self.state.price_by_prefix();
    }

    /// Returns every request so far.
    #[must_use]
    pub fn requests(&self) -> Vec<SeenRequest> {
        self.state.requests()
    }

    /// Returns the number of requests so far.
    #[must_use]
    pub fn count(&self) -> usize {
        self.state.count()
    }

    /// Returns the fingerprints of repeated requests, with their counts.
    #[must_use]
    pub fn repeated(&self) -> BTreeMap<String, usize> {
        let mut counts = BTreeMap::new();
        for request in self.state.requests() {
            *counts.entry(request.fingerprint).or_insert(0) += 1;
        }
        counts.retain(|_, count| *count > 1);
        counts
    }
}

impl std::fmt::Debug for FakeLlm {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FakeLlm")
            .field("address", &self.address)
            .finish_non_exhaustive()
    }
}

impl Drop for FakeLlm {
    fn drop(&mut self) {
        self.server.abort();
    }
}

async fn list(Shared(state): Shared<State>) -> Json<Vec<SeenRequest>> {
    Json(state.requests())
}

async fn forget(Shared(state): Shared<State>) -> StatusCode {
    state.forget();
    StatusCode::NO_CONTENT
}

async fn queue(Shared(state): Shared<State>, Json(behaviours): Json<Vec<Behaviour>>) -> StatusCode {
    state.queue(behaviours);
    StatusCode::NO_CONTENT
}

async fn rules(Shared(state): Shared<State>, Json(rules): Json<Vec<Rule>>) -> StatusCode {
    state.set_rules(rules);
    StatusCode::NO_CONTENT
}

/// Returns a token like the metadata server of Google Cloud.
async fn google_token(headers: HeaderMap) -> Response {
    match headers.get("metadata-flavor") {
        Some(_) => google_answer("of-the-metadata-server"),
        None => StatusCode::FORBIDDEN.into_response(),
    }
}

/// Returns a token for an assertion: the assertion itself, so that a test sees it in the requests.
async fn google_token_of_assertion(body: String) -> Response {
    let grant = "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=";
    match body.strip_prefix(grant) {
        Some(assertion) => google_answer(assertion),
        None => StatusCode::BAD_REQUEST.into_response(),
    }
}

fn google_answer(token: &str) -> Response {
    Json(serde_json::json!({"access_token": token, "expires_in": 3600, "token_type": "Bearer"}))
        .into_response()
}

async fn answer(
    Shared(state): Shared<State>,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let Some((format, model)) = WireFormat::of_path(uri.path()) else {
        return (
            StatusCode::NOT_FOUND,
            format!("no provider at {}", uri.path()),
        )
            .into_response();
    };
    let Ok(body) = serde_json::from_slice::<Value>(&body) else {
        return (StatusCode::BAD_REQUEST, "the request is not JSON").into_response();
    };
    let streams = [
        ":streamGenerateContent",
        ":streamRawPredict",
        "/converse-stream",
    ];
    let is_streamed = streams.iter().any(|end| uri.path().ends_with(end))
        || body.get("stream").and_then(Value::as_bool) == Some(true);
    let path = uri.path_and_query().map_or("", |path| path.as_str());
    let request = SeenRequest::parse(format, path, model, &headers, body);
    let model = request.model.clone();
    let (sequence, mut behaviour) = state.receive(request);
    if let Behaviour::Held(answer) = behaviour {
        state.released().await;
        behaviour = Behaviour::Answer(answer);
    }
    if let Behaviour::Answer(answer) | Behaviour::Odd { answer, .. } = &behaviour {
        tokio::time::sleep(Duration::from_millis(answer.delay_ms)).await;
        state.mark_answered(sequence);
    }
    perform(behaviour, format, &model, is_streamed).await
}

async fn perform(
    behaviour: Behaviour,
    format: WireFormat,
    model: &str,
    is_streamed: bool,
) -> Response {
    let whole = |answer: &FakeAnswer| answer.body(format, model).to_string().into_bytes();
    match behaviour {
        Behaviour::Answer(answer) | Behaviour::Held(answer) => json(200, whole(&answer)),
        Behaviour::Odd { answer, quirk } => {
            let mut body = answer.body(format, model);
            quirk::bend(&mut body, format, quirk);
            json(200, body.to_string().into_bytes())
        }
        Behaviour::Fail {
            status,
            code,
            message,
            headers,
        } => {
            let body = error_body(format, status, code.as_deref(), &message);
            json_with(status, body.to_string().into_bytes(), headers)
        }
        Behaviour::Raw {
            status,
            content_type,
            body,
            mut headers,
        } => {
            headers.push(("content-type".into(), content_type));
            json_with(status, body.into_bytes(), headers)
        }
        Behaviour::Refuse => json(200, refusal_body(format, model).to_string().into_bytes()),
        Behaviour::Empty => json(200, empty_body(format, model).to_string().into_bytes()),
        Behaviour::Html => {
            axum::response::Html("<html><body>Sign in</body></html>").into_response()
        }
        Behaviour::InvalidUtf8 => {
            let mut body = whole(&FakeAnswer::text("be?fore"));
            if let Some(byte) = body.iter_mut().find(|byte| **byte == b'?') {
                *byte = 0xff;
            }
            json(200, body)
        }
        Behaviour::Huge { bytes } => json(200, whole(&FakeAnswer::text("x".repeat(bytes)))),
        Behaviour::Hang => std::future::pending().await,
        Behaviour::Drip { answer, every_ms } => {
            let bytes = whole(&answer).into_iter();
            let drops = stream::unfold(bytes, move |mut bytes| async move {
                tokio::time::sleep(Duration::from_millis(every_ms)).await;
                let byte = bytes.next()?;
                Some((Ok::<_, Infallible>(Bytes::from(vec![byte])), bytes))
            });
            json(200, Body::from_stream(drops))
        }
        Behaviour::Stream {
            answer,
            size,
            every_ms,
            cut_after,
        } => {
            let frames = streamed::frames(&answer, format, model, size);
            let pause = Duration::from_millis(every_ms);
            if !is_streamed {
                tokio::time::sleep(pause * u32::try_from(frames.len()).unwrap_or(u32::MAX)).await;
                return json(200, whole(&answer));
            }
            let last = cut_after.unwrap_or(usize::MAX);
            let sent =
                stream::iter(frames.into_iter().enumerate()).then(move |(at, frame)| async move {
                    tokio::time::sleep(pause).await;
                    match at < last {
                        true => Ok(Bytes::from(frame)),
                        false => Err(std::io::Error::other("cut")),
                    }
                });
            let mut response = json(200, Body::from_stream(sent));
            response.headers_mut().insert(
                header::CONTENT_TYPE,
                HeaderValue::from_static(streamed::content_type(format)),
            );
            response
        }
        Behaviour::Cut(answer) => {
            let body = whole(&answer);
            let half = Bytes::copy_from_slice(&body[..body.len() / 2]);
            // The pause lets the sent bytes arrive before the connection breaks.
            let broken = stream::iter([half]).map(Ok).chain(stream::once(async {
                tokio::time::sleep(Duration::from_millis(20)).await;
                Err(std::io::Error::other("cut"))
            }));
            let mut response = json(200, Body::from_stream(broken));
            response
                .headers_mut()
                .insert(header::CONTENT_LENGTH, HeaderValue::from(body.len()));
            response
        }
    }
}

fn json(status: u16, body: impl Into<Body>) -> Response {
    let mut response = http::Response::new(body.into());
    *response.status_mut() =
        StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    response.headers_mut().insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("application/json"),
    );
    response
}

fn json_with(status: u16, body: Vec<u8>, headers: Vec<(String, String)>) -> Response {
    let mut response = json(status, body);
    for (name, value) in headers {
        if let (Ok(name), Ok(value)) = (HeaderName::try_from(name), HeaderValue::try_from(value)) {
            response.headers_mut().insert(name, value);
        }
    }
    response
}
