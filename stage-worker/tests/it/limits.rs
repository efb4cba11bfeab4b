//! Tests the limits of a stage, as its provider sees them.

use serde_json::{Value, json};
use tarsy_model::RecordedInteraction;
use tarsy_testing::fake_llm::{Behaviour, FakeAnswer, SeenRequest};

use crate::bench::Bench;

const CONFIG: &str = r#"
mcp_servers:
  demo:
    connection_params: {command: python3, args: ["-S", "-E", "${MCP_SERVER}", "${MCP_FILES}"]}
agents:
  Watcher:
    mcp_servers: [demo]
    limits: {max_data_points: 2, min_iterations_for_data_points: 3}
agent_chains:
  watch: {alert_types: [Watch], stages: [{name: watch, agent: Watcher}]}
llm_providers:
  small: {type: openai, model: small, api_key_env: FIRST_KEY, base_url: "${LLM_URL}", context_window: 16000}
default_llm_provider: small
"#;

/// Length of each part's text: about 3,000 tokens. All parts together exceed the window.
const LONG: usize = 12_000;

/// Reads two more parts each time, until it may call no tool any more.
fn restless(request: &SeenRequest) -> Behaviour {
    let turn = request.assistant_turns();
    if request.tools.is_empty() || request.body["tool_choice"] == "none" {
        return Behaviour::text("Enough was seen.");
    }
    let look = |part: usize| ("demo__look", json!({"part": format!("part-{part}")}));
    Behaviour::Answer(FakeAnswer::tool_calls([look(turn * 2), look(turn * 2 + 1)]))
}

#[tokio::test]
async fn enough_data_ends_a_stage_after_three_iterations_and_the_window_is_kept_to() {
    let bench = Bench::configured(CONFIG, restless).await;
    for part in 0..10 {
        bench.part(&format!("part-{part}"), &"x ".repeat(LONG / 2));
    }
    let ended = bench.run(json!({"host": "db-1"}), "").await;
    assert_eq!(ended.row["status"], "completed", "{}", ended.row);
    let output = &ended.row["stage_output"];
    assert_eq!(output["result"], "Enough was seen.");
    assert_eq!(
        (
            &output["limit_reached"],
            &output["iterations"],
            &output["data_points"]
        ),
        (&json!("data_points"), &json!(3), &json!(6)),
        "the limit of 2 is passed in the first iteration, and holds after the third"
    );
    let requests = bench.llm.requests();
    assert_eq!(requests.len(), 4, "three iterations and the conclusion");

    // Four characters count as a token. 8,192 tokens of the window are reserved for the answer.
    let shown = |request: &SeenRequest| -> usize {
        request
            .messages
            .iter()
            .map(|m| m.text.chars().count())
            .sum()
    };
    for request in &requests {
        assert!(shown(request) / 4 < 16_000 - 8_192, "{}", shown(request));
    }
    let last = requests.last().expect("asked");
    assert!(last.contains("characters left out here to fit the model's window"));

    // Rows keep the complete text.
    let kept = ended.records.iter().filter_map(|record| match record {
        RecordedInteraction::Mcp(call) => call.result.as_ref()?.tool_result.as_ref(),
        RecordedInteraction::Llm(_) => None,
    });
    let whole = kept.filter(|output| text_of(output).len() >= LONG).count();
    assert_eq!(whole, 6);
}

fn text_of(output: &Value) -> String {
    output
        .as_str()
        .map_or_else(|| output.to_string(), str::to_owned)
}
