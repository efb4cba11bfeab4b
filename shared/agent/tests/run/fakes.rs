//! Model, tools and recorder that do what a test says and remember what was asked of them.

use std::sync::Mutex;
use std::time::Duration;

use async_trait::async_trait;
use serde_json::{Value, json};
use tarsy_agent::{
    Agent, AgentBrief, Limits, Model, ModelAnswer, ModelProfile, RecordError, Recorder, RunError,
    ServerInstructions, StageOutcome, ToolCall, Tools, Transcript,
};
use tarsy_llm::ChatRequest;
use tarsy_mcp::{ToolInfo, ToolPin};
use tarsy_model::{
    AlertProcessingData, EffectClass, InteractionId, IterationStrategy, LlmIntent, LlmResult,
    McpIntent, McpResult, RecordedInteraction, RecordedLlm, RecordedMcp, SessionId, TokenUsage,
    UnixMicros,
};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

pub(crate) fn brief(strategy: IterationStrategy) -> AgentBrief {
    AgentBrief {
        agent: "KubernetesAgent".into(),
        strategy,
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
            stage_outputs: Vec::new(),
        },
        custom_instructions: "Be brief.".into(),
        server_instructions: vec![ServerInstructions {
            server: "k8s".into(),
            text: "Use namespaces.".into(),
        }],
        limits: Limits::default(),
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
        retry_after: None,
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
    }
}

type Script = Box<dyn Fn(&ChatRequest) -> ModelAnswer + Send + Sync>;

/// Answers by a function of the request.
pub(crate) struct FakeModel {
    pub(crate) script: Script,
    pub(crate) requests: Mutex<Vec<ChatRequest>>,
    pub(crate) takes: Duration,
    pub(crate) window: usize,
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
        }
    }

    /// Answers the n-th turn of the conversation with the n-th answer; the last one for ever.
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
        pin: ToolPin::of(name, "", &input_schema),
        input_schema,
        effect,
    }
}

/// Answers every call with its own arguments, or as a test says.
pub(crate) struct FakeTools {
    pub(crate) offers: Vec<ToolInfo>,
    pub(crate) unreachable: Vec<String>,
    pub(crate) answer: Box<dyn Fn(&ToolCall) -> String + Send + Sync>,
    pub(crate) calls: Mutex<Vec<ToolCall>>,
    pub(crate) takes: Duration,
}

impl FakeTools {
    pub(crate) fn new() -> Self {
        Self {
            offers: vec![
                tool("k8s", "pods_list", EffectClass::ReadOnly),
                tool("k8s", "events_list", EffectClass::ReadOnly),
                tool("k8s", "pods_restart", EffectClass::Destructive),
            ],
            unreachable: Vec::new(),
            answer: Box::new(|call| format!("{} says {}", call.tool, call.arguments)),
            calls: Mutex::default(),
            takes: Duration::ZERO,
        }
    }

    pub(crate) fn called(&self) -> Vec<String> {
        let calls = self.calls.lock().expect("unpoisoned");
        calls
            .iter()
            .map(|c| format!("{}.{} {}", c.server, c.tool, c.arguments))
            .collect()
    }
}

#[async_trait]
impl Tools for FakeTools {
    fn servers(&self) -> Vec<String> {
        let mut servers: Vec<String> = self.offers.iter().map(|o| o.server.clone()).collect();
        servers.dedup();
        servers
    }

    async fn list(&self, server: &str) -> Result<Vec<ToolInfo>, String> {
        if self.unreachable.iter().any(|s| s == server) {
            return Err("connection refused".into());
        }
        Ok(self
            .offers
            .iter()
            .filter(|o| o.server == server)
            .cloned()
            .collect())
    }

    async fn call(&self, call: ToolCall) -> McpResult {
        self.calls.lock().expect("unpoisoned").push(call.clone());
        tokio::time::sleep(self.takes).await;
        McpResult {
            success: true,
            tool_result: Some(json!((self.answer)(&call))),
            ..McpResult::default()
        }
    }
}

/// One write to the record.
#[derive(Clone, Debug)]
pub(crate) enum Write {
    BeginLlm(LlmIntent),
    FinishLlm(InteractionId, LlmResult),
    BeginMcp(McpIntent),
    FinishMcp(InteractionId, McpResult),
}

/// Keeps the writes; refuses them once `lost_after` were made.
#[derive(Default)]
pub(crate) struct MemoryRecorder {
    pub(crate) writes: Mutex<Vec<Write>>,
    pub(crate) lost_after: Option<usize>,
}

impl MemoryRecorder {
    fn write(&self, write: Write) -> Result<(), RecordError> {
        let mut writes = self.writes.lock().expect("unpoisoned");
        if self.lost_after.is_some_and(|n| writes.len() >= n) {
            return Err(RecordError::ClaimLost);
        }
        writes.push(write);
        Ok(())
    }

    pub(crate) fn records(&self) -> Vec<RecordedInteraction> {
        records(&self.writes.lock().expect("unpoisoned"))
    }

    pub(crate) fn tool_calls(&self) -> Vec<RecordedMcp> {
        let calls = self.records().into_iter().filter_map(|r| match r {
            RecordedInteraction::Mcp(mcp) if mcp.intent.tool_name.is_some() => Some(mcp),
            _ => None,
        });
        calls.collect()
    }
}

fn id_of(row: &RecordedInteraction) -> InteractionId {
    match row {
        RecordedInteraction::Llm(llm) => llm.intent.interaction_id,
        RecordedInteraction::Mcp(mcp) => mcp.intent.interaction_id,
    }
}

/// The rows that a number of writes leave.
pub(crate) fn records(writes: &[Write]) -> Vec<RecordedInteraction> {
    let timestamp_us = UnixMicros(0);
    let mut rows = Vec::new();
    for write in writes.iter().cloned() {
        match write {
            // Of a question or call that is made again: its row is there.
            Write::BeginLlm(LlmIntent { interaction_id, .. })
            | Write::BeginMcp(McpIntent { interaction_id, .. })
                if rows.iter().any(|row| id_of(row) == interaction_id) => {}
            Write::BeginLlm(intent) => {
                rows.push(RecordedInteraction::Llm(RecordedLlm {
                    intent,
                    result: None,
                    timestamp_us,
                }));
            }
            Write::BeginMcp(intent) => {
                rows.push(RecordedInteraction::Mcp(RecordedMcp {
                    intent,
                    result: None,
                    timestamp_us,
                }));
            }
            Write::FinishLlm(id, done) => rows.iter_mut().for_each(|row| {
                if let RecordedInteraction::Llm(llm) = row
                    && llm.intent.interaction_id == id
                {
                    assert!(llm.result.is_none(), "an answer was recorded twice");
                    llm.result = Some(done.clone());
                }
            }),
            Write::FinishMcp(id, done) => rows.iter_mut().for_each(|row| {
                if let RecordedInteraction::Mcp(mcp) = row
                    && mcp.intent.interaction_id == id
                {
                    assert!(mcp.result.is_none(), "a result was recorded twice");
                    mcp.result = Some(done.clone());
                }
            }),
        }
    }
    rows
}

/// Stands for a secret that the recorder masks.
pub(crate) const SECRET: &str = "hunter2";

fn without_secret(value: &Value) -> Value {
    let text = value.to_string().replace(SECRET, "[MASKED]");
    serde_json::from_str(&text).expect("JSON")
}

#[async_trait]
impl Recorder for MemoryRecorder {
    async fn begin_llm(&self, intent: &LlmIntent) -> Result<(), RecordError> {
        self.write(Write::BeginLlm(intent.clone()))
    }
    async fn finish_llm(
        &self,
        id: InteractionId,
        result: &LlmResult,
    ) -> Result<LlmResult, RecordError> {
        let said = json!(result);
        let mut kept: LlmResult = serde_json::from_value(without_secret(&said)).expect("a result");
        if json!(kept) != said {
            kept.masked_kinds = Some(json!({"password": 1}));
        }
        self.write(Write::FinishLlm(id, kept.clone()))?;
        Ok(kept)
    }
    async fn begin_mcp(&self, intent: &McpIntent) -> Result<McpIntent, RecordError> {
        let kept = McpIntent {
            tool_arguments: intent.tool_arguments.as_ref().map(without_secret),
            ..intent.clone()
        };
        self.write(Write::BeginMcp(kept.clone()))?;
        Ok(kept)
    }
    async fn finish_mcp(
        &self,
        id: InteractionId,
        result: &McpResult,
    ) -> Result<McpResult, RecordError> {
        self.write(Write::FinishMcp(id, result.clone()))?;
        Ok(result.clone())
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
        tools,
        recorder,
    };
    agent
        .run(
            brief,
            transcript,
            Instant::now() + STAGE,
            &CancellationToken::new(),
        )
        .await
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
