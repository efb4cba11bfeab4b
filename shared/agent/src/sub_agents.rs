//! Tools with which an agent dispatches sub-agents, as they are shown to it.

use serde_json::{Value, json};
use tarsy_mcp::ToolInfo;
use tarsy_model::EffectClass;

use crate::paging::own_tool;

/// Server name under which these tools are offered and recorded.
pub const SUB_AGENTS_SERVER: &str = "sub-agents";
/// Name of the tool that dispatches a sub-agent.
pub const DISPATCH_AGENT: &str = "dispatch_agent";
/// Name of the tool that cancels a sub-agent.
pub const CANCEL_AGENT: &str = "cancel_agent";
/// Name of the tool that lists the dispatched sub-agents with their results, and can wait for them.
pub const LIST_AGENTS: &str = "list_agents";

/// Returns the tools of an agent that may dispatch these sub-agents, each given by its name and description.
#[must_use]
pub fn sub_agent_tools(agents: &[(&str, Option<&str>)]) -> Vec<ToolInfo> {
    let names: Vec<&str> = agents.iter().map(|(name, _)| *name).collect();
    let lines = agents.iter().map(|(name, description)| match description {
        Some(description) => format!("`{name}` ({description})"),
        None => format!("`{name}`"),
    });
    let dispatch = format!(
        "Dispatch a sub-agent with a task of its own. It runs beside you and sees the alert and your task, but nothing else \
         that you know. Answers its id at once; dispatch all that are independent, then call {LIST_AGENTS} with wait. \
         Sub-agents: {}",
        lines.collect::<Vec<_>>().join(", ")
    );
    vec![
        tool(
            DISPATCH_AGENT,
            &dispatch,
            json!({
                "type": "object",
                "properties": {
                    "name": {"type": "string", "enum": names, "description": "Sub-agent"},
                    "task": {"type": "string", "description": "What it is to find out, with all it needs to know"},
                },
                "required": ["name", "task"],
            }),
            EffectClass::Idempotent,
        ),
        tool(
            LIST_AGENTS,
            "List the sub-agents that you dispatched, with their status and, of those that have ended, their result.",
            json!({
                "type": "object",
                "properties": {
                    "wait": {"type": "boolean", "default": false, "description": "Wait until all of them have ended"},
                },
            }),
            EffectClass::ReadOnly,
        ),
        tool(
            CANCEL_AGENT,
            "Cancel a sub-agent whose result is not needed any more.",
            json!({
                "type": "object",
                "properties": {"id": {"type": "string", "description": "Its id"}},
                "required": ["id"],
            }),
            EffectClass::Idempotent,
        ),
    ]
}

fn tool(name: &str, description: &str, input_schema: Value, effect: EffectClass) -> ToolInfo {
    ToolInfo {
        server: SUB_AGENTS_SERVER.to_owned(),
        effect,
        ..own_tool(name, description, input_schema)
    }
}
