//! Waits for the result of a call that its server runs as a task.

use std::time::{Duration, Instant};

use super::Connection;
use crate::call_lost::CallLost;
use crate::error::CallError;
use crate::outcome::{CallOptions, ToolOutcome};
use crate::task::{TaskState, USUAL_PAUSE};

/// Share of a call's time limit after which its task is cancelled.
const SHARE_OF_LIMIT: f64 = 0.98;

impl Connection {
    /// Waits for the result of a task that was started earlier, perhaps by another worker.
    pub(crate) async fn follow(
        &self,
        tool: &str,
        task: &str,
        options: &CallOptions,
    ) -> Result<ToolOutcome, CallError> {
        self.follow_from(
            tool,
            task,
            Instant::now(),
            self.limit(options),
            Duration::ZERO,
        )
        .await
    }

    /// Polls a task until it has ended, over as many connections as needed. If the future is dropped, the task keeps
    /// running, because another worker may continue with it. A task that exceeds the limit is cancelled.
    pub(crate) async fn follow_from(
        &self,
        tool: &str,
        task: &str,
        begun: Instant,
        limit: Duration,
        mut pause: Duration,
    ) -> Result<ToolOutcome, CallError> {
        // Callers give up at the limit itself. The server must get the cancellation before that.
        let deadline = begun + limit.mul_f64(SHARE_OF_LIMIT);
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            tokio::time::sleep(pause.min(left)).await;
            let live = match self.live().await {
                Ok(live) => live,
                Err(CallError::Unavailable { retry_in, .. }) if Instant::now() < deadline => {
                    pause = retry_in.unwrap_or(USUAL_PAUSE);
                    continue;
                }
                // The call was already made. So its outcome is unknown, unlike that of a call that finds no server.
                Err(error) => {
                    return Err(CallError::TaskLost {
                        server: self.id().to_owned(),
                        message: error.to_string(),
                    });
                }
            };
            let lost = match live.task(task).await {
                Ok(TaskState::Ended(result)) => return Ok(self.outcome(*result, begun).await),
                Ok(TaskState::Running(named)) if Instant::now() < deadline => {
                    pause = named;
                    continue;
                }
                Ok(TaskState::Running(_)) => {
                    live.cancel_task(task);
                    CallLost::TimedOut
                }
                Err(lost)
                    if Instant::now() < deadline
                        && (lost.connection_is_gone() || matches!(lost, CallLost::TimedOut)) =>
                {
                    pause = USUAL_PAUSE;
                    continue;
                }
                Err(CallLost::Flooded(flood)) => return Err(self.flooded(flood)),
                Err(lost) => lost,
            };
            return Err(self.failed(&live, lost, tool, limit));
        }
    }
}
