//! Tests that the reason why each answer of a model ended is stored, with the same name for all providers.

use serde_json::json;
use tarsy_model::IterationStrategy;
use tarsy_testing::fake_llm::{Behaviour, FakeAnswer, SeenRequest, WireFormat};

use crate::bench::Bench;
use crate::caching::config;

/// Calls a tool, then is cut off at the maximum length of an answer, then concludes.
fn model(request: &SeenRequest) -> Behaviour {
    match request.assistant_turns() {
        0 => Behaviour::Answer(FakeAnswer::tool_calls([(
            "demo__look",
            json!({"part": "log"}),
        )])),
        1 => Behaviour::Answer(FakeAnswer {
            text: "The log says that".to_owned(),
            cut: true,
            ..FakeAnswer::tool_calls([("demo__look", json!({"part": "log"}))])
        }),
        _ => Behaviour::text("It was the disk."),
    }
}

#[tokio::test]
async fn the_reason_why_an_answer_ended_is_kept() {
    for (provider, format) in [
        ("openai", WireFormat::OpenAi),
        ("anthropic", WireFormat::Anthropic),
        ("gemini", WireFormat::Gemini),
        ("ollama", WireFormat::Ollama),
        ("openai_responses", WireFormat::Responses),
        ("azure_openai", WireFormat::Azure),
        ("bedrock", WireFormat::Bedrock),
        ("vertex", WireFormat::VertexGemini),
    ] {
        let bench = Bench::configured(&config(provider), model).await;
        let url = bench.llm.base_url(format);
        let bench = bench.with("FAKE_URL", url);
        let mut bench = bench.with("GOOGLE_CLOUD_PROJECT", "p-1");
        bench.strategy = IterationStrategy::Regular;
        bench.part("log", "No space left on device");
        let ended = bench.run(json!({"disk": "full"}), "Read the log.").await;
        assert_eq!(ended.row["status"], "completed", "{}", ended.row);
        let kept: Vec<Option<String>> =
            sqlx::query_scalar("select finish_reason from llm_interactions order by sequence")
                .fetch_all(bench.db.pool())
                .await
                .expect("the reasons");
        let kept: Vec<_> = kept.iter().flatten().map(String::as_str).collect();
        assert_eq!(
            kept,
            ["tool_calls", "max_tokens", "completed"],
            "{provider}"
        );
    }
}
