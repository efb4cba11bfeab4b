//! Transports: child process, streamable HTTP, HTTP with server-sent events.

mod authorized;
mod child;
mod descendants;
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

use rmcp::service::{
    ClientInitializeError, ClientServiceExt as _, RoleClient, RunningService, ServiceError,
};
use rmcp::transport::DynamicTransportError;
use tarsy_model::{LocalFault, Shortage};

use crate::auth::Authorizer;
use crate::client::Client;
use crate::error::Error;
use crate::greeting::Greeting;
use crate::settings::{ServerSettings, TransportSettings};

pub use self::descendants::adopt_orphans;
pub use self::inflow::Flood;
pub(crate) use self::inflow::Inflow;
pub(crate) use self::message::{RECEIVED_BYTES, UNREADABLE};
pub(crate) use self::stderr::StderrTail;

/// Checks the settings before anything is started.
pub(crate) fn check(settings: &ServerSettings) -> Result<(), Error> {
    match &settings.transport {
        TransportSettings::Stdio(_) => Ok(()),
        TransportSettings::Http(http) | TransportSettings::Sse(http) => {
            http::check(&settings.id, http)
        }
    }
}

/// Reason why a server could not be started.
pub(crate) struct StartFailure {
    pub(crate) reason: String,
    /// Last output of the server on stderr; not yet masked.
    pub(crate) stderr: Option<String>,
    /// Set if the reason is a fault of this machine.
    pub(crate) fault: Option<LocalFault>,
    /// Whether the server answered the handshake with an error.
    pub(crate) is_refusal: bool,
}

impl From<String> for StartFailure {
    fn from(reason: String) -> Self {
        Self {
            reason,
            stderr: None,
            fault: None,
            is_refusal: false,
        }
    }
}

/// Starts the server and performs the handshake.
pub(crate) async fn open(
    settings: &ServerSettings,
    tokens: Option<Authorizer>,
    client: Client,
    inflow: Inflow,
    greeting: Greeting,
) -> Result<(RunningService<RoleClient, Client>, Option<StderrTail>), StartFailure> {
    let lifecycle = greeting.lifecycle();
    let (handshake, stderr) = match &settings.transport {
        TransportSettings::Stdio(stdio) => {
            let (transport, stderr) = stdio::StdioTransport::spawn(
                stdio,
                settings.max_message_bytes,
                inflow,
                client.clone(),
            )
            .map_err(|error| StartFailure {
                reason: format!("`{}` can't be started: {error}", stdio.command),
                stderr: None,
                fault: Some(LocalFault::find(&error)),
                is_refusal: false,
            })?;
            let handshake = client.serve_with_lifecycle(transport, lifecycle);
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
            let handshake = client.serve_with_lifecycle(transport, lifecycle);
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
                Ok(client.serve_with_lifecycle(transport, lifecycle).await)
            };
            match tokio::time::timeout(settings.start_timeout, open).await {
                Ok(Ok(handshake)) => (Ok(handshake), None),
                Ok(Err(failure)) => return Err(failure),
                Err(elapsed) => (Err(elapsed), None),
            }
        }
    };
    let (reason, shortage, is_refusal) = match handshake {
        Ok(Ok(running)) => return Ok((running, stderr)),
        Ok(Err(error)) => {
            let cause = cause_of(&error);
            (
                format!("the handshake failed: {}", chain(cause)),
                Shortage::find(cause),
                matches!(error, ClientInitializeError::JsonRpcError(_)),
            )
        }
        Err(_) => (
            format!("no handshake within {:?}", settings.start_timeout),
            None,
            false,
        ),
    };
    Err(StartFailure {
        reason,
        stderr: stderr.and_then(|stderr| stderr.text()),
        fault: shortage.map(LocalFault::Shortage),
        is_refusal,
    })
}

/// Whether a message surely had no effect at the server: the connection failed, or the server has forgotten the
/// session.
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

/// Returns the shortage of this machine that prevented sending a message. `rmcp` provides no source for these errors.
pub(crate) fn shortage(error: &ServiceError) -> Option<Shortage> {
    let ServiceError::TransportSend(error) = error else {
        return None;
    };
    let error: &(dyn std::error::Error + 'static) = error.error.as_ref();
    Shortage::find(http::client_error(error).unwrap_or(error))
}

/// Returns the cause of a failed handshake. `rmcp` provides neither the transport's error nor that of its HTTP client
/// as a source. So a refused connection, an unknown name and an invalid certificate would have the same text.
fn cause_of(error: &ClientInitializeError) -> &(dyn std::error::Error + 'static) {
    let ClientInitializeError::TransportError { error, .. } = error else {
        return error;
    };
    let error: &(dyn std::error::Error + 'static) = error.error.as_ref();
    http::client_error(error).unwrap_or(error)
}

/// Formats an error with its causes, for people.
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
