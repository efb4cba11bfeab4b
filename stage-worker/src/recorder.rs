//! Writing what an agent does, as it does it, under the stage's claim.

use std::time::Duration;

use async_trait::async_trait;
use serde_json::json;
use tarsy_agent::{RecordError, Recorder};
use tarsy_failpoint::reached;
use tarsy_model::{InteractionId, LlmIntent, LlmResult, McpIntent, McpResult};
use tarsy_queue::{Connections, StopSignal, Waker};
use tarsy_store::{NewEvent, StageHold};

use crate::late_intents::LateIntents;
use crate::secrets::Secrets;

/// First pause before a write is tried again; doubles up to [`LONGEST_PAUSE`], with jitter.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
/// Longest pause between two tries.
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// Records one stage execution's interactions.
///
/// A paid answer must not be lost to a restart of Postgres: a write that fails for a passing
/// reason is tried again until it succeeds or the claim is gone.
pub(crate) struct StageRecorder<'r> {
    /// Where to.
    pub(crate) connections: Connections,
    /// Tells those who watch.
    pub(crate) waker: Waker,
    /// Under which claim.
    pub(crate) hold: StageHold,
    /// Ends the retries.
    pub(crate) stop: StopSignal,
    /// Masks what neither alert nor tool result is.
    pub(crate) secrets: Secrets<'r>,
    /// For torture tests alone.
    pub(crate) late_intents: LateIntents,
}

/// One write of the four.
enum Write<'a> {
    BeginLlm(&'a LlmIntent),
    FinishLlm(InteractionId, &'a LlmResult),
    BeginMcp(&'a McpIntent),
    FinishMcp(InteractionId, &'a McpResult),
}

impl Write<'_> {
    /// Crash points around the commit of this write.
    const fn points(&self) -> (&'static str, &'static str) {
        match self {
            Self::BeginLlm(_) => (
                "record.begin_llm.before_commit",
                "record.begin_llm.after_commit",
            ),
            Self::FinishLlm(..) => (
                "record.finish_llm.before_commit",
                "record.finish_llm.after_commit",
            ),
            Self::BeginMcp(_) => (
                "record.begin_mcp.before_commit",
                "record.begin_mcp.after_commit",
            ),
            Self::FinishMcp(..) => (
                "record.finish_mcp.before_commit",
                "record.finish_mcp.after_commit",
            ),
        }
    }
}

impl StageRecorder<'_> {
    async fn write(&self, write: Write<'_>) -> Result<(), RecordError> {
        let mut pause = FIRST_PAUSE;
        loop {
            match self.write_once(&write).await {
                Ok(()) => {
                    self.waker.wake_watchers();
                    return Ok(());
                }
                Err(tarsy_store::Error::ClaimLost) => return Err(RecordError::ClaimLost),
                Err(error) if error.is_transient() => {
                    tracing::warn!(?error, retry_in = ?pause, "an interaction is not recorded yet");
                    let jittered = pause.mul_f64(rand::random_range(0.5..=1.0));
                    tokio::select! {
                        () = tokio::time::sleep(jittered) => {}
                        _ = self.stop.stopped() => return Err(RecordError::Unavailable(error.into())),
                    }
                    pause = (pause * 2).min(LONGEST_PAUSE);
                }
                Err(error) => return Err(RecordError::Unavailable(error.into())),
            }
        }
    }

    async fn write_once(&self, write: &Write<'_>) -> Result<(), tarsy_store::Error> {
        let (event, hold) = (self.event(write), &self.hold);
        let mut conn = self.connections.acquire().await?;
        let (before, after) = write.points();
        reached(before);
        // One statement, which is its own transaction.
        match write {
            Write::BeginLlm(intent) => {
                tarsy_store::begin_llm(&mut *conn, hold, intent, &event).await?;
            }
            Write::FinishLlm(id, result) => {
                tarsy_store::finish_llm(&mut *conn, hold, *id, result, &event).await?;
            }
            Write::BeginMcp(intent) => {
                tarsy_store::begin_mcp(&mut *conn, hold, intent, &event).await?;
            }
            Write::FinishMcp(id, result) => {
                tarsy_store::finish_mcp(&mut *conn, hold, *id, result, &event).await?;
            }
        }
        reached(after);
        self.connections.keep(conn);
        Ok(())
    }

    /// What sockets hear: enough to show the row; the text itself is read from the history.
    fn event(&self, write: &Write<'_>) -> NewEvent {
        let (kind, mut payload) = match write {
            Write::BeginLlm(i) => (
                "llm_interaction",
                json!({
                    "interaction_id": i.interaction_id, "sequence": i.sequence, "iteration": i.iteration,
                    "state": "started", "step_description": i.step_description, "model_name": i.model_name,
                }),
            ),
            Write::FinishLlm(id, r) => (
                "llm_interaction",
                json!({
                    "interaction_id": id, "state": "finished", "success": r.success, "duration_ms": r.duration_ms,
                    "error_message": r.error_message,
                }),
            ),
            Write::BeginMcp(i) => (
                "mcp_interaction",
                json!({
                    "interaction_id": i.interaction_id, "sequence": i.sequence, "iteration": i.iteration,
                    "state": "started", "step_description": i.step_description, "server_name": i.server_name,
                    "tool_name": i.tool_name,
                }),
            ),
            Write::FinishMcp(id, r) => (
                "mcp_interaction",
                json!({
                    "interaction_id": id, "state": "finished", "success": r.success, "duration_ms": r.duration_ms,
                    "error_message": r.error_message, "refused": r.refused, "masked_kinds": r.masked_kinds,
                }),
            ),
        };
        payload["type"] = json!(kind);
        payload["session_id"] = json!(self.hold.session_id);
        payload["stage_execution_id"] = json!(self.hold.execution_id);
        NewEvent {
            session_id: Some(self.hold.session_id),
            kind,
            payload,
        }
    }
}

#[async_trait]
impl Recorder for StageRecorder<'_> {
    async fn begin_llm(&self, intent: &LlmIntent) -> Result<(), RecordError> {
        self.write(Write::BeginLlm(intent)).await
    }

    async fn finish_llm(
        &self,
        id: InteractionId,
        result: &LlmResult,
    ) -> Result<LlmResult, RecordError> {
        let kept = self.secrets.llm_result(result);
        self.write(Write::FinishLlm(id, &kept)).await?;
        Ok(kept)
    }

    async fn begin_mcp(&self, intent: &McpIntent) -> Result<McpIntent, RecordError> {
        let kept = self.secrets.mcp_intent(intent);
        if !self.late_intents.keep(&kept) {
            self.write(Write::BeginMcp(&kept)).await?;
        }
        Ok(kept)
    }

    async fn finish_mcp(
        &self,
        id: InteractionId,
        result: &McpResult,
    ) -> Result<McpResult, RecordError> {
        if let Some(intent) = self.late_intents.take(id) {
            self.write(Write::BeginMcp(&intent)).await?;
        }
        let kept = self.secrets.mcp_result(result);
        self.write(Write::FinishMcp(id, &kept)).await?;
        Ok(kept)
    }
}
