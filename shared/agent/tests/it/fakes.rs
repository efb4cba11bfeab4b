//! Fake model, tools and recorder that follow the test's script and remember their calls.

mod record;

use std::sync::Mutex;
use std::time::Duration;

use async_trait::async_trait;
use serde_json::{Value, json};
use tarsy_agent::{
    Agent, AgentBrief, Model, ModelAnswer, ModelProfile, NotListed, RunError, ServerInstructions,
    StageOutcome, Task, ToolCall, Tools, Transcript,
};
use tarsy_llm::ChatRequest;
use tarsy_mcp::{ListedServer, ToolInfo, ToolPin};
use tarsy_model::{
    AgentLimits, AlertProcessingData, EffectClass, IterationStrategy, LlmResult, LocalFault,
    McpResult, ReplyFormat, SessionId, Shortage, TokenUsage, UnixMicros,
};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

pub(crate) use record::*;

pub(crate) fn brief(strategy: IterationStrategy) -> AgentBrief {
    AgentBrief {
        agent: "KubernetesAgent".into(),
        strategy,
        code: None,
        data: AlertProcessingData {
            session_id: SessionId::generate(),
            alert_type: "NamespaceTerminating".into(),
            severity: "critical".into(),
            timestamp_us: UnixMicros(1_700_000_000_000_000),
            alert_data: json!({"namespace": "superman-dev", "cluster": "prod"}),
            runbook_url: None,
            runbook_content: Some("1. Look at the finalizers.".into()),
            runbook_error: None,
            chain_id: "c".into(),
            current_stage: "analysis".into(),
            branch: None,
            stage_outputs: Vec::new(),
        },
        started_at: Some(UnixMicros(1_700_000_600_000_000)),
        changes: Vec::new(),
        follow_up: None,
        task: None,
        custom_instructions: "Be brief.".into(),
        server_instructions: vec![ServerInstructions {
            server: "k8s".into(),
            text: "Use namespaces.".into(),
        }],
        approvals: std::collections::BTreeMap::new(),
        output: None,
        limits: AgentLimits::default(),
    }
}

pub(crate) fn said(text: impl Into<String>) -> ModelAnswer {
    ModelAnswer {
        result: LlmResult {
            success: true,
            response_text: Some(text.into()),
            usage: Some(TokenUsage {
                cache_write_tokens: 0,
                input_tokens: 100,
                output_tokens: 10,
                ..TokenUsage::default()
            }),
            cost_usd: Some(0.01),
            ..LlmResult::default()
        },
        ..ModelAnswer::default()
    }
}

pub(crate) fn act(tool: &str, input: &Value) -> ModelAnswer {
    said(format!(
        "Thought: next\nAction: {tool}\nAction Input: {input}"
    ))
}

pub(crate) fn native(calls: &[(&str, Value)]) -> ModelAnswer {
    let calls: Vec<Value> = calls
        .iter()
        .enumerate()
        .map(|(n, (name, arguments))| json!({"id": format!("c{n}"), "name": name, "arguments": arguments}))
        .collect();
    let mut answer = said("");
    answer.result.tool_calls = Some(json!(calls));
    answer
}

pub(crate) fn error(class: &str, retry_after: Option<u64>) -> ModelAnswer {
    ModelAnswer {
        result: LlmResult {
            error_class: Some(class.into()),
            error_message: Some(format!("the provider said {class}")),
            ..LlmResult::default()
        },
        retry_after: retry_after.map(Duration::from_secs),
        fault: None,
    }
}

/// Returns a model whose provider rejects conversations with more bytes than this.
pub(crate) fn takes(most: usize) -> FakeModel {
    FakeModel::new(move |request| {
        let sent: usize = request.messages.iter().map(|m| m.content.len()).sum();
        match sent > most {
            true => error("context_length", None),
            false => said("short enough"),
        }
    })
}

type Script = Box<dyn Fn(&ChatRequest) -> ModelAnswer + Send + Sync>;

/// A model that answers with a function of the request.
pub(crate) struct FakeModel {
    pub(crate) script: Script,
    pub(crate) requests: Mutex<Vec<ChatRequest>>,
    pub(crate) takes: Duration,
    pub(crate) window: usize,
    pub(crate) reply_format: ReplyFormat,
    pub(crate) enforces_schemas: bool,
}

impl FakeModel {
    pub(crate) fn new(
        script: impl Fn(&ChatRequest) -> ModelAnswer + Send + Sync + 'static,
    ) -> Self {
        Self {
            script: Box::new(script),
            requests: Mutex::default(),
            takes: Duration::ZERO,
            window: 128_000,
            reply_format: ReplyFormat::Auto,
            enforces_schemas: false,
        }
    }

    /// Creates a model that answers the n-th turn of the conversation with the n-th answer, and repeats the last
    /// answer forever.
    pub(crate) fn turns(answers: Vec<ModelAnswer>) -> Self {
        Self::new(move |request| answers[request.assistant_turns().min(answers.len() - 1)].clone())
    }

    pub(crate) fn asked(&self) -> Vec<ChatRequest> {
        self.requests.lock().expect("unpoisoned").clone()
    }
}

#[async_trait]
impl Model for FakeModel {
    fn profile(&self) -> ModelProfile {
        ModelProfile {
            provider: "fake".into(),
            model_name: "fake-1".into(),
            temperature: None,
            context_window: self.window,
            max_output_tokens: 1_000,
            reply_format: self.reply_format,
            enforces_schemas: self.enforces_schemas,
        }
    }

    async fn ask(&self, request: ChatRequest) -> ModelAnswer {
        self.requests
            .lock()
            .expect("unpoisoned")
            .push(request.clone());
        tokio::time::sleep(self.takes).await;
        (self.script)(&request)
    }
}

pub(crate) fn tool(server: &str, name: &str, effect: EffectClass) -> ToolInfo {
    let input_schema = json!({"type": "object", "properties": {}});
    ToolInfo {
        server: server.into(),
        name: name.into(),
        description: format!("does {name}"),
        pin: ToolPin::new(name, "", &input_schema),
        input_schema,
        effect,
    }
}

/// Tools that answer every call with its own arguments, or as a test specifies.
pub(crate) struct FakeTools {
    pub(crate) offers: Vec<ToolInfo>,
    /// Instructions that each server gives for its own use.
    pub(crate) instructions: Option<String>,
    pub(crate) unreachable: Vec<String>,
    /// Fault of this machine that makes them unreachable, if it is one.
    pub(crate) fault: Option<LocalFault>,
    pub(crate) answer: Box<dyn Fn(&ToolCall) -> String + Send + Sync>,
    pub(crate) calls: Mutex<Vec<ToolCall>>,
    /// Error with which each call fails.
    pub(crate) error: Option<&'static str>,
    pub(crate) takes: Duration,
    /// Whether its calls become tasks.
    pub(crate) as_tasks: bool,
    /// Whether each call fails with a shortage of this machine on its first attempt.
    pub(crate) is_short: bool,
    /// Calls that failed with a shortage. They were not sent.
    pub(crate) unsent: Mutex<Vec<String>>,
}

impl FakeTools {
    pub(crate) fn new() -> Self {
        Self {
            offers: vec![
                tool("k8s", "pods_list", EffectClass::ReadOnly),
                tool("k8s", "events_list", EffectClass::ReadOnly),
                tool("k8s", "pods_restart", EffectClass::Destructive),
            ],
            instructions: None,
            unreachable: Vec::new(),
            fault: None,
            answer: Box::new(|call| format!("{} says {}", call.tool, call.arguments)),
            calls: Mutex::default(),
            error: None,
            takes: Duration::ZERO,
            as_tasks: false,
            is_short: false,
            unsent: Mutex::default(),
        }
    }

    /// Returns the calls in order, except waits for the results of tasks.
    pub(crate) fn called(&self) -> Vec<String> {
        let calls = self.calls.lock().expect("unpoisoned");
        calls
            .iter()
            .filter(|c| c.task.is_none())
            .map(|c| format!("{}.{} {}", c.server, c.tool, c.arguments))
            .collect()
    }

    /// Returns whether the call is attempted for the first time.
    fn meets_shortage(&self, call: &ToolCall) -> bool {
        let name = format!("{}.{} {}", call.server, call.tool, call.arguments);
        let mut unsent = self.unsent.lock().expect("unpoisoned");
        let is_first = call.task.is_none() && !unsent.contains(&name);
        if is_first {
            unsent.push(name);
        }
        is_first
    }

    /// Returns the tasks of earlier calls whose results were awaited.
    pub(crate) fn followed(&self) -> Vec<String> {
        let calls = self.calls.lock().expect("unpoisoned");
        calls.iter().filter_map(|c| c.task.clone()).collect()
    }
}

#[async_trait]
impl Tools for FakeTools {
    fn servers(&self) -> Vec<String> {
        let mut servers: Vec<String> = self.offers.iter().map(|o| o.server.clone()).collect();
        servers.dedup();
        servers
    }

    async fn list(&self, server: &str) -> Result<ListedServer, NotListed> {
        if self.unreachable.iter().any(|s| s == server) {
            return Err(NotListed {
                reason: "connection refused".into(),
                fault: self.fault,
            });
        }
        let offers = self.offers.iter().filter(|o| o.server == server);
        Ok(ListedServer {
            tools: offers.cloned().collect(),
            instructions: self.instructions.clone(),
        })
    }

    async fn call(&self, call: ToolCall) -> Result<McpResult, RunError> {
        if self.is_short && self.meets_shortage(&call) {
            return Err(RunError::Shortage(Shortage::ProcessFiles));
        }
        self.calls.lock().expect("unpoisoned").push(call.clone());
        if self.as_tasks
            && call.task.is_none()
            && let Some(begun) = &call.task_begun
        {
            begun.send(format!("of {}", call.tool)).expect("a listener");
        }
        tokio::time::sleep(self.takes).await;
        if let Some(error) = self.error {
            return Ok(McpResult {
                error_message: Some(error.to_owned()),
                ..McpResult::default()
            });
        }
        Ok(McpResult {
            success: true,
            tool_result: Some(json!((self.answer)(&call))),
            ..McpResult::default()
        })
    }
}

pub(crate) const STAGE: Duration = Duration::from_secs(600);

pub(crate) async fn run(
    brief: &AgentBrief,
    model: &FakeModel,
    tools: &FakeTools,
    recorder: &MemoryRecorder,
    transcript: Transcript,
) -> Result<StageOutcome, RunError> {
    let agent = Agent {
        model,
        summarizer: None,
        tools,
        recorder,
    };
    let (deadline, stop) = (Instant::now() + STAGE, CancellationToken::new());
    let ran = agent.run(Task::Investigate, brief, transcript, deadline, &stop);
    Ok(ran.await?.0)
}

pub(crate) fn analysis(outcome: &StageOutcome) -> &str {
    match outcome {
        StageOutcome::Completed {
            analysis: Some(text),
            ..
        } => text,
        other => panic!("no analysis: {other:?}"),
    }
}

pub(crate) fn output(outcome: &StageOutcome) -> &Value {
    match outcome {
        StageOutcome::Completed { output, .. } => output,
        other => panic!("not completed: {other:?}"),
    }
}

pub(crate) fn failure(outcome: &StageOutcome) -> (String, &str) {
    match outcome {
        StageOutcome::Failed { reason, class } => (class.to_string(), reason),
        other => panic!("not failed: {other:?}"),
    }
}
