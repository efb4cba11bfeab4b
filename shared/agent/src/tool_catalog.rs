//! Catalog for many tools: the model is shown their names, and loads the parameters of the tools that it needs.

mod find;

use serde_json::{Value, json};
use tarsy_mcp::ToolInfo;
use tarsy_model::{AgentLimits, RecordedMcp};

use crate::paging::{self, OWN_SERVER};
use crate::transcript::Transcript;

/// The tool that loads tools.
pub(crate) const FIND_TOOLS: &str = "find_tools";

/// Returns the tool, as it is offered.
pub(crate) fn offer() -> ToolInfo {
    paging::own_tool(
        FIND_TOOLS,
        "Load the parameters of tools from the list of names, so that they can be called. Loaded tools stay.",
        json!({
            "type": "object",
            "properties": {
                "query": {"type": "string", "description": "Exact names of tools, or words of what they do"},
            },
            "required": ["query"],
        }),
    )
}

/// Tools that are too many to be shown with their parameters.
pub(crate) struct ToolCatalog<'a> {
    offers: &'a [ToolInfo],
}

impl<'a> ToolCatalog<'a> {
    /// Creates the catalog of these tools of servers; `None` if they are few enough to be shown with their
    /// parameters.
    pub(crate) fn new(offers: &'a [ToolInfo], limits: &AgentLimits) -> Option<Self> {
        limits.has_too_many(offers.len()).then_some(Self { offers })
    }

    /// Returns the tools whose parameters were loaded before a position, in the order of loading. A later question
    /// offers them in the same places.
    pub(crate) fn loaded(&self, transcript: &Transcript, before: i32) -> Vec<ToolInfo> {
        let mut loaded: Vec<&ToolInfo> = Vec::new();
        for call in transcript.calls_before(before) {
            for tool in self.loaded_by(call) {
                if !loaded.iter().any(|one| is_same(one, tool)) {
                    loaded.push(tool);
                }
            }
        }
        loaded.into_iter().cloned().collect()
    }

    /// Returns the tools whose parameters the model is shown with the result of a call: the tools that the call
    /// found, or the called tool itself, the first time.
    pub(crate) fn shown_with(&self, call: &RecordedMcp, transcript: &Transcript) -> Vec<ToolInfo> {
        let mut tools = self.loaded_by(call);
        if call.intent.server_name != OWN_SERVER {
            let known = self.loaded(transcript, call.intent.sequence);
            tools.retain(|tool| !known.iter().any(|one| is_same(one, tool)));
        }
        tools.into_iter().cloned().collect()
    }

    /// Returns the tools that a call loads. The tools that it found are read from the record, because another version
    /// may find others.
    fn loaded_by(&self, call: &RecordedMcp) -> Vec<&'a ToolInfo> {
        let intent = &call.intent;
        let tool = intent.tool_name.as_deref().unwrap_or_default();
        if intent.server_name != OWN_SERVER {
            let offers = self.offers.iter();
            return offers
                .filter(|offer| offer.server == intent.server_name && offer.name == tool)
                .collect();
        }
        let result = call.result.as_ref();
        let result = result.filter(|result| result.success && tool == FIND_TOOLS);
        let names = result.and_then(|result| result.tool_result.as_ref()?["loaded"].as_array());
        let names = names.into_iter().flatten().filter_map(Value::as_str);
        let tool = |name| self.offers.iter().find(|offer| offer.full_name() == name);
        names.filter_map(tool).collect()
    }
}

fn is_same(one: &ToolInfo, other: &ToolInfo) -> bool {
    one.server == other.server && one.name == other.name
}

/// Answers a call of `find_tools` with the names of the tools that it loads. The error text is sent to the model.
pub(crate) fn answer(arguments: &Value, offers: &[ToolInfo]) -> Result<Value, String> {
    let query = arguments.get("query").and_then(Value::as_str);
    let Some(query) = query.filter(|query| !query.trim().is_empty()) else {
        return Err("find_tools needs `query`: exact names of tools, or words".to_owned());
    };
    let (found, left) = find::find(query, offers);
    if found.is_empty() {
        let why = "no tool has such a name or such words; choose from the list of names";
        return Err(why.to_owned());
    }
    let names: Vec<String> = found.iter().map(|tool| tool.full_name()).collect();
    let mut answer = json!({ "loaded": names });
    if left > 0 {
        let more = format!("{left} more have such words; use others or exact names");
        answer["not_loaded"] = json!(more);
    }
    Ok(answer)
}

/// Returns names of tools that are similar to a name that no tool has.
pub(crate) fn similar(written: &str, offers: &[ToolInfo]) -> Vec<String> {
    let (found, _) = find::find(written, offers);
    found.iter().map(|tool| tool.full_name()).collect()
}
