//! Measures for how long records wait for a Postgres that is away.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use tarsy_model::{InteractionId, LlmIntent, LlmResult, McpIntent, McpResult};
use tokio::time::Instant;

use crate::Recorder;
use crate::ports::RecordError;

/// A record that takes longer waits for a Postgres that is away. What it takes longer does not count against the stage.
pub const USUAL_RECORD_TIME: Duration = Duration::from_secs(1);

/// A recorder whose delays are added up: they do not count against the stage.
pub(super) struct TimedRecorder<'a> {
    inner: &'a dyn Recorder,
    delays_us: AtomicU64,
}

impl<'a> TimedRecorder<'a> {
    pub(super) const fn new(inner: &'a dyn Recorder) -> Self {
        Self {
            inner,
            delays_us: AtomicU64::new(0),
        }
    }

    /// Time that records took beyond what is usual.
    pub(super) fn delays(&self) -> Duration {
        Duration::from_micros(self.delays_us.load(Ordering::Relaxed))
    }

    async fn timed<T>(&self, write: impl Future<Output = T>) -> T {
        let began = Instant::now();
        let written = write.await;
        let delay = began.elapsed().saturating_sub(USUAL_RECORD_TIME);
        let delay = u64::try_from(delay.as_micros()).unwrap_or(u64::MAX);
        self.delays_us.fetch_add(delay, Ordering::Relaxed);
        written
    }
}

#[async_trait]
impl Recorder for TimedRecorder<'_> {
    async fn begin_llm(&self, intent: &LlmIntent) -> Result<(), RecordError> {
        self.timed(self.inner.begin_llm(intent)).await
    }

    async fn finish_llm(
        &self,
        id: InteractionId,
        result: &LlmResult,
    ) -> Result<LlmResult, RecordError> {
        self.timed(self.inner.finish_llm(id, result)).await
    }

    async fn begin_mcp(&self, intent: &McpIntent) -> Result<McpIntent, RecordError> {
        self.timed(self.inner.begin_mcp(intent)).await
    }

    async fn finish_mcp(
        &self,
        id: InteractionId,
        result: &McpResult,
    ) -> Result<McpResult, RecordError> {
        self.timed(self.inner.finish_mcp(id, result)).await
    }

    async fn withdraw_mcp(&self, id: InteractionId) -> Result<(), RecordError> {
        self.timed(self.inner.withdraw_mcp(id)).await
    }

    async fn note_task(&self, id: InteractionId, task_id: &str) -> Result<(), RecordError> {
        self.timed(self.inner.note_task(id, task_id)).await
    }

    async fn hand_over(&self, why: &str) -> Result<bool, RecordError> {
        self.timed(self.inner.hand_over(why)).await
    }
}
