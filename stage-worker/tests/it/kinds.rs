//! Tests stages without an agent, run by a real worker with a real MCP server.

use serde_json::{Value, json};
use tarsy_testing::fake_llm::{Behaviour, SeenRequest};

use crate::bench::{Bench, Ended};

const CONFIG: &str = r#"
mcp_servers:
  demo:
    connection_params: {command: python3, args: ["-S", "-E", "${MCP_SERVER}", "${MCP_FILES}"]}
    tool_effects: {look: EFFECT}
llm_providers:
  small: {type: openai, model: small, api_key_env: FIRST_KEY, base_url: "${LLM_URL}", price: {input_per_million: 10, output_per_million: 100}}
default_llm_provider: small
"#;

async fn bench(
    effect: &str,
    model: impl Fn(&SeenRequest) -> Behaviour + Send + Sync + 'static,
) -> Bench {
    Bench::configured(&CONFIG.replace("EFFECT", effect), model).await
}

async fn run(bench: &Bench, actor: &str, work: Value) -> Ended {
    let alert =
        json!({"host": "db-1", "hosts": [{"name": "a", "load": 1}, {"name": "b", "load": 3}]});
    let stage = json!({"name": "watch", "agent": actor, "work": work});
    let due = bench.make_stage_due(alert, "", stage).await;
    bench.run_due(due).await
}

fn no_model(_: &SeenRequest) -> Behaviour {
    panic!("no model is asked")
}

fn question() -> Value {
    json!({"ask": {
        "prompt": "How severe is {{ alert.data.host }}?",
        "output_schema": {"type": "object", "properties": {"severity": {"enum": ["low", "high"]}}, "required": ["severity"]},
    }})
}

#[tokio::test]
async fn an_answer_that_does_not_match_is_corrected() {
    let model = |request: &SeenRequest| match request.assistant_turns() {
        0 => Behaviour::text(r#"{"severity": "awful"}"#),
        _ => Behaviour::text("Sorry.\n```json\n{\"severity\": \"high\"}\n```"),
    };
    let bench = bench("read_only", model).await;
    let ended = run(&bench, "ask:model", question()).await;
    assert_eq!(ended.row["status"], "completed", "{}", ended.row);
    assert_eq!(
        ended.row["stage_output"]["data"],
        json!({"severity": "high"})
    );
    assert_eq!(ended.row["cost_completeness"], "complete", "{}", ended.row);
    let requests = bench.llm.requests();
    assert_eq!((requests.len(), ended.records.len()), (2, 2));
    assert!(requests[0].contains("How severe is db-1?") && requests[0].contains("JSON Schema"));
    assert!(requests[1].contains("That can't be used: /severity"));
}

#[tokio::test]
async fn an_answer_that_never_matches_fails_the_stage_after_two_corrections() {
    let bench = bench("read_only", |_: &SeenRequest| Behaviour::text("It is bad.")).await;
    let ended = run(&bench, "ask:model", question()).await;
    assert_eq!(ended.row["error_class"], "invalid_output", "{}", ended.row);
    assert_eq!(bench.llm.requests().len(), 3);
}

#[tokio::test]
async fn a_template_that_reads_what_is_not_there_fails_the_stage() {
    let bench = bench("read_only", no_model).await;
    let ended = run(
        &bench,
        "ask:model",
        json!({"ask": {"prompt": "{{ alert.data.typo }}"}}),
    )
    .await;
    assert_eq!(ended.row["error_class"], "template", "{}", ended.row);
    assert!(bench.llm.requests().is_empty());
}

fn look(allow_destructive: bool) -> Value {
    json!({"tool": {"server": "demo", "tool": "look", "args": {"part": "{{ alert.data.host }}"},
        "allow_destructive": allow_destructive}})
}

#[tokio::test]
async fn a_tool_is_called_once_and_its_json_is_data() {
    let bench = bench("read_only", no_model).await;
    bench.part("db-1", r#"{"load": 3}"#);
    let ended = run(&bench, "tool:demo.look", look(false)).await;
    assert_eq!(ended.row["status"], "completed", "{}", ended.row);
    assert_eq!(ended.row["stage_output"]["data"], json!({"load": 3}));
    assert_eq!(ended.records.len(), 2, "the list of tools and the call");
}

#[tokio::test]
async fn a_destructive_tool_needs_leave() {
    let bench = bench("destructive", no_model).await;
    bench.part("db-1", "done");
    let refused = run(&bench, "tool:demo.look", look(false)).await;
    assert_eq!(
        refused.row["error_class"], "tool_refused",
        "{}",
        refused.row
    );
    let allowed = run(&bench, "tool:demo.look", look(true)).await;
    assert_eq!(allowed.row["status"], "completed", "{}", allowed.row);
}

#[tokio::test]
async fn a_function_computes_from_what_the_alert_holds() {
    let bench = bench("read_only", no_model).await;
    let args = json!({"items": "{{ alert.data.hosts }}", "by": "load", "limit": 1});
    let work = json!({"function": {"function": "rank", "args": args}});
    let ended = run(&bench, "function:rank", work).await;
    assert_eq!(
        ended.row["stage_output"]["data"],
        json!([{"name": "b", "load": 3}]),
        "{}",
        ended.row
    );
}
