//! Calls that their server runs as tasks (MCP 2026-07-28, extension `io.modelcontextprotocol/tasks`, SEP-2663).
//!
//! A task outlives the connection and the worker that started it. Another worker that knows the task's id can get the
//! result.

use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{CallToolResult, CancelTaskParams, ErrorData, GetTaskParams, TaskPayload};
use rmcp::service::ServiceError;
use serde_json::Value;

use crate::call_lost::{CallLost, forgot_the_session};
use crate::live::Live;

/// Pause between two polls of a task if the server names none.
pub(crate) const USUAL_PAUSE: Duration = Duration::from_secs(1);
/// Shortest and longest pause that a server may name.
const SHORTEST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
/// Longest wait for the answer to one poll.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(30);
/// Longest wait for a server to acknowledge a cancellation.
const CANCEL_TIMEOUT: Duration = Duration::from_secs(5);

/// Longest task id that is recorded, in bytes.
const LONGEST_ID: usize = 1_024;

/// Whether an id can be recorded. A task with any other id is followed only by the worker that started it.
pub(crate) fn can_be_kept(id: &str) -> bool {
    id.len() <= LONGEST_ID && !id.contains('\0')
}

/// State of a task, as reported by its server.
pub(crate) enum TaskState {
    /// The task is running. Poll it again after this pause.
    Running(Duration),
    /// The task has ended with this result.
    Ended(Box<CallToolResult>),
}

/// Returns the pause that a server asks for, within limits.
pub(crate) fn pause(milliseconds: Option<u64>) -> Duration {
    milliseconds.map_or(USUAL_PAUSE, |named| {
        Duration::from_millis(named).clamp(SHORTEST_PAUSE, LONGEST_PAUSE)
    })
}

impl Live {
    /// Polls a task once.
    pub(crate) async fn task(&self, id: &str) -> Result<TaskState, CallLost> {
        let request = self.peer.get_task(GetTaskParams::new(id));
        let request = tokio::time::timeout(ANSWER_TIMEOUT, request);
        let response = self
            .unless_flooded(request)
            .await
            .map_err(CallLost::Flooded)?;
        let Ok(answer) = response else {
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
            // There is no user who could answer.
            _ => Err(CallLost::TaskLost(
                "the task asks for input that is not offered".to_owned(),
            )),
        }
    }

    /// Notifies the server in the background that the task's result is no longer wanted.
    pub(crate) fn cancel_task(self: &Arc<Self>, id: &str) {
        let (this, params) = (Arc::clone(self), CancelTaskParams::new(id));
        tokio::spawn(async move {
            let answer = tokio::time::timeout(CANCEL_TIMEOUT, this.peer.cancel_task(params)).await;
            if !matches!(answer, Ok(Ok(()))) {
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
