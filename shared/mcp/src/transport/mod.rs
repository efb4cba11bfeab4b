//! Transports: child process, streamable HTTP, HTTP with server-sent events.

mod authorized;
mod child;
mod endpoint;
mod events;
mod http;
mod inflow;
mod lines;
mod message;
mod sse;
mod stderr;
mod stdio;
mod truncated_json;

use rmcp::service::{RoleClient, RunningService};
use rmcp::transport::DynamicTransportError;

use crate::auth::Authorizer;
use crate::client::Client;
use crate::error::Error;
use crate::settings::{ServerSettings, TransportSettings};

pub use self::inflow::Flood;
pub(crate) use self::inflow::Inflow;
pub(crate) use self::message::{RECEIVED_BYTES, UNREADABLE};
pub(crate) use self::stderr::StderrTail;

/// Whether the settings can be used at all, before anything is started.
pub(crate) fn check(settings: &ServerSettings) -> Result<(), Error> {
    match &settings.transport {
        TransportSettings::Stdio(_) => Ok(()),
        TransportSettings::Http(http) | TransportSettings::Sse(http) => {
            http::check(&settings.id, http)
        }
    }
}

/// Start the server and shake hands. The error is a reason for people, not yet masked.
pub(crate) async fn open(
    settings: &ServerSettings,
    tokens: Option<Authorizer>,
    client: Client,
    inflow: Inflow,
) -> Result<(RunningService<RoleClient, Client>, Option<StderrTail>), String> {
    let (handshake, stderr) = match &settings.transport {
        TransportSettings::Stdio(stdio) => {
            let (transport, stderr) = stdio::StdioTransport::spawn(
                stdio,
                settings.max_message_bytes,
                inflow,
                client.clone(),
            )
            .map_err(|error| format!("`{}` can't be started: {error}", stdio.command))?;
            let handshake = rmcp::serve_client(client, transport);
            (
                tokio::time::timeout(settings.start_timeout, handshake).await,
                Some(stderr),
            )
        }
        TransportSettings::Http(http) => {
            let transport = http::transport(
                http,
                tokens,
                settings.max_message_bytes,
                inflow,
                client.clone(),
            )?;
            let handshake = rmcp::serve_client(client, transport);
            (
                tokio::time::timeout(settings.start_timeout, handshake).await,
                None,
            )
        }
        TransportSettings::Sse(http) => {
            let open = async {
                let transport = sse::SseTransport::open(
                    http,
                    tokens,
                    settings.max_message_bytes,
                    inflow,
                    client.clone(),
                )
                .await?;
                Ok(rmcp::serve_client(client, transport).await)
            };
            match tokio::time::timeout(settings.start_timeout, open).await {
                Ok(Ok(handshake)) => (Ok(handshake), None),
                Ok(Err(reason)) => return Err(reason),
                Err(elapsed) => (Err(elapsed), None),
            }
        }
    };
    let reason = match handshake {
        Ok(Ok(running)) => return Ok((running, stderr)),
        Ok(Err(error)) => format!("the handshake failed: {}", chain(&error)),
        Err(_) => format!("no handshake within {:?}", settings.start_timeout),
    };
    Err(match stderr {
        Some(stderr) => stderr.append_to(&reason),
        None => reason,
    })
}

/// Whether a message surely did nothing at the server: it could not be connected to, or has
/// forgotten the session.
pub(crate) fn never_arrived(error: &DynamicTransportError) -> bool {
    let mut error: Option<&(dyn std::error::Error + 'static)> = Some(error.error.as_ref());
    while let Some(current) = error {
        if http::never_arrived(current) || current.is::<sse::Unsent>() {
            return true;
        }
        error = current.source();
    }
    false
}

/// An error with its causes, for texts that people read.
fn chain(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text.push_str(": ");
            text.push_str(&cause_text);
        }
        source = cause.source();
    }
    text
}
