//! Records an agent's interactions as they happen, under the stage's claim.

use std::fmt::Debug;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use tarsy_agent::{BoxError, Recorder, RunError, USUAL_RECORD_TIME};
use tarsy_failpoint::reached;
use tarsy_model::{InteractionId, LlmIntent, LlmResult, McpIntent, McpResult};
use tarsy_queue::{Connections, StopSignal, Waker, within_deadline};
use tarsy_store::interactions::StageFence;
use tokio::time::Instant;

use crate::hand_over::hand_over;
use crate::records::{Group, RecordKind, Records};
use crate::secrets::Secrets;

/// First pause before a write is retried. Doubles up to [`LONGEST_PAUSE`], with jitter.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
/// Maximum pause between two tries.
const LONGEST_PAUSE: Duration = Duration::from_secs(1);
/// Accumulated delay from which the stored deadline is moved.
const KEPT_FROM: Duration = Duration::from_secs(2);

/// Records one stage execution's interactions.
///
/// A paid answer must not be lost in a restart of Postgres. A write that fails for a temporary reason is retried until
/// it succeeds or the claim is lost.
pub(crate) struct StageRecorder<'r> {
    pub(crate) records: &'r Records,
    /// Connections for handing the stage over and noting tasks.
    pub(crate) connections: &'r Connections,
    /// Wakes the worker to which the stage is handed over.
    pub(crate) waker: &'r Waker,
    /// Claim under which the interactions are written.
    pub(crate) fence: StageFence,
    pub(crate) stop: StopSignal,
    /// Time that records waited for Postgres and by which the stored deadline was not moved yet.
    pub(crate) unkept: Mutex<Duration>,
    /// Masks everything that is neither alert nor tool result.
    pub(crate) secrets: Secrets<'r>,
}

impl StageRecorder<'_> {
    async fn write<T: RecordKind>(&self, group: &Group<T>, record: T) -> Result<(), RunError> {
        let began = Instant::now();
        self.try_to_write(group, record).await?;
        let delay = began.elapsed().saturating_sub(USUAL_RECORD_TIME);
        if !delay.is_zero() {
            self.keep_delay(delay).await;
        }
        Ok(())
    }

    async fn try_to_write<T: RecordKind>(
        &self,
        group: &Group<T>,
        record: T,
    ) -> Result<(), RunError> {
        let write = record.under(self.fence);
        let mut pause = FIRST_PAUSE;
        loop {
            match group.write(Arc::clone(&write)).await {
                Ok(true) => return Ok(()),
                Ok(false) => return Err(RunError::ClaimLost),
                Err(error) if passes(&error) => pause = self.rest(error, pause).await?,
                Err(tarsy_coalesce::Error::Flush(cause)) if cause.is_content() => {
                    return Err(RunError::Unstorable(cause.into()));
                }
                Err(error) => return Err(RunError::Unavailable(error.into())),
            }
        }
    }

    /// Pauses before a write is retried. Returns the pause after the next failure.
    async fn rest(
        &self,
        error: impl Into<BoxError> + Debug,
        pause: Duration,
    ) -> Result<Duration, RunError> {
        tracing::warn!(?error, retry_in = ?pause, "failed to record an interaction; retrying");
        let jittered = pause.mul_f64(rand::random_range(0.5..=1.0));
        tokio::select! {
            () = tokio::time::sleep(jittered) => Ok((pause * 2).min(LONGEST_PAUSE)),
            _ = self.stop.stopped() => Err(RunError::Unavailable(error.into())),
        }
    }

    async fn withdraw(&self, id: InteractionId) -> Result<(), tarsy_store::Error> {
        let mut conn = self.connections.acquire().await?;
        reached("stage.withdraw.before_commit");
        tarsy_store::interactions::withdraw_mcp(&mut conn, &self.fence, id).await?;
        reached("stage.withdraw.after_commit");
        self.connections.keep(conn);
        Ok(())
    }

    /// Moves the stored deadline by a delay, as the deadline of this run was moved. A worker that resumes the stage
    /// then has as much time. Small delays of a slow Postgres are added up, so that not each of them costs a write.
    async fn keep_delay(&self, delay: Duration) {
        let total = {
            let mut unkept = self.unkept.lock().unwrap_or_else(PoisonError::into_inner);
            *unkept += delay;
            if *unkept < KEPT_FROM {
                return;
            }
            std::mem::take(&mut *unkept)
        };
        let keeping = self.connections.run(async |conn| {
            reached("stage.delay_deadline.before_commit");
            let StageFence {
                execution_id,
                claim,
                ..
            } = self.fence;
            tarsy_store::stages::delay_deadline(conn, execution_id, claim, total).await?;
            reached("stage.delay_deadline.after_commit");
            Ok::<_, tarsy_store::Error>(())
        });
        if let Err(error) = keeping.await {
            tracing::warn!(
                ?error,
                ?total,
                "failed to move the deadline of a stage by the time that it waited for Postgres"
            );
        }
    }
}

/// Returns whether the same write may succeed a moment later.
fn passes(error: &tarsy_coalesce::Error<tarsy_store::Error>) -> bool {
    match error {
        tarsy_coalesce::Error::Flush(cause) => cause.is_transient(),
        tarsy_coalesce::Error::Deadline(_) | tarsy_coalesce::Error::Lost => true,
    }
}

#[async_trait]
impl Recorder for StageRecorder<'_> {
    async fn begin_llm(&self, intent: &LlmIntent) -> Result<(), RunError> {
        self.write(&self.records.begin_llm, intent.clone()).await
    }

    async fn finish_llm(
        &self,
        id: InteractionId,
        result: &LlmResult,
    ) -> Result<LlmResult, RunError> {
        let kept = self.secrets.llm_result(result);
        self.write(&self.records.finish_llm, (id, kept.clone()))
            .await?;
        Ok(kept)
    }

    async fn begin_mcp(&self, intent: &McpIntent) -> Result<McpIntent, RunError> {
        let kept = self.secrets.mcp_intent(intent);
        self.write(&self.records.begin_mcp, kept.clone()).await?;
        Ok(kept)
    }

    async fn finish_mcp(
        &self,
        id: InteractionId,
        result: &McpResult,
    ) -> Result<McpResult, RunError> {
        let kept = self.secrets.mcp_result(result);
        self.write(&self.records.finish_mcp, (id, kept.clone()))
            .await?;
        Ok(kept)
    }

    async fn withdraw_mcp(&self, id: InteractionId) -> Result<(), RunError> {
        let mut pause = FIRST_PAUSE;
        loop {
            match within_deadline(self.withdraw(id)).await {
                Ok(()) => return Ok(()),
                Err(tarsy_store::Error::ClaimLost) => return Err(RunError::ClaimLost),
                Err(error) if error.is_transient() => pause = self.rest(error, pause).await?,
                Err(error) => return Err(RunError::Unavailable(error.into())),
            }
        }
    }

    /// Failures are ignored: without the note, the outcome is unknown if this worker dies, but no more than that.
    async fn note_task(&self, id: InteractionId, task_id: &str) -> Result<(), RunError> {
        let noting = self.connections.run(async |conn| {
            reached("stage.note_task.before_commit");
            tarsy_store::interactions::note_task(conn, &self.fence, id, task_id).await?;
            reached("stage.note_task.after_commit");
            Ok(())
        });
        match noting.await {
            Err(tarsy_store::Error::ClaimLost) => Err(RunError::ClaimLost),
            Err(error) => {
                tracing::warn!(?error, interaction.id = %id, "failed to note the task of a tool call");
                Ok(())
            }
            Ok(()) => Ok(()),
        }
    }

    async fn hand_over(&self, why: &str) -> Result<bool, RunError> {
        hand_over(self.connections, self.waker, self.fence, why).await
    }
}

#[cfg(test)]
mod tests;
