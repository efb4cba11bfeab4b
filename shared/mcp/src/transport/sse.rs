//! HTTP+SSE transport of MCP 2024-11-05.
//!
//! One long GET carries everything that the server sends. Its first event, `endpoint`, names the address to which the
//! client posts its messages.

use std::collections::VecDeque;
use std::time::Duration;

use futures::StreamExt;
use reqwest::header::{ACCEPT, CONTENT_TYPE};
use rmcp::RoleClient;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tarsy_model::{LocalFault, Shortage};
use url::Url;

use super::StartFailure;
use super::authorized::{AuthorizedClient, SendFailure};
use super::events::{Data, Event, EventStream};
use super::http;
use super::inflow::Inflow;
use super::message::Assembler;
use crate::auth::{AuthFailure, Authorizer};
use crate::client::Client;
use crate::settings::HttpSettings;

const POST_TIMEOUT: Duration = Duration::from_secs(30);

/// A message that the server did not accept.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SendError {
    /// The server did not get the message.
    #[error(transparent)]
    Unsent(#[from] Unsent),
    /// The connection broke, or the answer was invalid.
    #[error("the message could not be posted")]
    Broken(#[source] reqwest::Error),
    /// The server answered with an error status.
    #[error("the message was answered with HTTP {0}")]
    Status(u16),
}

/// A message that the server did not get.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unsent {
    /// Connecting to the server failed.
    #[error("failed to connect to the server")]
    Unconnected(#[source] reqwest::Error),
    /// No token could be fetched for the message.
    #[error(transparent)]
    Unauthorised(AuthFailure),
}

/// The connection to an older server.
pub(crate) struct SseTransport {
    client: AuthorizedClient,
    settings: HttpSettings,
    endpoint: Url,
    events: EventStream,
    assembler: Assembler,
    ready: VecDeque<RxJsonRpcMessage<RoleClient>>,
}

impl SseTransport {
    /// Opens the event stream and waits for its event `endpoint`.
    pub(crate) async fn open(
        settings: &HttpSettings,
        tokens: Option<Authorizer>,
        max_message_bytes: usize,
        inflow: Inflow,
        listener: Client,
    ) -> Result<Self, StartFailure> {
        let client = AuthorizedClient::new(http::client(settings)?, tokens);
        let request = authorised(client.http().get(&settings.url), settings)?
            .header(ACCEPT, "text/event-stream");
        let response = client.send(request).await.map_err(|error| match error {
            SendFailure::Http(error) => StartFailure {
                fault: Shortage::find(&error).map(LocalFault::Shortage),
                ..super::chain(&error.without_url()).into()
            },
            SendFailure::Auth(error) => super::chain(&error).into(),
        })?;
        if !response.status().is_success() {
            let status = response.status().as_u16();
            return Err(format!("the event stream was answered with HTTP {status}").into());
        }
        let base = response.url().clone();
        let mut events = EventStream::new(
            response.bytes_stream().boxed(),
            max_message_bytes,
            inflow.clone(),
        );
        let endpoint = loop {
            match events.next().await {
                Some(Ok(Event {
                    name,
                    data: Some(Data::Whole(data)),
                    ..
                })) if name == "endpoint" => {
                    let text = String::from_utf8_lossy(&data).trim().to_owned();
                    break base
                        .join(&text)
                        .map_err(|error| format!("its endpoint is no address: {error}"))?;
                }
                Some(Ok(_)) => {}
                Some(Err(_)) | None => {
                    let reason = "the event stream ended before it named an endpoint";
                    return Err(reason.to_owned().into());
                }
            }
        };
        if endpoint.origin() != base.origin() {
            return Err("its endpoint is at another origin".to_owned().into());
        }
        let settings = settings.clone();
        Ok(Self {
            client,
            settings,
            endpoint,
            events,
            assembler: Assembler::new(inflow, listener),
            ready: VecDeque::new(),
        })
    }
}

impl Transport<RoleClient> for SseTransport {
    type Error = SendError;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let client = self.client.clone();
        let request = authorised(client.http().post(self.endpoint.clone()), &self.settings)
            .map(|request| request.timeout(POST_TIMEOUT).json(&item));
        async move {
            let Ok(request) = request else {
                return Err(SendError::Status(0));
            };
            let response = client.send(request).await.map_err(|error| match error {
                SendFailure::Http(error) if error.is_connect() => {
                    Unsent::Unconnected(error.without_url()).into()
                }
                SendFailure::Http(error) => SendError::Broken(error.without_url()),
                SendFailure::Auth(error) => Unsent::Unauthorised(error).into(),
            })?;
            let status = response.status();
            if status.is_success() {
                Ok(())
            } else {
                Err(SendError::Status(status.as_u16()))
            }
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        loop {
            if let Some(message) = self.ready.pop_front() {
                return Some(message);
            }
            let event = self.events.next().await?.ok()?;
            if event.name != "message" && !event.name.is_empty() {
                continue;
            }
            self.ready
                .extend(event.data.and_then(|data| self.assembler.data(data)));
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.events.end();
        Ok(())
    }
}

fn authorised(
    request: reqwest::RequestBuilder,
    settings: &HttpSettings,
) -> Result<reqwest::RequestBuilder, String> {
    let mut request = request.header(CONTENT_TYPE, "application/json");
    for (name, value) in http::headers(settings)? {
        request = request.header(name, value);
    }
    if let Some(bearer) = &settings.bearer {
        request = request.bearer_auth(bearer.expose());
    }
    Ok(request)
}
