//! How much of its prompts a stage of ten iterations reads from the provider's cache.

use serde_json::{Value, json};
use tarsy_llm::{ChatMessage, ChatRequest, NativeToolCall, ProviderKind, ToolSpec};
use tarsy_model::TokenUsage;
use tarsy_testing::fake_llm::{FakeLlm, WireFormat};

use crate::{PROVIDERS, model};

const ITERATIONS: usize = 10;

/// The conversation at an iteration: instructions, alert and runbook, and the result of each earlier call.
fn conversation(native: bool, iteration: usize) -> ChatRequest {
    let mut messages = vec![
        ChatMessage::system("Investigate as an engineer would. ".repeat(80)),
        ChatMessage::user(format!(
            "{}\n{}",
            "alert ".repeat(300),
            "runbook ".repeat(300)
        )),
    ];
    for turn in 0..iteration {
        let text = format!(
            "Thought: look at pod {turn}. {}",
            "It may be the cause. ".repeat(10)
        );
        let seen = format!("pod {turn}: {}", "a line of its log\n".repeat(60));
        if native {
            let id = format!("call_{turn}");
            messages.push(ChatMessage {
                tool_calls: vec![NativeToolCall {
                    id: id.clone(),
                    name: "k8s__logs".to_owned(),
                    arguments: json!({"pod": turn, "namespace": "shop"}),
                    signature: None,
                }],
                ..ChatMessage::assistant(text)
            });
            messages.push(ChatMessage::tool(id, seen));
        } else {
            messages.push(ChatMessage::assistant(text));
            messages.push(ChatMessage::user(format!("Observation: {seen}")));
        }
    }
    let tools = if native { vec![tool()] } else { Vec::new() };
    ChatRequest {
        messages,
        tools,
        request_id: format!("req-{iteration}"),
        ..ChatRequest::default()
    }
}

fn tool() -> ToolSpec {
    ToolSpec {
        name: "k8s__logs".to_owned(),
        description: "The log of a pod".to_owned(),
        schema: json!({"type": "object", "properties": {"pod": {"type": "integer"}, "namespace": {"type": "string"}}}),
    }
}

async fn usage(kind: ProviderKind, format: WireFormat, native: bool) -> TokenUsage {
    let fake = FakeLlm::answering("Thought: more").await.unwrap();
    fake.price_by_prefix();
    let model = model(&fake, kind, format);
    let mut sum = TokenUsage::default();
    for iteration in 0..ITERATIONS {
        let reply = model.chat(&conversation(native, iteration)).await.unwrap();
        sum += reply.usage.unwrap();
    }
    sum
}

#[tokio::test]
async fn four_fifths_of_a_stage_are_read_from_the_cache() {
    for (kind, format) in PROVIDERS {
        if matches!(kind, ProviderKind::Ollama | ProviderKind::Bedrock) {
            // Ollama reports no cached tokens, and `genai` sets no cache marks for Bedrock.
            continue;
        }
        for native in [false, true] {
            let sum = usage(kind, format, native).await;
            let share = sum.cached_tokens * 100 / sum.input_tokens;
            assert!(share >= 80, "{kind}, native {native}: {share} % of {sum:?}");
        }
    }
}

#[tokio::test]
async fn anthropic_counts_what_it_wrote_to_the_cache() {
    let sum = usage(ProviderKind::Anthropic, WireFormat::Anthropic, true).await;
    assert!(sum.cache_write_tokens > 0, "{sum:?}");
    assert!(sum.cached_tokens + sum.cache_write_tokens <= sum.input_tokens);
}

#[tokio::test]
async fn the_order_of_keys_changes_no_byte() {
    for (kind, format) in PROVIDERS {
        let fake = FakeLlm::answering("ok").await.unwrap();
        let model = model(&fake, kind, format);
        let mut request = conversation(true, 2);
        model.chat(&request).await.unwrap();
        // The keys in the order in which they come back from the database.
        request.tools[0].schema = reversed(&request.tools[0].schema);
        for call in request.messages.iter_mut().flat_map(|m| &mut m.tool_calls) {
            call.arguments = reversed(&call.arguments);
        }
        model.chat(&request).await.unwrap();
        let requests = fake.requests();
        assert_eq!(
            requests[0].body.to_string(),
            requests[1].body.to_string(),
            "{kind}"
        );
    }
}

fn reversed(value: &Value) -> Value {
    match value {
        Value::Object(map) => map
            .iter()
            .rev()
            .map(|(key, value)| (key.clone(), reversed(value)))
            .collect(),
        other => other.clone(),
    }
}
