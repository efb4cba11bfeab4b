//! A fake MCP server of protocol revision 2026-07-28 that runs its calls as tasks (SEP-2663).

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use axum::routing::post;
use axum::{Json, Router};
use serde_json::{Value, json};

/// A fake server over streamable HTTP with the tools `read_backup`, which is read-only, and `run_backup`, which is not.
/// Its tasks run until [`finish`](Self::finish) ends them. The server ends with the runtime.
#[derive(Debug, Clone)]
pub struct FakeTaskServer {
    url: String,
    state: Arc<Mutex<Tasks>>,
}

#[derive(Debug, Default)]
struct Tasks {
    /// Called tools in the order of the calls. The first call is task `task-1`.
    called: Vec<String>,
    /// Members that `tasks/get` returns for ended tasks.
    ended: BTreeMap<String, Value>,
    /// Number of `tasks/get` requests for each task.
    polls: BTreeMap<String, usize>,
    cancelled: Vec<String>,
    is_away: bool,
    takes_handshakes: bool,
    ignores_discovery: bool,
}

impl FakeTaskServer {
    /// Starts the server on a free port.
    ///
    /// # Panics
    ///
    /// When there is no free port.
    pub async fn start() -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0")
            .await
            .expect("a port for the fake server");
        let address = listener.local_addr().expect("its address");
        let fake = Self {
            url: format!("http://{address}/mcp"),
            state: Arc::default(),
        };
        let app = Router::new()
            .route("/mcp", post(answer))
            .with_state(fake.clone());
        tokio::spawn(async move { axum::serve(listener, app).await });
        fake
    }

    /// Returns the URL of the server.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Returns the called tools in the order of the calls.
    #[must_use]
    pub fn called(&self) -> Vec<String> {
        self.lock().called.clone()
    }

    /// Returns how often clients requested the result of a task.
    #[must_use]
    pub fn polls(&self, task: &str) -> usize {
        self.lock().polls.get(task).copied().unwrap_or(0)
    }

    /// Returns the tasks that clients have cancelled.
    #[must_use]
    pub fn cancelled(&self) -> Vec<String> {
        self.lock().cancelled.clone()
    }

    /// Completes a task with this text as the tool's result.
    pub fn finish(&self, task: &str, text: &str) {
        // The block has no `type`, like those of some real servers.
        let result = json!({"content": [{"text": text}]});
        self.end(task, json!({"status": "completed", "result": result}));
    }

    /// Ends a task. `members` has its `status`, and `result` or `error`.
    pub fn end(&self, task: &str, members: Value) {
        self.lock().ended.insert(task.to_owned(), members);
    }

    /// If `is_away`, answers everything with 502 from now on, like a proxy without its server. Else, answers normally.
    pub fn set_away(&self, is_away: bool) {
        self.lock().is_away = is_away;
    }

    /// Accepts `initialize` too from now on, like a server of both revisions. Calls of such clients are not tasks.
    pub fn take_handshakes(&self) {
        self.lock().takes_handshakes = true;
    }

    /// If `ignores`, never answers `server/discover` from now on. Otherwise, answers it again.
    pub fn ignore_discovery(&self, ignores: bool) {
        self.lock().ignores_discovery = ignores;
    }

    /// Forgets all tasks, like a server that was restarted.
    pub fn forget(&self) {
        self.lock().called.clear();
    }

    fn lock(&self) -> MutexGuard<'_, Tasks> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn result(&self, method: &str, params: &Value) -> Result<Value, Value> {
        let task = params["taskId"].as_str().unwrap_or_default();
        let mut tasks = self.lock();
        let number = task.strip_prefix("task-").and_then(|id| id.parse().ok());
        let is_known = number.is_some_and(|number: usize| number <= tasks.called.len());
        let unknown = || json!({"code": -32_602, "message": format!("unknown task {task}")});
        match method {
            "server/discover" => Ok(json!({
                "resultType": "complete", "supportedVersions": ["2026-07-28"], "ttlMs": 0, "cacheScope": "private",
                "capabilities": {"tools": {}, "extensions": {"io.modelcontextprotocol/tasks": {}}},
            })),
            "tools/list" => {
                let tool = |name: &str, reads: bool| json!({"name": name, "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": reads}});
                Ok(json!({"tools": [tool("read_backup", true), tool("run_backup", false)]}))
            }
            "tools/call" => {
                let name = params["name"].as_str().unwrap_or_default();
                tasks.called.push(name.to_owned());
                if params["_meta"]["io.modelcontextprotocol/protocolVersion"].is_null() {
                    return Ok(json!({"content": [{"text": "no task"}]}));
                }
                let mut begun = state(&format!("task-{}", tasks.called.len()), "working");
                begun["resultType"] = json!("task");
                Ok(begun)
            }
            "tasks/get" if is_known => {
                *tasks.polls.entry(task.to_owned()).or_default() += 1;
                let mut reply = state(task, "working");
                if let Some(Value::Object(ended)) = tasks.ended.get(task) {
                    for (name, value) in ended {
                        reply[name] = value.clone();
                    }
                }
                Ok(reply)
            }
            "tasks/cancel" if is_known => {
                tasks.cancelled.push(task.to_owned());
                Ok(json!({"resultType": "complete"}))
            }
            "tasks/get" | "tasks/cancel" => Err(unknown()),
            "initialize" if tasks.takes_handshakes => Ok(json!({
                "protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "both", "version": "1"},
            })),
            "initialize" => Err(json!({
                "code": -32_022, "message": "Unsupported protocol version", "data": {"supported": ["2026-07-28"]},
            })),
            _ => Err(json!({"code": -32_601, "message": "no such method"})),
        }
    }
}

fn state(task: &str, status: &str) -> Value {
    json!({
        "taskId": task, "status": status, "ttlMs": null, "pollIntervalMs": 100, "resultType": "complete",
        "createdAt": "2026-11-20T08:00:00Z", "lastUpdatedAt": "2026-11-20T08:00:00Z",
    })
}

async fn answer(State(fake): State<FakeTaskServer>, Json(message): Json<Value>) -> Response {
    let id = message["id"].clone();
    if fake.lock().is_away {
        return StatusCode::BAD_GATEWAY.into_response();
    }
    if id.is_null() {
        return StatusCode::ACCEPTED.into_response();
    }
    let method = message["method"].as_str().unwrap_or_default();
    let is_ignored = method == "server/discover" && fake.lock().ignores_discovery;
    if is_ignored {
        std::future::pending::<()>().await;
    }
    let answer = match fake.result(method, &message["params"]) {
        Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
        Err(error) => json!({"jsonrpc": "2.0", "id": id, "error": error}),
    };
    Json(answer).into_response()
}
