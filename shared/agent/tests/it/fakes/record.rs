//! A record in memory that behaves like the rows of a stage.

use std::sync::Mutex;
use std::time::Duration;

use async_trait::async_trait;
use serde_json::{Value, json};
use tarsy_agent::{Recorder, RunError};
use tarsy_model::{
    InteractionId, LlmIntent, LlmResult, McpIntent, McpResult, RecordedInteraction, RecordedLlm,
    RecordedMcp, UnixMicros,
};

/// One write to the record.
#[derive(Clone, Debug)]
pub(crate) enum Write {
    BeginLlm(LlmIntent),
    FinishLlm(InteractionId, Box<LlmResult>),
    BeginMcp(McpIntent),
    FinishMcp(InteractionId, McpResult),
    WithdrawMcp(InteractionId),
    NoteTask(InteractionId, String),
}

/// A recorder that keeps the writes. It refuses further writes once `lost_after` writes were made.
#[derive(Default)]
pub(crate) struct MemoryRecorder {
    pub(crate) writes: Mutex<Vec<Write>>,
    pub(crate) lost_after: Option<usize>,
    /// Time that each write takes.
    pub(crate) takes: Duration,
    /// Whether another worker is available to take over the stage.
    pub(crate) has_successor: bool,
    /// Reasons why the stage was handed over, or should have been.
    pub(crate) handed_over: Mutex<Vec<String>>,
}

impl MemoryRecorder {
    async fn write(&self, write: Write) -> Result<(), RunError> {
        tokio::time::sleep(self.takes).await;
        let mut writes = self.writes.lock().expect("unpoisoned");
        if self.lost_after.is_some_and(|n| writes.len() >= n) {
            return Err(RunError::ClaimLost);
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

/// Returns the rows that result from these writes.
pub(crate) fn records(writes: &[Write]) -> Vec<RecordedInteraction> {
    let timestamp_us = UnixMicros(0);
    let mut rows = Vec::new();
    for write in writes.iter().cloned() {
        match write {
            // A question or call that is made again already has its row.
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
                    task_id: None,
                }));
            }
            Write::FinishLlm(id, done) => rows.iter_mut().for_each(|row| {
                if let RecordedInteraction::Llm(llm) = row
                    && llm.intent.interaction_id == id
                {
                    assert!(llm.result.is_none(), "an answer was recorded twice");
                    llm.result = Some(*done.clone());
                }
            }),
            Write::WithdrawMcp(id) => rows.retain(|row| id_of(row) != id),
            Write::NoteTask(id, task) => rows.iter_mut().for_each(|row| {
                if let RecordedInteraction::Mcp(mcp) = row
                    && mcp.intent.interaction_id == id
                {
                    mcp.task_id = Some(task.clone());
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

/// A secret that the recorder masks.
pub(crate) const SECRET: &str = "hunter2";

fn without_secret(value: &Value) -> Value {
    let text = value.to_string().replace(SECRET, "[MASKED]");
    serde_json::from_str(&text).expect("JSON")
}

#[async_trait]
impl Recorder for MemoryRecorder {
    async fn begin_llm(&self, intent: &LlmIntent) -> Result<(), RunError> {
        self.write(Write::BeginLlm(intent.clone())).await
    }
    async fn finish_llm(
        &self,
        id: InteractionId,
        result: &LlmResult,
    ) -> Result<LlmResult, RunError> {
        let said = json!(result);
        let mut kept: LlmResult = serde_json::from_value(without_secret(&said)).expect("a result");
        if json!(kept) != said {
            kept.masked_kinds = Some(json!({"password": 1}));
        }
        self.write(Write::FinishLlm(id, Box::new(kept.clone())))
            .await?;
        Ok(kept)
    }
    async fn begin_mcp(&self, intent: &McpIntent) -> Result<McpIntent, RunError> {
        let kept = McpIntent {
            tool_arguments: intent.tool_arguments.as_ref().map(without_secret),
            ..intent.clone()
        };
        self.write(Write::BeginMcp(kept.clone())).await?;
        Ok(kept)
    }
    async fn finish_mcp(
        &self,
        id: InteractionId,
        result: &McpResult,
    ) -> Result<McpResult, RunError> {
        self.write(Write::FinishMcp(id, result.clone())).await?;
        Ok(result.clone())
    }
    async fn withdraw_mcp(&self, id: InteractionId) -> Result<(), RunError> {
        self.write(Write::WithdrawMcp(id)).await
    }
    async fn note_task(&self, id: InteractionId, task_id: &str) -> Result<(), RunError> {
        self.write(Write::NoteTask(id, task_id.to_owned())).await
    }
    async fn hand_over(&self, why: &str) -> Result<bool, RunError> {
        self.handed_over
            .lock()
            .expect("unpoisoned")
            .push(why.to_owned());
        Ok(self.has_successor)
    }
}
