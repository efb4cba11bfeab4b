//! The four kinds of writes. Each has crash points before and after its commit.

use std::collections::HashSet;
use std::sync::Arc;

use serde_json::{Value, json};
use sqlx::PgConnection;
use tarsy_failpoint::reached;
use tarsy_model::{InteractionId, LlmIntent, LlmResult, McpIntent, McpResult};
use tarsy_store::Error;
use tarsy_store::interactions::StageWrite;

use super::RecordKind;

const LLM: &str = "llm_interaction";
const MCP: &str = "mcp_interaction";

/// Implements [`RecordKind::write`] as a crash point, a function of the store, and another crash point.
macro_rules! write_with {
    ($before_commit:literal => $write:ident => $after_commit:literal) => {
        async fn write(
            conn: &mut PgConnection,
            group: &[Arc<StageWrite<Self>>],
        ) -> Result<HashSet<InteractionId>, Error> {
            reached($before_commit);
            let kept = tarsy_store::interactions::$write(conn, group).await?;
            reached($after_commit);
            Ok(kept)
        }
    };
}

impl RecordKind for LlmIntent {
    fn id(&self) -> InteractionId {
        self.interaction_id
    }

    fn event(&self) -> (&'static str, Value) {
        let payload = json!({
            "sequence": self.sequence, "iteration": self.iteration, "state": "started",
            "step_description": self.step_description, "model_name": self.model_name,
        });
        (LLM, payload)
    }

    write_with!("record.begin_llm.before_commit" => begin_llm => "record.begin_llm.after_commit");
}

impl RecordKind for (InteractionId, LlmResult) {
    fn id(&self) -> InteractionId {
        self.0
    }

    fn event(&self) -> (&'static str, Value) {
        let result = &self.1;
        let payload = json!({
            "state": "finished", "success": result.success, "duration_ms": result.duration_ms,
            "error_message": result.error_message,
        });
        (LLM, payload)
    }

    write_with!("record.finish_llm.before_commit" => finish_llm => "record.finish_llm.after_commit");
}

impl RecordKind for McpIntent {
    fn id(&self) -> InteractionId {
        self.interaction_id
    }

    fn event(&self) -> (&'static str, Value) {
        let payload = json!({
            "sequence": self.sequence, "iteration": self.iteration, "state": "started",
            "step_description": self.step_description, "server_name": self.server_name,
            "tool_name": self.tool_name,
        });
        (MCP, payload)
    }

    write_with!("record.begin_mcp.before_commit" => begin_mcp => "record.begin_mcp.after_commit");
}

impl RecordKind for (InteractionId, McpResult) {
    fn id(&self) -> InteractionId {
        self.0
    }

    fn event(&self) -> (&'static str, Value) {
        let result = &self.1;
        let payload = json!({
            "state": "finished", "success": result.success, "duration_ms": result.duration_ms,
            "error_message": result.error_message, "refused": result.refused,
            "masked_kinds": result.masked_kinds,
        });
        (MCP, payload)
    }

    write_with!("record.finish_mcp.before_commit" => finish_mcp => "record.finish_mcp.after_commit");
}
