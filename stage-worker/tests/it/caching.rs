//! Measures how many tokens of ten iterations of a real agent come from a provider's prompt cache. The provider is a
//! fake. It counts tokens by characters and looks up a request's prefix in what it has cached.

use serde_json::json;
use tarsy_model::IterationStrategy;
use tarsy_testing::fake_llm::{Behaviour, FakeAnswer, SeenRequest, WireFormat};

use crate::bench::Bench;

const ITERATIONS: usize = 10;

/// Returns a configuration with an agent that has a tool, and a provider of this kind.
pub(crate) fn config(provider: &str) -> String {
    format!(
        r#"
mcp_servers:
  demo:
    connection_params:
      command: python3
      args: ["-S", "-E", "${{MCP_SERVER}}", "${{MCP_FILES}}"]
agents:
  Watcher: {{mcp_servers: [demo]}}
agent_chains:
  watch: {{alert_types: [Watch], stages: [{{name: watch, agent: Watcher}}]}}
llm_providers:
  fake: {{type: {provider}, model: fake-1, api_key_env: FIRST_KEY, base_url: "${{FAKE_URL}}"}}
default_llm_provider: fake
"#
    )
}

/// Reads the log of one pod after another, then concludes.
fn look_at_each_pod(request: &SeenRequest, is_native: bool) -> Behaviour {
    let turn = request.assistant_turns();
    let thought = format!(
        "Pod {turn} may be the cause. {}",
        "Its log tells. ".repeat(8)
    );
    let input = json!({"part": format!("pod-{turn}")});
    match (turn + 1 < ITERATIONS, is_native) {
        (true, true) => Behaviour::Answer(FakeAnswer {
            text: thought,
            ..FakeAnswer::tool_calls([("demo__look", input)])
        }),
        (true, false) => Behaviour::text(format!(
            "Thought: {thought}\nAction: demo.look\nAction Input: {input}"
        )),
        (false, true) => Behaviour::text("It was pod 3."),
        (false, false) => Behaviour::text("Thought: done\nFinal Answer: It was pod 3."),
    }
}

/// Returns the number of model calls, the tokens of their prompts, and the number of these that were cached.
async fn tokens(
    provider: &str,
    format: WireFormat,
    strategy: IterationStrategy,
) -> (i64, i64, i64) {
    let is_native = strategy == IterationStrategy::Regular;
    let model = move |request: &SeenRequest| look_at_each_pod(request, is_native);
    let bench = Bench::configured(&config(provider), model).await;
    bench.llm.price_by_prefix();
    let url = bench.llm.base_url(format);
    let mut bench = bench.with("FAKE_URL", url);
    bench.strategy = strategy;
    for pod in 0..ITERATIONS {
        let line = format!("pod {pod}: GET /cart answered 500 after 30 s\n");
        bench.part(&format!("pod-{pod}"), &line.repeat(25));
    }
    let alert = json!({"pod": "cart", "message": "too many answers are errors", "labels": {"severity": "critical", "team": "shop"}});
    let runbook = "Read the logs of the pods one by one. Compare the times.\n".repeat(50);
    let ended = bench.run(alert, &runbook).await;
    assert_eq!(ended.row["status"], "completed", "{}", ended.row);
    sqlx::query_as(
        "select count(*), sum(input_tokens)::bigint, sum(cached_tokens)::bigint from llm_interactions where success",
    )
    .fetch_one(bench.db.pool())
    .await
    .expect("the sums")
}

#[tokio::test]
async fn four_fifths_of_ten_iterations_are_read_from_the_cache() {
    for (provider, format) in [
        ("anthropic", WireFormat::Anthropic),
        ("openai", WireFormat::OpenAi),
    ] {
        for strategy in [IterationStrategy::Regular, IterationStrategy::React] {
            let (questions, input, cached) = tokens(provider, format, strategy).await;
            assert_eq!(
                usize::try_from(questions),
                Ok(ITERATIONS),
                "{provider}, {strategy}"
            );
            let share = cached * 100 / input;
            assert!(
                share >= 80,
                "{provider}, {strategy}: {share} % of {input} tokens"
            );
        }
    }
}
