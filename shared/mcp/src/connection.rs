//! The connection to one server: connects on demand, reconnects with backoff.

mod follow;

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rmcp::model::{CallToolResult, PaginatedRequestParams};
use serde_json::Value;
use tarsy_model::LocalFault;
use tracing::Instrument as _;

use crate::auth::Authorizer;
use crate::catalog::Catalog;
use crate::error::{CallError, Error};
use crate::live::{Answer, CallLost, Live, forgot_the_session};
use crate::outcome::{CallOptions, ConnectionState, ServerStatus, ToolOutcome};
use crate::redact::Redactor;
use crate::settings::ServerSettings;
use crate::task;
use crate::transport::{self, Flood, RECEIVED_BYTES, StartFailure};

const FIRST_PAUSE: Duration = Duration::from_millis(500);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
/// Most bytes of a tool list, over all of its pages.
const MOST_LIST_BYTES: usize = 8 * 1024 * 1024;
/// Most tools of a list.
const MOST_TOOLS: usize = 2_000;
const MOST_PAGES: usize = 100;

/// The connection to one server.
pub(crate) struct Connection {
    settings: ServerSettings,
    redactor: Redactor,
    /// Outlives single connections, so that a new one need not ask for a new token.
    tokens: Option<Authorizer>,
    /// Held while the server is started, so that it is started once.
    starting: tokio::sync::Mutex<()>,
    /// The server has taken `initialize` and is not asked for a later revision again.
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
    /// What the server wrote on stderr before its last failure, masked.
    stderr: Option<String>,
    /// Of the last start.
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

    /// The server's tools, from the cache unless they changed.
    pub(crate) async fn catalog(&self) -> Result<Arc<Catalog>, CallError> {
        let live = self.live().await?;
        match self.catalog_over(&live).await {
            Err(lost) if lost.is_forgotten => {
                let live = self.live().await?;
                self.catalog_over(&live).await.map_err(|lost| lost.error)
            }
            listed => listed.map_err(|lost| lost.error),
        }
    }

    async fn catalog_over(&self, live: &Live) -> Result<Arc<Catalog>, ListLost> {
        let mut cached = live.catalog.lock().await;
        let changed = live.client.take_tools_changed();
        if let Some(catalog) = cached.as_ref().filter(|_| !changed) {
            return Ok(Arc::clone(catalog));
        }
        let fetch = Box::pin(self.fetch(live));
        let fetch = tokio::time::timeout(self.settings.start_timeout, fetch);
        let fetched = match live.unless_flooded(fetch).await {
            Ok(Ok(fetched)) => fetched,
            Ok(Err(_)) => {
                live.break_off();
                Err(self.unavailable("it did not list its tools in time").into())
            }
            Err(flood) => Err(self.flooded(flood).into()),
        };
        let catalog = fetched.inspect_err(|lost| {
            live.client.set_tools_changed();
            self.note_error(&lost.error, live.stderr());
        })?;
        self.lock().tools = Some(catalog.len());
        *cached = Some(Arc::clone(&catalog));
        Ok(catalog)
    }

    /// Call a tool. One that may be repeated, or was surely not run, is called once more over a
    /// new connection when the old one turns out to be gone.
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

    /// The error of a call that was lost, noted for people.
    fn failed(&self, live: &Live, lost: CallLost, tool: &str, limit: Duration) -> CallError {
        let error = lost.into_call_error(self.id(), tool, limit, |text| self.redactor.brief(text));
        self.note_error(&error, live.stderr());
        error
    }

    /// The answer of a tool, masked and bounded.
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

    /// The live connection; starts the server if there is none.
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
        // A trace of its own: the connection outlives the stage that was the first to need it,
        // and a span that never ends is never sent.
        let span =
            tracing::info_span!(parent: None, "MCP connection", mcp.server = %self.settings.id);
        // Boxed, since every call of a tool could be the one that connects, and few are.
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

    async fn fetch(&self, live: &Live) -> Result<Arc<Catalog>, ListLost> {
        let mut tools = Vec::new();
        let mut bytes = 0;
        let mut cursor = None;
        for _ in 0..MOST_PAGES {
            let params = PaginatedRequestParams::default().with_cursor(cursor.clone());
            let page = live.peer.list_tools(Some(params)).await.map_err(|error| {
                let is_forgotten = forgot_the_session(&error);
                if !matches!(error, rmcp::ServiceError::McpError(_)) || is_forgotten {
                    live.break_off();
                }
                let fault = transport::shortage(&error).map(LocalFault::Shortage);
                let reason = format!("it did not list its tools: {error}");
                ListLost {
                    error: self.unavailable_for(fault, &reason),
                    is_forgotten,
                }
            })?;
            if page
                .meta
                .as_ref()
                .is_some_and(|meta| meta.contains_key(RECEIVED_BYTES))
            {
                return Err(self.unavailable("its tool list is too large").into());
            }
            for tool in &page.tools {
                bytes += serde_json::to_string(tool).map_or(0, |text| text.len());
            }
            if bytes > MOST_LIST_BYTES {
                live.break_off();
                return Err(self.unavailable("its tool list is too large").into());
            }
            tools.extend(page.tools);
            let last = std::mem::replace(&mut cursor, page.next_cursor);
            if cursor.is_some() && cursor == last {
                tracing::warn!(mcp.server = %self.id(), "the server repeats a cursor; its tools so far are taken for all");
                cursor = None;
            }
            if cursor.is_none() || tools.len() > MOST_TOOLS {
                break;
            }
        }
        if cursor.is_some() || tools.len() > MOST_TOOLS {
            live.break_off();
            return Err(self.unavailable("its tool list does not end").into());
        }
        Ok(Arc::new(Catalog::new(
            tools,
            live.instructions(),
            &self.settings,
            &self.redactor,
        )))
    }

    /// A server that floods us is left alone for a while.
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

    /// For people: models and records get the reason alone, since a server may write anything there.
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

/// Why there is no list of tools.
struct ListLost {
    error: CallError,
    /// The server does not know the session any more; over a new connection it lists its tools.
    is_forgotten: bool,
}

impl From<CallError> for ListLost {
    fn from(error: CallError) -> Self {
        Self {
            error,
            is_forgotten: false,
        }
    }
}
