//! An established connection, from the handshake to the disconnect.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CallToolResult, ClientRequest, PingRequest,
    RequestMetaObject, ServerResult, Task,
};
use rmcp::service::{
    Peer, PeerRequestOptions, RequestHandle, RoleClient, RunningService, ServiceError,
};
use serde_json::Value;

use crate::auth::Authorizer;
use crate::call_lost::CallLost;
use crate::catalog::Catalog;
use crate::client::Client;
use crate::compat;
use crate::greeting::Greeting;
use crate::outcome::CallOptions;
use crate::settings::{ServerSettings, TransportSettings};
use crate::transport::{self, Flood, Inflow, StartFailure, StderrTail};

/// Time that a server has to answer `server/discover`. After that, `initialize` is used.
const FIRST_DISCOVERY: Duration = Duration::from_secs(2);
/// Time that a server has to answer a ping after one of its calls timed out.
const PING_TIMEOUT: Duration = Duration::from_secs(5);
/// Longest wait for an orderly end. After that, the transport kills the process.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(10);

pub(crate) struct Live {
    pub(crate) peer: Peer<RoleClient>,
    pub(crate) client: Client,
    pub(crate) catalog: tokio::sync::Mutex<Option<Arc<Catalog>>>,
    running: std::sync::Mutex<Option<RunningService<RoleClient, Client>>>,
    stderr: Option<StderrTail>,
    inflow: Inflow,
    broken: AtomicBool,
}

impl Live {
    /// Starts a server and establishes the connection.
    ///
    /// Over HTTP, revision 2026-07-28 is tried first, because its calls may run as tasks, which outlive a worker. A
    /// child process gets `initialize` first, because some end if another message comes first. Their tasks end with the
    /// worker anyway. If a server refuses the handshake, discovery is tried, because its revision may have no
    /// handshake.
    pub(crate) async fn start(
        settings: &ServerSettings,
        tokens: Option<Authorizer>,
        is_of_older_revision: &AtomicBool,
    ) -> Result<Self, StartFailure> {
        let may_discover = matches!(settings.transport, TransportSettings::Http(_));
        // If the server was only slow, the next connection tries discovery again, because a task of another worker
        // needs it.
        let mut has_refused = false;
        if may_discover && !is_of_older_revision.load(Ordering::Relaxed) {
            let discovery = Self::start_with(settings, tokens.clone(), Greeting::Discovery);
            match tokio::time::timeout(FIRST_DISCOVERY, discovery).await {
                Ok(Ok(started)) => return Ok(started),
                Ok(Err(_)) => has_refused = true,
                Err(_) => {}
            }
        }
        match Self::start_with(settings, tokens.clone(), Greeting::Handshake).await {
            Ok(started) => {
                is_of_older_revision.fetch_or(has_refused, Ordering::Relaxed);
                Ok(started)
            }
            Err(refused) if refused.is_refusal => {
                let started = Self::start_with(settings, tokens, Greeting::Discovery).await;
                started.map_err(|_| refused)
            }
            Err(failure) => Err(failure),
        }
    }

    async fn start_with(
        settings: &ServerSettings,
        tokens: Option<Authorizer>,
        greeting: Greeting,
    ) -> Result<Self, StartFailure> {
        let client = Client::new(&settings.id, settings.elicitation, greeting);
        let inflow = Inflow::new(settings.max_message_bytes);
        let (running, stderr) = tokio::select! {
            opened = transport::open(settings, tokens, client.clone(), inflow.clone(), greeting) => {
                opened.map_err(|failure| inflow.flood().map_or(failure, |flood| flood.to_string().into()))?
            }
            flood = inflow.flooded() => return Err(flood.to_string().into()),
        };
        Ok(Self {
            peer: running.peer().clone(),
            client,
            catalog: tokio::sync::Mutex::default(),
            running: std::sync::Mutex::new(Some(running)),
            stderr,
            inflow,
            broken: AtomicBool::new(false),
        })
    }

    pub(crate) fn is_usable(&self) -> bool {
        !self.broken.load(Ordering::Acquire)
            && self.inflow.flood().is_none()
            && !self.peer.is_transport_closed()
    }

    /// Gives up this connection. It is not used again, and its process is ended in the background.
    pub(crate) fn break_off(&self) {
        self.broken.store(true, Ordering::Release);
        drop(self.take_running());
    }

    /// Runs a request. Restores the full allowances of the server first. Closes the connection if the server exceeds
    /// them.
    pub(crate) async fn unless_flooded<T>(
        &self,
        call: impl Future<Output = T>,
    ) -> Result<T, Flood> {
        self.inflow.grant();
        tokio::select! {
            answer = call => match self.inflow.flood() {
                // The answer may be an error that the closed connection caused.
                Some(flood) => self.broken_off_by(flood),
                None => Ok(answer),
            },
            flood = self.inflow.flooded() => self.broken_off_by(flood),
        }
    }

    fn broken_off_by<T>(&self, flood: Flood) -> Result<T, Flood> {
        self.break_off();
        Err(flood)
    }

    pub(crate) async fn close(&self) {
        self.broken.store(true, Ordering::Release);
        let running = self.take_running();
        if let Some(mut running) = running {
            let _ = running.close_with_timeout(CLOSE_TIMEOUT).await;
        }
    }

    /// Returns the server's last output on stderr. Not masked.
    pub(crate) fn stderr(&self) -> Option<String> {
        self.stderr.as_ref()?.text()
    }

    /// Returns the server's text about its use. Not masked.
    pub(crate) fn instructions(&self) -> Option<String> {
        self.peer.peer_info()?.instructions.clone()
    }

    /// Makes one call. If the future is dropped or the time is up, the call is cancelled at the server.
    pub(crate) async fn call(
        self: &Arc<Self>,
        tool: &str,
        arguments: Value,
        limit: Duration,
        options: &CallOptions,
    ) -> Result<Answer, CallLost> {
        let mut params = CallToolRequestParams::new(tool.to_owned());
        if let Value::Object(arguments) = arguments {
            params = params.with_arguments(arguments);
        }
        let mut meta = RequestMetaObject::default();
        for (key, value) in [
            (
                "tarsy/request-id",
                options.request_id.map(|id| id.to_string()),
            ),
            (
                "tarsy/session-id",
                options.session_id.map(|id| id.to_string()),
            ),
            ("traceparent", options.traceparent.clone()),
        ] {
            if let Some(value) = value {
                meta.insert(key.to_owned(), Value::String(value));
            }
        }
        let options = PeerRequestOptions::no_options().with_meta(meta);
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
        let answer = tokio::time::timeout(limit, async {
            let handle = self.peer.send_request_with_option(request, options).await?;
            InFlight(Some(handle)).answer().await
        });
        match self
            .unless_flooded(answer)
            .await
            .map_err(CallLost::Flooded)?
        {
            Ok(Ok(ServerResult::CallToolResult(result))) => Ok(Answer::Result(Box::new(result))),
            Ok(Ok(ServerResult::CreateTaskResult(created))) => Ok(Answer::Task(created.task)),
            // Any answer with the id of the request counts as its answer.
            Ok(Ok(other)) => serde_json::to_value(other)
                .ok()
                .and_then(compat::result_of_tool)
                .map(|result| Answer::Result(Box::new(result)))
                .ok_or(CallLost::Service(ServiceError::UnexpectedResponse)),
            Ok(Err(error)) => Err(self.lost(error)),
            Err(_) => {
                self.suspect();
                Err(CallLost::TimedOut)
            }
        }
    }

    /// Returns the reason of a lost call. Gives up the connection if it is gone.
    pub(crate) fn lost(&self, error: ServiceError) -> CallLost {
        let lost = CallLost::Service(error);
        if lost.connection_is_gone() {
            self.break_off();
        }
        lost
    }

    /// Pings the server after a call timed out. Gives up the connection if there is no answer.
    fn suspect(self: &Arc<Self>) {
        let this = Arc::clone(self);
        tokio::spawn(async move {
            let ping = this
                .peer
                .send_request(ClientRequest::PingRequest(PingRequest::default()));
            if !matches!(tokio::time::timeout(PING_TIMEOUT, ping).await, Ok(Ok(_))) {
                tracing::warn!(
                    "MCP server is silent after a timed out call; its connection is given up"
                );
                this.break_off();
            }
        });
    }

    fn take_running(&self) -> Option<RunningService<RoleClient, Client>> {
        self.running
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
            .take()
    }
}

/// A server's answer to a call.
pub(crate) enum Answer {
    Result(Box<CallToolResult>),
    /// The server runs the call as a task.
    Task(Task),
}

/// A running request. Dropping it cancels the request at the server.
struct InFlight(Option<RequestHandle<RoleClient>>);

impl InFlight {
    async fn answer(mut self) -> Result<ServerResult, ServiceError> {
        let Some(handle) = self.0.as_mut() else {
            return Err(ServiceError::TransportClosed);
        };
        let answer = (&mut handle.rx).await;
        self.0 = None;
        answer.unwrap_or(Err(ServiceError::TransportClosed))
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        let Some(handle) = self.0.take() else { return };
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                let cancel = handle.cancel(Some("no longer wanted".to_owned()));
                let _ = tokio::time::timeout(PING_TIMEOUT, cancel).await;
            });
        }
    }
}
