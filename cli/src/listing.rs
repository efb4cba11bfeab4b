//! Builds recorded tool lists of MCP servers.

use tarsy_mcp::{ListedServer, ToolListing};
use tarsy_model::{
    CommunicationType, EffectClass, InteractionId, McpIntent, McpResult, RecordedInteraction,
    RecordedMcp, UnixMicros,
};

/// Returns one record per server, in the agent's order.
pub(crate) fn records(servers: &[String], listing: &ToolListing) -> Vec<RecordedInteraction> {
    let record = |(sequence, server): (i32, &String)| {
        let failed = listing.unavailable.iter().find(|(id, _)| id == server);
        let instructions_of = listing.instructions.iter().find(|(id, _)| id == server);
        let tools = listing.tools.iter().filter(|tool| tool.server == *server);
        let tools = tools.cloned().collect();
        RecordedInteraction::Mcp(RecordedMcp {
            intent: intent(sequence, server),
            result: Some(match failed {
                None => tarsy_mcp::recorded_list(&ListedServer {
                    tools,
                    instructions: instructions_of.map(|(_, text)| text.clone()),
                }),
                Some((_, reason)) => McpResult {
                    error_message: Some(reason.clone()),
                    ..McpResult::default()
                },
            }),
            timestamp_us: UnixMicros(0),
            task_id: None,
        })
    };
    (0..).zip(servers).map(record).collect()
}

fn intent(sequence: i32, server: &str) -> McpIntent {
    McpIntent {
        interaction_id: InteractionId::generate(),
        sequence,
        iteration: 0,
        communication_type: CommunicationType::ToolList,
        server_name: server.to_owned(),
        tool_name: None,
        tool_arguments: None,
        tool_call_id: None,
        effect: EffectClass::ReadOnly,
        step_description: String::new(),
    }
}
