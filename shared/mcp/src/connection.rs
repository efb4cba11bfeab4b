//! The connection to one server. Connects on demand and reconnects with backoff.

mod follow;
mod list;

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rmcp::model::CallToolResult;
use serde_json::Value;
use tarsy_model::LocalFault;
use tracing::Instrument as _;

use crate::auth::Authorizer;
use crate::call_lost::CallLost;
use crate::error::{CallError, Error};
use crate::live::{Answer, Live};
use crate::outcome::{CallOptions, ConnectionState, ServerStatus, ToolOutcome};
use crate::redact::Redactor;
use crate::settings::ServerSettings;
use crate::task;
use crate::transport::{Flood, StartFailure};

const FIRST_PAUSE: Duration = Duration::from_millis(500);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// The connection to one server.
pub(crate) struct Connection {
    settings: ServerSettings,
    redactor: Redactor,
    /// Outlives single connections, so that a new connection can reuse the token.
    tokens: Option<Authorizer>,
    /// Held while the server is started, so that concurrent callers start it only once.
    starting: tokio::sync::Mutex<()>,
    /// Whether the server refused discovery and accepted `initialize`. Later connections then skip discovery.
    is_of_older_revision: AtomicBool,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    live: Option<Arc<Live>>,
    failures: u32,
    retry_at: Option<Instant>,
    starts: u64,
    tools: Option<usize>,
    last_error: Option<String>,
    /// Last output of the server on stderr before its last failure, masked.
    stderr: Option<String>,
    /// Fault of this machine at the last failed start.
    fault: Option<LocalFault>,
}

impl Connection {
    pub(crate) fn new(settings: ServerSettings) -> Result<Self, Error> {
        let tokens = Authorizer::new(&settings)?;
        let redactor = Redactor::new(Arc::clone(&settings.masker));
        Ok(Self {
            settings,
            redactor,
            tokens,
            starting: tokio::sync::Mutex::default(),
            is_of_older_revision: AtomicBool::new(false),
            state: Mutex::default(),
        })
    }

    pub(crate) fn id(&self) -> &str {
        &self.settings.id
    }

    /// Calls a tool. If the old connection turns out to be gone, the call is made once more over a new one. That
    /// requires that the call is repeatable or surely did not run.
    pub(crate) async fn call(
        &self,
        tool: &str,
        arguments: Value,
        repeatable: bool,
        options: &CallOptions,
    ) -> Result<ToolOutcome, CallError> {
        let limit = self.limit(options);
        let deadline = Instant::now() + limit;
        let begun = Instant::now();
        let mut tried = false;
        loop {
            let live = self.live().await?;
            let left = deadline.saturating_duration_since(Instant::now());
            let lost = match live.call(tool, arguments.clone(), left, options).await {
                Ok(Answer::Result(result)) => return Ok(self.outcome(*result, begun).await),
                Ok(Answer::Task(task)) => {
                    if let Some(begun) = &options.task_begun
                        && task::can_be_kept(&task.task_id)
                    {
                        let _ = begun.send(task.task_id.clone());
                    }
                    let pause = task::pause(task.poll_interval_ms);
                    return self
                        .follow_from(tool, &task.task_id, begun, limit, pause)
                        .await;
                }
                Err(lost) => lost,
            };
            let again =
                lost.connection_is_gone() && (repeatable || lost.surely_not_run()) && !tried;
            if !again || Instant::now() >= deadline {
                if let CallLost::Flooded(flood) = lost {
                    return Err(self.flooded(flood));
                }
                return Err(self.failed(&live, lost, tool, limit));
            }
            tried = true;
        }
    }

    fn limit(&self, options: &CallOptions) -> Duration {
        options.timeout.unwrap_or(self.settings.call_timeout)
    }

    /// Converts a lost call to its error, and notes the error in the server's status.
    fn failed(&self, live: &Live, lost: CallLost, tool: &str, limit: Duration) -> CallError {
        let error = lost.into_call_error(self.id(), tool, limit, |text| self.redactor.brief(text));
        self.note_error(&error, live.stderr());
        error
    }

    /// Masks and shortens the answer of a tool.
    async fn outcome(&self, result: CallToolResult, begun: Instant) -> ToolOutcome {
        let raw = crate::render::raw(&result);
        drop(result);
        let (text, masked_kinds) = self.redactor.answer(raw.text).await;
        let (text, truncated) = crate::render::bounded(
            text,
            raw.cut,
            raw.total_bytes,
            self.settings.max_output_bytes,
        );
        ToolOutcome {
            text,
            is_error: raw.is_error,
            duration: begun.elapsed(),
            masked_kinds,
            truncated,
            total_bytes: raw.total_bytes,
        }
    }

    pub(crate) fn status(&self) -> ServerStatus {
        let state = self.lock();
        let retry_in = state
            .retry_at
            .map(|at| at.saturating_duration_since(Instant::now()));
        let connection = match (&state.live, retry_in) {
            (Some(live), _) if live.is_usable() => ConnectionState::Connected,
            (_, Some(retry_in)) => ConnectionState::Failing {
                failures: state.failures,
                retry_in,
            },
            _ => ConnectionState::Idle,
        };
        ServerStatus {
            server: self.settings.id.clone(),
            state: connection,
            tools: state.tools,
            starts: state.starts,
            last_error: state.last_error.clone(),
            stderr: state.stderr.clone(),
        }
    }

    pub(crate) async fn close(&self) {
        let live = self.lock().live.take();
        if let Some(live) = live {
            live.close().await;
        }
    }

    /// Returns the live connection. Starts the server if there is none.
    async fn live(&self) -> Result<Arc<Live>, CallError> {
        if let Some(live) = self.current() {
            return Ok(live);
        }
        let _starting = self.starting.lock().await;
        if let Some(live) = self.current() {
            return Ok(live);
        }
        self.check_pause()?;
        self.lock().starts += 1;
        // The connection has its own trace, because it outlives the stage that first needed it. A span that never ends
        // is never sent.
        let span =
            tracing::info_span!(parent: None, "MCP connection", mcp.server = %self.settings.id);
        // Boxed, so that the futures of calls stay small: any call may connect, but few do.
        let start = Live::start(
            &self.settings,
            self.tokens.clone(),
            &self.is_of_older_revision,
        );
        match Box::pin(start.instrument(span)).await {
            Ok(live) => {
                let live = Arc::new(live);
                let mut state = self.lock();
                state.failures = 0;
                state.retry_at = None;
                state.live = Some(Arc::clone(&live));
                tracing::info!(mcp.server = %self.settings.id, "MCP server is connected");
                Ok(live)
            }
            Err(failure) => Err(self.start_failed(&failure)),
        }
    }

    fn current(&self) -> Option<Arc<Live>> {
        let mut state = self.lock();
        if state.live.as_ref().is_some_and(|live| !live.is_usable()) {
            state.live = None;
        }
        state.live.clone()
    }

    fn check_pause(&self) -> Result<(), CallError> {
        let state = self.lock();
        let left = state
            .retry_at
            .map(|at| at.saturating_duration_since(Instant::now()));
        match left.filter(|left| !left.is_zero()) {
            None => Ok(()),
            Some(left) => Err(CallError::Unavailable {
                server: self.settings.id.clone(),
                message: state.last_error.clone().unwrap_or_default(),
                retry_in: Some(left),
                fault: state.fault,
            }),
        }
    }

    fn start_failed(&self, failure: &StartFailure) -> CallError {
        let message = self.redactor.brief(&failure.reason);
        self.keep_stderr(failure.stderr.clone());
        let mut state = self.lock();
        let pause = FIRST_PAUSE
            .saturating_mul(1 << state.failures.min(10))
            .min(LONGEST_PAUSE);
        state.failures += 1;
        state.retry_at = Some(Instant::now() + pause);
        state.last_error = Some(message.clone());
        state.fault = failure.fault;
        tracing::warn!(mcp.server = %self.settings.id, failures = state.failures, reason = %message, "MCP server can't be started");
        CallError::Unavailable {
            server: self.settings.id.clone(),
            message,
            retry_in: Some(pause),
            fault: failure.fault,
        }
    }

    /// Converts a flood to its error. The server is not started again for the longest pause.
    fn flooded(&self, flood: Flood) -> CallError {
        let server = self.settings.id.clone();
        tracing::warn!(mcp.server = %server, reason = %flood, "MCP server was broken off");
        let error = CallError::Flooded { server, flood };
        let mut state = self.lock();
        state.fault = None;
        state.failures += 1;
        state.retry_at = Some(Instant::now() + LONGEST_PAUSE);
        state.last_error = Some(error.to_string());
        error
    }

    fn unavailable(&self, reason: &str) -> CallError {
        self.unavailable_for(None, reason)
    }

    fn unavailable_for(&self, fault: Option<LocalFault>, reason: &str) -> CallError {
        let message = self.redactor.brief(reason);
        CallError::Unavailable {
            server: self.settings.id.clone(),
            message,
            retry_in: None,
            fault,
        }
    }

    fn note_error(&self, error: &CallError, stderr: Option<String>) {
        if !matches!(error, CallError::Protocol { .. }) {
            self.keep_stderr(stderr);
            self.lock().last_error = Some(error.to_string());
        }
    }

    /// Keeps the server's stderr for people. Models and records get only the reason, because a server may write
    /// anything there.
    fn keep_stderr(&self, stderr: Option<String>) {
        let stderr = stderr.map(|stderr| self.redactor.brief(&stderr));
        if let Some(stderr) = &stderr {
            tracing::warn!(mcp.server = %self.id(), %stderr, "what the MCP server wrote last on stderr");
        }
        self.lock().stderr = stderr;
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
