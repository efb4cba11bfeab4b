//! Trace of how a question was answered, built from the outputs of its stages.

use serde_json::{Value, json};
use tarsy_config::AlertMasker;
use tarsy_store::knowledge_questions::TracedStage;

use crate::sessions::masking::mask_text;

/// Stages whose data the trace shows.
pub(crate) const SHOWN: [&str; 5] = [
    "intake",
    "intent-router",
    "query-rewrite",
    "retrieval-agent",
    "context-builder",
];

/// Builds the trace of these stages. Texts of records and tools are left out; the session has them.
pub(crate) fn trace_of(stages: Vec<TracedStage>, masker: &AlertMasker) -> Value {
    let data = |name: &str| {
        let stage = stages.iter().find(|stage| stage.name == name);
        stage
            .and_then(|stage| stage.data.clone())
            .unwrap_or_default()
    };
    let [intake, router, rewrite, mut search, context] = SHOWN.map(data);
    let given = context["items"].as_array().into_iter().flatten();
    let given: Vec<&Value> = given.map(|item| &item["id"]).collect();
    for result in search["results"].as_array_mut().into_iter().flatten() {
        result.as_object_mut().map(|members| members.remove("text"));
    }
    // A question without a conversation is not rewritten, so it is searched as it was asked.
    let search_query = [&rewrite["search_query"], &intake["text"]];
    let search_query = search_query.into_iter().find(|query| query.is_string());
    json!({
        "intent": router["intent"], "route": router["route"], "steps": router["steps"],
        "statement": router["statement"], "command": router["command"],
        "search_query": search_query, "search": search["trace"], "results": search["results"],
        "evidence": given, "cut": context["cut"], "left_out": context["left_out"],
        "stages": stages.into_iter().map(|stage| line(stage, masker)).collect::<Vec<_>>(),
    })
}

fn line(stage: TracedStage, masker: &AlertMasker) -> Value {
    json!({
        "name": stage.name, "status": stage.status, "duration_ms": stage.duration_ms,
        "input_tokens": stage.input_tokens, "output_tokens": stage.output_tokens, "cost_usd": stage.cost_usd,
        "error_message": mask_text(masker, stage.error_message),
    })
}
