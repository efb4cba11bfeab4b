//! Child sessions: the tools with which an agent dispatches, lists and cancels them
//! (docs/decisions/0032-child-sessions.md).

use async_trait::async_trait;
use serde_json::value::to_raw_value;
use serde_json::{Value, json};
use sqlx::Connection as _;
use tarsy_agent::{
    CANCEL_AGENT, DISPATCH_AGENT, LIST_AGENTS, NotListed, RunError, SUB_AGENTS_SERVER, ToolCall,
    Tools, sub_agent_tools,
};
use tarsy_chain::MAX_SUB_AGENT_DEPTH;
use tarsy_config::{AgentConfig, Config};
use tarsy_failpoint::reached;
use tarsy_masking::Masker;
use tarsy_mcp::{AgentTools, ListedServer, ToolInfo};
use tarsy_model::{McpResult, SessionId, chain_queue, storable};
use tarsy_queue::{Connections, Waker};
use tarsy_store::Error;
use tarsy_store::children::{ChildRecord, children_of_stage};
use tarsy_store::interactions::StageFence;
use tarsy_store::stages::BegunStage;
use tarsy_transitions::{Dispatch, Dispatched, cancel_child, dispatch};

/// Maximum number of sub-agents of one stage execution.
const MAX_CHILDREN: i64 = 8;
/// Maximum length of a task, and of the result that is shown of each sub-agent, in characters.
const LONGEST_TEXT: usize = 16_000;

/// The tools of an agent: those of its servers, and those for sub-agents if it has any.
pub(crate) struct StageTools<'a> {
    pub(crate) tools: AgentTools,
    pub(crate) sub_agents: Option<SubAgents<'a>>,
}

#[async_trait]
impl Tools for StageTools<'_> {
    fn servers(&self) -> Vec<String> {
        let mut servers = Tools::servers(&self.tools);
        servers.extend(
            self.sub_agents
                .as_ref()
                .map(|_| SUB_AGENTS_SERVER.to_owned()),
        );
        servers
    }

    async fn list(&self, server: &str) -> Result<ListedServer, NotListed> {
        match &self.sub_agents {
            Some(sub_agents) if server == SUB_AGENTS_SERVER => Ok(ListedServer {
                tools: sub_agents.tools(),
                instructions: None,
            }),
            _ => Tools::list(&self.tools, server).await,
        }
    }

    async fn call(&self, call: ToolCall) -> Result<McpResult, RunError> {
        match &self.sub_agents {
            Some(sub_agents) if call.server == SUB_AGENTS_SERVER => sub_agents.call(call).await,
            _ => {
                let traceparent = tarsy_telemetry::current_traceparent();
                let call = ToolCall {
                    traceparent,
                    ..call
                };
                Tools::call(&self.tools, call).await
            }
        }
    }
}

/// The sub-agents of one running stage.
pub(crate) struct SubAgents<'a> {
    /// Configuration of the agents.
    pub(crate) config: &'a Config,
    /// Masks tasks and results.
    pub(crate) masker: &'a Masker,
    /// Connections for reading and writing child sessions.
    pub(crate) connections: &'a Connections,
    pub(crate) waker: &'a Waker,
    /// Agents that it may dispatch: the list of its stage, or else that of its agent.
    pub(crate) named: &'a [String],
    pub(crate) agent: &'a AgentConfig,
    pub(crate) stage: &'a BegunStage,
    /// Claim under which the stage runs.
    pub(crate) fence: StageFence,
}

impl SubAgents<'_> {
    fn tools(&self) -> Vec<ToolInfo> {
        let agents = self.named.iter().map(|name| {
            let agent = self.config.agent(name);
            (
                name.as_str(),
                agent.and_then(|agent| agent.description.as_deref()),
            )
        });
        sub_agent_tools(&agents.collect::<Vec<_>>())
    }

    async fn call(&self, call: ToolCall) -> Result<McpResult, RunError> {
        let text = |name: &str| call.arguments.get(name).and_then(Value::as_str);
        match call.tool.as_str() {
            DISPATCH_AGENT => match (text("name"), text("task")) {
                (Some(name), Some(task)) => self.dispatch(&call, name, task).await,
                _ => Ok(refused("dispatch_agent needs the texts `name` and `task`")),
            },
            CANCEL_AGENT => match text("id").and_then(|id| id.parse().ok()) {
                Some(id) => self.cancel(id).await,
                None => Ok(refused("cancel_agent needs the `id` of a sub-agent")),
            },
            LIST_AGENTS => match call.arguments.get("wait") {
                None | Some(Value::Null) => self.list(false).await,
                Some(Value::Bool(wait)) => self.list(*wait).await,
                Some(_) => Ok(refused("`wait` of list_agents is true or false")),
            },
            _ => Ok(refused("there is no such tool")),
        }
    }

    async fn dispatch(
        &self,
        call: &ToolCall,
        name: &str,
        task: &str,
    ) -> Result<McpResult, RunError> {
        if !self.named.iter().any(|known| known == name) {
            let known = self.named.join(", ");
            // The name is not repeated, because the model may have written anything.
            return Ok(refused(format!(
                "`name` is not one of your sub-agents; they are {known}"
            )));
        }
        if task.trim().is_empty() || task.chars().count() > LONGEST_TEXT {
            return Ok(refused(format!(
                "a task has 1 to {LONGEST_TEXT} characters"
            )));
        }
        let task = storable(self.masker.mask_or_withhold(task));
        let index = usize::try_from(self.stage.stage_index).unwrap_or(usize::MAX);
        let pool = self.stage.stages.get(index).map(|stage| stage.pool.clone());
        let provider = self.stage.chain_llm_provider.clone();
        let chain = tarsy_chain::sub_agent(name, pool.unwrap_or_default(), provider);
        let chain = self.config.stage_plans().resolve(&chain);
        let request = Dispatch {
            fence: self.fence,
            interaction_id: call.request_id,
            agent: name.to_owned(),
            task,
            chain_definition: to_raw_value(&chain).map_err(|e| RunError::Unavailable(e.into()))?,
            severity: self.stage.severity.clone(),
            max_depth: MAX_SUB_AGENT_DEPTH,
            max_children: MAX_CHILDREN,
        };
        let writing = self.connections.run(async |conn| {
            reached("stage.dispatch.before_commit");
            let dispatched = dispatch(conn, &request).await?;
            reached("stage.dispatch.after_commit");
            Ok::<_, Error>(dispatched)
        });
        match writing.await.map_err(unavailable)? {
            Dispatched::Child(id) => {
                self.waker.wake(chain_queue());
                self.waker.wake_watchers();
                Ok(answer(
                    &json!({"id": id, "agent": name, "status": "pending"}),
                ))
            }
            Dispatched::TooDeep => Ok(refused(format!(
                "no sub-agent was dispatched: sub-agents may be nested {MAX_SUB_AGENT_DEPTH} deep; do the task yourself"
            ))),
            Dispatched::TooMany => Ok(refused(format!(
                "no sub-agent was dispatched: you have had {MAX_CHILDREN}, which is the limit"
            ))),
            Dispatched::ClaimLost => Err(RunError::ClaimLost),
        }
    }

    async fn list(&self, wait: bool) -> Result<McpResult, RunError> {
        let children = self.children().await?;
        if wait && children.iter().any(|child| !child.status.is_terminal()) {
            return Err(RunError::WaitForSubAgents);
        }
        let children: Vec<Value> = children.iter().map(|child| self.shown(child)).collect();
        Ok(answer(&json!(children)))
    }

    async fn cancel(&self, id: SessionId) -> Result<McpResult, RunError> {
        let children = self.children().await?;
        let Some(child) = children.iter().find(|child| child.session_id == id) else {
            return Ok(refused(format!("you have dispatched no sub-agent `{id}`")));
        };
        if child.status.is_terminal() {
            return Ok(answer(&json!({"id": id, "status": child.status})));
        }
        let by = format!("agent {}", self.agent.name);
        let why = format!("cancelled by {by}");
        let writing = self.connections.run(async |conn| {
            let mut tx = conn.begin().await?;
            let held = cancel_child(&mut tx, &self.fence, id, &by, &why).await?;
            reached("stage.cancel_child.before_commit");
            tx.commit().await?;
            reached("stage.cancel_child.after_commit");
            Ok::<_, Error>(held)
        });
        if !writing.await.map_err(unavailable)? {
            return Err(RunError::ClaimLost);
        }
        self.waker.wake(chain_queue());
        self.waker.wake_watchers();
        Ok(answer(&json!({"id": id, "status": "cancelled"})))
    }

    async fn children(&self) -> Result<Vec<ChildRecord>, RunError> {
        let reading = self
            .connections
            .run(async |conn| children_of_stage(conn, self.fence.execution_id).await);
        reading.await.map_err(unavailable)
    }

    /// Returns the data of a sub-agent that the model sees.
    fn shown(&self, child: &ChildRecord) -> Value {
        let text = |text: &String| {
            let masked = self.masker.mask_or_withhold(text);
            masked.chars().take(LONGEST_TEXT).collect::<String>()
        };
        let mut shown = json!({
            "id": child.session_id, "agent": child.agent, "task": child.task, "status": child.status,
        });
        if let Some(result) = &child.final_analysis {
            shown["result"] = text(result).into();
        }
        if let Some(error) = &child.error_message {
            shown["error"] = text(error).into();
        }
        shown
    }
}

/// Returns a result that is recorded as text, so that the model reads it like the result of any tool.
fn answer(value: &Value) -> McpResult {
    McpResult {
        success: true,
        tool_result: Some(format!("{value:#}").into()),
        ..McpResult::default()
    }
}

fn refused(why: impl Into<String>) -> McpResult {
    McpResult {
        refused: true,
        error_message: Some(why.into()),
        ..McpResult::default()
    }
}

fn unavailable(error: Error) -> RunError {
    RunError::Unavailable(error.into())
}
