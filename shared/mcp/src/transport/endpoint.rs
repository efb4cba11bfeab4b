//! A streamable HTTP endpoint with responses of limited size.
//!
//! Replaces plain `reqwest` as the HTTP client of `rmcp`. Answers are cut to size instead of refused. A server that has
//! forgotten the session is recognised in every form in which it reports that.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use futures::stream::{BoxStream, StreamExt};
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderName, HeaderValue, WWW_AUTHENTICATE};
use reqwest::{RequestBuilder, Response, StatusCode};
use rmcp::RoleClient;
use rmcp::model::{ClientJsonRpcMessage, JsonRpcMessage, RequestId};
use rmcp::service::RxJsonRpcMessage;
use rmcp::transport::auth::AuthError;
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, SseError, StreamableHttpClient, StreamableHttpError,
    StreamableHttpPostResponse,
};
use sse_stream::Sse;

use super::authorized::{AuthorizedClient, SendFailure};
use super::events::{Event, EventStream};
use super::inflow::Inflow;
use super::lines::LineBuffer;
use super::message::Assembler;
use crate::client::Client;

const EVENT_STREAM: &str = "text/event-stream";
const BOTH: &str = "application/json, text/event-stream";
const SESSION_ID: &str = "Mcp-Session-Id";
const LAST_EVENT_ID: &str = "Last-Event-Id";
/// Most bytes that are read of an error response.
const MAX_REFUSAL_BYTES: usize = 64 * 1024;
const DEFAULT_MAX_BYTES: usize = 4 * 1024 * 1024;

type Failure = StreamableHttpError<reqwest::Error>;
type Events = BoxStream<'static, Result<Sse, SseError>>;
type Headers = HashMap<HeaderName, HeaderValue>;

/// The HTTP side of a streamable HTTP connection. All its streams share one meter.
#[derive(Clone)]
pub(crate) struct Endpoint {
    client: AuthorizedClient,
    inflow: Inflow,
    listener: Client,
}

impl Endpoint {
    pub(crate) const fn new(client: AuthorizedClient, inflow: Inflow, listener: Client) -> Self {
        Self {
            client,
            inflow,
            listener,
        }
    }

    fn assembler(&self) -> Assembler {
        Assembler::new(self.inflow.clone(), self.listener.clone())
    }

    fn events(&self, response: Response, max_bytes: usize) -> Events {
        let body = response.bytes_stream().boxed();
        let events = EventStream::new(body, max_bytes, self.inflow.clone());
        futures::stream::unfold(
            (events, self.assembler()),
            |(mut events, mut assembler)| async move {
                let event = events.next().await?;
                let sse = event
                    .map(|event| sse(event, &mut assembler))
                    .map_err(|error| SseError::Body(Box::new(error)));
                Some((sse, (events, assembler)))
            },
        )
        .boxed()
    }

    /// Reads a whole body as one message, cut to `max_bytes`.
    async fn body(
        &self,
        response: Response,
        max_bytes: usize,
    ) -> Result<Option<RxJsonRpcMessage<RoleClient>>, Failure> {
        let mut body = response.bytes_stream();
        // The JSON may span several lines. A JSON string never contains a newline, so newlines can be replaced.
        let mut line = LineBuffer::new(max_bytes);
        let mut assembler = self.assembler();
        while let Some(chunk) = body.next().await {
            let chunk = chunk?;
            if !self.inflow.bytes(chunk.len()) {
                return Ok(None);
            }
            let chunk: Vec<u8> = chunk
                .iter()
                .map(|byte| if *byte == b'\n' { b' ' } else { *byte })
                .collect();
            let mut input = &chunk[..];
            while let Some(part) = line.take(&mut input) {
                if let Some(message) = assembler.message(part) {
                    return Ok(Some(message));
                }
            }
        }
        Ok(line.finish().and_then(|rest| assembler.message(rest)))
    }

    /// Interprets an HTTP error: the server's own error for this request, a forgotten session, or only a status. An
    /// error without the id of a request gets this request's id, so that its caller does not wait any longer.
    async fn refusal(
        &self,
        response: Response,
        request_id: Option<RequestId>,
        in_session: bool,
    ) -> Result<StreamableHttpPostResponse, Failure> {
        let status = response.status();
        let unauthorised = matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN);
        let error = match self.body(response, MAX_REFUSAL_BYTES).await {
            Ok(Some(JsonRpcMessage::Error(error))) if !unauthorised => error,
            _ => {
                return Err(Failure::UnexpectedServerResponse(Cow::Owned(format!(
                    "HTTP {status}"
                ))));
            }
        };
        if in_session && status == StatusCode::BAD_REQUEST && error.id != request_id {
            // Older servers answer in this form if they don't know the session. They have not read the request.
            return Err(Failure::SessionExpired);
        }
        Ok(StreamableHttpPostResponse::Json(
            RxJsonRpcMessage::<RoleClient>::error(error.error, request_id),
            None,
        ))
    }
}

impl StreamableHttpClient for Endpoint {
    type Error = reqwest::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        bearer: Option<String>,
        headers: Headers,
    ) -> Result<StreamableHttpPostResponse, Failure> {
        self.post_message_with_max_sse_event_size(
            uri,
            message,
            session,
            bearer,
            headers,
            DEFAULT_MAX_BYTES,
        )
        .await
    }

    async fn post_message_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        bearer: Option<String>,
        headers: Headers,
        max_bytes: usize,
    ) -> Result<StreamableHttpPostResponse, Failure> {
        let request_id = match &message {
            JsonRpcMessage::Request(request) => Some(request.id.clone()),
            _ => None,
        };
        let request = self
            .client
            .http()
            .post(uri.as_ref())
            .header(ACCEPT, BOTH)
            .json(&message);
        let request = with(request, session.as_ref(), bearer, headers);
        let response = self.client.send(request).await.map_err(failed)?;
        let status = response.status();
        if status == StatusCode::NOT_FOUND && session.is_some() {
            return Err(Failure::SessionExpired);
        }
        refuse_unauthorised(&response)?;
        if !status.is_success() {
            return self.refusal(response, request_id, session.is_some()).await;
        }
        let new_session = header(&response, SESSION_ID);
        if is(&response, EVENT_STREAM) {
            return Ok(StreamableHttpPostResponse::Sse(
                self.events(response, max_bytes),
                new_session,
            ));
        }
        if request_id.is_none() {
            return Ok(StreamableHttpPostResponse::Accepted);
        }
        match self.body(response, max_bytes).await? {
            Some(answer) => {
                let answer = ours(answer, request_id)?;
                Ok(StreamableHttpPostResponse::Json(answer, new_session))
            }
            None if status == StatusCode::ACCEPTED => Ok(StreamableHttpPostResponse::Accepted),
            None => Err(Failure::UnexpectedServerResponse(Cow::Borrowed(
                "the body is no message",
            ))),
        }
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session: Arc<str>,
        bearer: Option<String>,
        headers: Headers,
    ) -> Result<(), Failure> {
        let request = self.client.http().delete(uri.as_ref());
        let request = with(request, Some(&session), bearer, headers);
        let response = self.client.send(request).await.map_err(failed)?;
        if response.status() != StatusCode::METHOD_NOT_ALLOWED {
            response.error_for_status()?;
        }
        Ok(())
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last_event: Option<String>,
        bearer: Option<String>,
        headers: Headers,
    ) -> Result<Events, Failure> {
        self.get_stream_with_max_sse_event_size(
            uri,
            session,
            last_event,
            bearer,
            headers,
            DEFAULT_MAX_BYTES,
        )
        .await
    }

    async fn get_stream_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last_event: Option<String>,
        bearer: Option<String>,
        headers: Headers,
        max_bytes: usize,
    ) -> Result<Events, Failure> {
        // A stream that ends repeatedly is also requested repeatedly, so these requests are limited.
        if !self.inflow.request() {
            return Err(Failure::ServerDoesNotSupportSse);
        }
        let mut request = self
            .client
            .http()
            .get(uri.as_ref())
            .header(ACCEPT, EVENT_STREAM);
        if let Some(last_event) = last_event {
            request = request.header(LAST_EVENT_ID, last_event);
        }
        let request = with(request, session.as_ref(), bearer, headers);
        let response = self.client.send(request).await.map_err(failed)?;
        if response.status() == StatusCode::METHOD_NOT_ALLOWED {
            return Err(Failure::ServerDoesNotSupportSse);
        }
        refuse_unauthorised(&response)?;
        let response = response.error_for_status()?;
        if !is(&response, EVENT_STREAM) {
            return Err(Failure::UnexpectedContentType(header(
                &response,
                CONTENT_TYPE.as_str(),
            )));
        }
        Ok(self.events(response, max_bytes))
    }
}

fn failed(error: SendFailure) -> Failure {
    match error {
        SendFailure::Http(error) => Failure::Client(error),
        SendFailure::Auth(error) => {
            Failure::Auth(AuthError::AuthorizationFailed(super::chain(&error)))
        }
    }
}

fn with(
    mut request: RequestBuilder,
    session: Option<&Arc<str>>,
    bearer: Option<String>,
    headers: Headers,
) -> RequestBuilder {
    for (name, value) in headers {
        request = request.header(name, value);
    }
    if let Some(session) = session {
        request = request.header(SESSION_ID, session.as_ref());
    }
    match bearer {
        Some(bearer) => request.bearer_auth(bearer),
        None => request,
    }
}

fn header(response: &Response, name: &str) -> Option<String> {
    response
        .headers()
        .get(name)
        .and_then(|value| value.to_str().ok())
        .map(str::to_owned)
}

fn is(response: &Response, media_type: &str) -> bool {
    header(response, CONTENT_TYPE.as_str())
        .is_some_and(|value| value.to_ascii_lowercase().starts_with(media_type))
}

fn refuse_unauthorised(response: &Response) -> Result<(), Failure> {
    let refused = matches!(
        response.status(),
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN
    );
    match header(response, WWW_AUTHENTICATE.as_str()) {
        Some(challenge) if refused => Err(Failure::AuthRequired(AuthRequiredError::new(challenge))),
        _ => Ok(()),
    }
}

/// Returns the answer in a whole body. It must be the answer to the request whose response it is. An answer to another
/// request fails at once, instead of letting the caller wait. An error without an id belongs to this request.
fn ours(
    answer: RxJsonRpcMessage<RoleClient>,
    request_id: Option<RequestId>,
) -> Result<RxJsonRpcMessage<RoleClient>, Failure> {
    let foreign = match &answer {
        JsonRpcMessage::Response(response) => Some(&response.id) != request_id.as_ref(),
        JsonRpcMessage::Error(error) => error.id.is_some() && error.id != request_id,
        _ => false,
    };
    match answer {
        _ if foreign => Err(Failure::UnexpectedServerResponse(Cow::Borrowed(
            "the answer is to another request",
        ))),
        JsonRpcMessage::Error(error) => Ok(RxJsonRpcMessage::<RoleClient>::error(
            error.error,
            request_id,
        )),
        answer => Ok(answer),
    }
}

/// Converts an event for `rmcp`. Its data is a message, whole or cut to size; other data is dropped.
fn sse(event: Event, assembler: &mut Assembler) -> Sse {
    let data = event.data.and_then(|data| {
        let message = assembler.data(data)?;
        serde_json::to_string(&message).ok()
    });
    Sse {
        // Some servers name their message events, and `rmcp` would ignore those.
        event: None,
        data,
        id: event.id,
        retry: event.retry,
    }
}
