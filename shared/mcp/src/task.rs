//! Calls that their server runs as tasks (MCP 2026-07-28, extension `io.modelcontextprotocol/tasks`, SEP-2663).
//!
//! A task outlives the connection, and the worker that began it: another one that knows its id gets the result.

use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{CallToolResult, CancelTaskParams, ErrorData, GetTaskParams, TaskPayload};
use rmcp::service::ServiceError;
use serde_json::Value;

use crate::live::{CallLost, Live, forgot_the_session};

/// Pause between two questions about a task whose server names none.
pub(crate) const USUAL_PAUSE: Duration = Duration::from_secs(1);
/// Shortest and longest pause that a server may name.
const SHORTEST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
/// Longest wait for one answer about a task.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(30);
/// Longest wait for a server to say that it has heard of a cancellation.
const CANCEL_TIMEOUT: Duration = Duration::from_secs(5);

/// Longest id that is kept, in bytes.
const LONGEST_ID: usize = 1_024;

/// Whether an id can be kept in the record. A task with another one is followed by this worker alone.
pub(crate) fn can_be_kept(id: &str) -> bool {
    id.len() <= LONGEST_ID && !id.contains('\0')
}

/// What a server says of a task.
pub(crate) enum TaskState {
    /// It runs; ask again after this pause.
    Running(Duration),
    /// It has ended with this answer.
    Ended(Box<CallToolResult>),
}

/// The pause that a server asks for, within bounds.
pub(crate) fn pause(milliseconds: Option<u64>) -> Duration {
    milliseconds.map_or(USUAL_PAUSE, |named| {
        Duration::from_millis(named).clamp(SHORTEST_PAUSE, LONGEST_PAUSE)
    })
}

impl Live {
    /// Asks once for a task.
    pub(crate) async fn task(&self, id: &str) -> Result<TaskState, CallLost> {
        let asked = self.peer.get_task(GetTaskParams::new(id));
        let asked = tokio::time::timeout(ANSWER_TIMEOUT, asked);
        let asked = self
            .unless_flooded(asked)
            .await
            .map_err(CallLost::Flooded)?;
        let Ok(answer) = asked else {
            return Err(CallLost::TimedOut);
        };
        let task = match answer {
            Ok(answer) => answer.task,
            // The server has dropped the task, or never had it.
            Err(ServiceError::McpError(error))
                if !forgot_the_session(&ServiceError::McpError(error.clone())) =>
            {
                return Err(CallLost::TaskLost(format!(
                    "it does not know the task: {}",
                    error.message
                )));
            }
            Err(error) => return Err(self.lost(error)),
        };
        match task.payload {
            TaskPayload::Working => Ok(TaskState::Running(pause(task.task.poll_interval_ms))),
            TaskPayload::Completed { result } => serde_json::from_value(Value::Object(result))
                .map(TaskState::Ended)
                .map_err(|error| {
                    CallLost::TaskLost(format!("the task's result is unreadable: {error}"))
                }),
            TaskPayload::Failed { error } => Err(
                match serde_json::from_value::<ErrorData>(Value::Object(error)) {
                    Ok(error) => CallLost::Service(ServiceError::McpError(error)),
                    Err(error) => CallLost::TaskLost(format!(
                        "the task failed with an unreadable error: {error}"
                    )),
                },
            ),
            TaskPayload::Cancelled => {
                Err(CallLost::TaskLost("it has cancelled the task".to_owned()))
            }
            // Nobody is there to answer.
            _ => Err(CallLost::TaskLost(
                "the task asks for input that is not offered".to_owned(),
            )),
        }
    }

    /// Tells the server, in the background, that the task's result is no longer wanted.
    pub(crate) fn cancel_task(self: &Arc<Self>, id: &str) {
        let (this, params) = (Arc::clone(self), CancelTaskParams::new(id));
        tokio::spawn(async move {
            let told = tokio::time::timeout(CANCEL_TIMEOUT, this.peer.cancel_task(params)).await;
            if !matches!(told, Ok(Ok(()))) {
                tracing::warn!("an MCP server did not answer to the cancellation of a task");
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_that_the_record_refuses_or_that_is_huge_is_not_kept() {
        assert!(can_be_kept("") && can_be_kept(&"é".repeat(512)));
        assert!(!can_be_kept("a\0b") && !can_be_kept(&"x".repeat(1_025)));
    }

    #[test]
    fn a_server_s_pause_is_kept_within_bounds() {
        assert_eq!(pause(None), USUAL_PAUSE);
        assert_eq!(pause(Some(0)), SHORTEST_PAUSE);
        assert_eq!(pause(Some(2_500)), Duration::from_millis(2_500));
        assert_eq!(pause(Some(u64::MAX)), LONGEST_PAUSE);
    }
}
