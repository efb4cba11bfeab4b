//! Tool calls: each is recorded before it is made.

use std::pin::pin;

use futures::StreamExt;
use futures::stream::FuturesUnordered;
use tarsy_mcp::ToolPin;
use tarsy_model::{
    CommunicationType, EffectClass, InteractionId, McpIntent, McpResult, RecordedInteraction,
    RecordedMcp, UnixMicros,
};
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout};
use tracing::Span;
use tracing::field::Empty;

use super::{Run, millis_since};
use crate::action::Listing;
use crate::plan::{OUTCOME_UNKNOWN, PlannedCall, failed};
use crate::ports::ToolCall;
use crate::{RunError, SUB_AGENTS_SERVER};

impl Run<'_> {
    pub(super) async fn list_tools(&mut self, listings: Vec<Listing>) -> Result<(), RunError> {
        let mut begun = Vec::new();
        for listing in listings {
            let intent = list_intent(&listing);
            begun.push((self.begin(intent, listing.recorded).await?, listing.server));
        }
        let limit = self.brief.limits.tool_call_timeout.min(self.remaining());
        let tools = self.agent.tools;
        let mut lists: FuturesUnordered<_> = begun
            .into_iter()
            .map(|(id, server)| async move {
                let started = Instant::now();
                let list = timeout(limit, tools.list(&server)).await;
                let late = || format!("no tool list within {} s", limit.as_secs());
                let (mut result, fault) = match list {
                    Ok(Ok(listed)) => (tarsy_mcp::recorded_list(&listed), None),
                    Ok(Err(not_listed)) => (failed(not_listed.reason), not_listed.fault),
                    Err(_) => (failed(late()), None),
                };
                result.duration_ms = millis_since(started);
                (id, result, fault)
            })
            .collect();
        while let Some((id, result, fault)) = lists.next().await {
            if let Some(fault) = fault {
                let why = result.error_message.as_deref().unwrap_or_default();
                self.leave_for_another(fault, why).await?;
            }
            let kept = self.record(|to| to.finish_mcp(id, &result)).await?;
            self.transcript.finish_mcp(id, kept);
        }
        Ok(())
    }

    /// Makes the calls: concurrently if all of them may be repeated. Otherwise they run one by one in the model's
    /// order, so that at most one outcome can be unknown.
    pub(super) async fn call_tools(&mut self, calls: Vec<PlannedCall>) -> Result<(), RunError> {
        let side_by_side = calls.iter().all(|c| {
            // A call that waits for sub-agents must run after earlier calls, which may dispatch them.
            c.answer.is_some() || c.effect.is_repeatable() && c.server != SUB_AGENTS_SERVER
        });
        let batches: Vec<Vec<PlannedCall>> = match side_by_side {
            true => vec![calls],
            false => calls.into_iter().map(|call| vec![call]).collect(),
        };
        for batch in batches {
            let mut begun = Vec::new();
            for call in batch {
                let id = match call.recorded {
                    // The intent is already recorded and no tool is called; only the outcome is recorded.
                    Some(id) if call.answer.is_some() => id,
                    recorded => self.begin(call.intent(), recorded).await?,
                };
                begun.push((id, call));
            }
            self.finish_all(begun).await?;
        }
        Ok(())
    }

    async fn finish_all(
        &mut self,
        begun: Vec<(InteractionId, PlannedCall)>,
    ) -> Result<(), RunError> {
        let this = &*self;
        let calls = begun.into_iter();
        let calls = calls.map(|(id, call)| async move { (id, this.result_of(id, call).await) });
        let mut running: FuturesUnordered<_> = calls.collect();
        let mut results = Vec::new();
        while let Some((id, result)) = running.next().await {
            let result = result?;
            results.push((id, this.record(|to| to.finish_mcp(id, &result)).await?));
        }
        drop(running);
        for (id, result) in results {
            self.transcript.finish_mcp(id, result);
        }
        Ok(())
    }

    async fn result_of(
        &self,
        id: InteractionId,
        mut call: PlannedCall,
    ) -> Result<McpResult, RunError> {
        match call.pin.take() {
            Some(pin) if call.answer.is_none() => self.call_tool(id, pin, call).await,
            // No tool is called, so there is no span.
            _ => Ok(call.answer.unwrap_or_default()),
        }
    }

    #[tracing::instrument(
        name = "tools/call",
        skip_all,
        fields(
            otel.name = %format_args!("tools/call {}", call.tool), otel.kind = "client", otel.status_code = Empty,
            mcp.method.name = "tools/call", mcp.server.name = %call.server, gen_ai.operation.name = "execute_tool",
            gen_ai.tool.name = %call.tool, error.type = Empty
        )
    )]
    async fn call_tool(
        &self,
        id: InteractionId,
        pin: ToolPin,
        call: PlannedCall,
    ) -> Result<McpResult, RunError> {
        let limit = self.brief.limits.tool_call_timeout.min(self.remaining());
        let started = Instant::now();
        let (task_begun, mut begun) = mpsc::unbounded_channel();
        let asked = self.agent.tools.call(ToolCall {
            request_id: id,
            session_id: self.brief.data.session_id,
            traceparent: None,
            server: call.server,
            tool: call.tool,
            pin,
            effect: call.effect,
            arguments: call.verbatim.unwrap_or(call.arguments),
            timeout: limit,
            task: call.task,
            task_begun: Some(task_begun),
        });
        let mut asked = pin!(timeout(limit, asked));
        let answer = loop {
            tokio::select! {
                biased;
                answer = &mut asked => break answer,
                // Record the task while its result is pending, so that another worker can wait for it.
                Some(task) = begun.recv() => self.record(|to| to.note_task(id, &task)).await?,
            }
        };
        let mut result = match answer {
            Ok(Err(RunError::Shortage(shortage))) if !call.effect.is_repeatable() => {
                self.record(|to| to.withdraw_mcp(id)).await?;
                return Err(RunError::Shortage(shortage));
            }
            Ok(result) => result?,
            Err(_) => {
                let late = format!("no answer within {} s", limit.as_secs());
                failed(match call.effect.is_repeatable() {
                    true => late,
                    false => format!("{OUTCOME_UNKNOWN}: {late}"),
                })
            }
        };
        result.duration_ms = millis_since(started);
        if !result.success {
            Span::current().record("otel.status_code", "ERROR");
            Span::current().record("error.type", "tool_error");
        }
        Ok(result)
    }

    /// Records an intent, even if it is recorded already. This keeps a worker that lost the stage without knowing it
    /// from making the call.
    async fn begin(
        &mut self,
        intent: McpIntent,
        recorded: Option<InteractionId>,
    ) -> Result<InteractionId, RunError> {
        let kept = self.record(|to| to.begin_mcp(&intent)).await?;
        if recorded.is_none() {
            self.transcript.begin(RecordedInteraction::Mcp(RecordedMcp {
                intent: kept,
                result: None,
                timestamp_us: UnixMicros(0),
                task_id: None,
            }));
        }
        Ok(intent.interaction_id)
    }
}

fn list_intent(listing: &Listing) -> McpIntent {
    McpIntent {
        interaction_id: listing.recorded.unwrap_or_else(InteractionId::generate),
        sequence: listing.sequence,
        iteration: 0,
        communication_type: CommunicationType::ToolList,
        server_name: listing.server.clone(),
        tool_name: None,
        tool_arguments: None,
        tool_call_id: None,
        effect: EffectClass::ReadOnly,
        step_description: format!("{}: list tools", listing.server),
    }
}
