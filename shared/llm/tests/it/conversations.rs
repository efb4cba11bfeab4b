//! Text, tools, reasoning and tokens through each wire format.

use serde_json::json;
use tarsy_llm::{ChatMessage, ChatRequest, ProviderKind, StopReason, ToolSpec};
use tarsy_model::TokenUsage;
use tarsy_testing::fake_llm::{Behaviour, FakeAnswer, FakeLlm, WireFormat};

use crate::{KEY, PROVIDERS, build, model, question, settings};

fn tools() -> Vec<ToolSpec> {
    ["get_pods", "get_events"]
        .map(|name| ToolSpec {
            name: name.into(),
            description: format!("Runs {name}"),
            schema: json!({"type": "object", "properties": {"namespace": {"type": "string"}}}),
        })
        .into()
}

#[tokio::test]
async fn text_tokens_and_the_request_itself() {
    for (kind, format) in PROVIDERS {
        let fake = FakeLlm::start(|_| {
            Behaviour::Answer(FakeAnswer {
                text: "The pod crashed.".into(),
                usage: Some((1200, 80)),
                cached_tokens: 200,
                ..FakeAnswer::default()
            })
        })
        .await
        .unwrap();
        let mut settings = settings(kind, fake.base_url(format));
        settings.temperature = Some(0.5);
        settings.max_tokens = Some(777);
        settings.extra_headers = vec![("x-gateway".into(), tarsy_llm::Secret::new("team-a"))];
        let reply = build(settings).chat(&question("Why?")).await.unwrap();

        assert_eq!(reply.text, "The pod crashed.", "{kind}");
        assert_eq!(reply.stop_reason, StopReason::Completed, "{kind}");
        assert_eq!(reply.model_name, "model-1", "{kind}");
        let cached_tokens = if kind == ProviderKind::Ollama { 0 } else { 200 };
        assert_eq!(
            reply.usage,
            Some(TokenUsage {
                cache_write_tokens: 0,
                input_tokens: 1200,
                output_tokens: 80,
                cached_tokens,
                reasoning_tokens: 0
            }),
            "{kind}"
        );

        let seen = &fake.requests()[0];
        assert_eq!(seen.model, "model-1", "{kind}");
        let messages: Vec<_> = seen
            .messages
            .iter()
            .map(|m| (m.role.as_str(), m.text.as_str()))
            .collect();
        assert_eq!(
            messages,
            [("system", "You investigate."), ("user", "Why?")],
            "{kind}"
        );
        assert_eq!(seen.request_id.as_deref(), Some("req-1"), "{kind}");
        assert_eq!(seen.header("x-gateway"), Some("team-a"), "{kind}");
        assert_eq!(
            seen.header("accept-encoding"),
            None,
            "{kind}: nothing that grows"
        );
        let key = match kind {
            ProviderKind::Anthropic => seen.header("x-api-key").map(str::to_owned),
            ProviderKind::Gemini => seen.header("x-goog-api-key").map(str::to_owned),
            ProviderKind::AzureOpenAi => seen.header("api-key").map(str::to_owned),
            // Ollama's own API takes no key.
            ProviderKind::Ollama => Some(KEY.to_owned()),
            _ => seen
                .header("authorization")
                .and_then(|v| v.strip_prefix("Bearer "))
                .map(str::to_owned),
        };
        assert_eq!(key.as_deref(), Some(KEY), "{kind}");
        let body = seen.body.to_string();
        assert!(
            body.contains("0.5") && body.contains("777"),
            "{kind}: {body}"
        );
    }
}

#[tokio::test]
async fn parallel_tool_calls_and_their_results_round_trip() {
    for (kind, format) in PROVIDERS {
        let fake = FakeLlm::start(|request| {
            if request.assistant_turns() > 0 {
                return Behaviour::text("Both looked at.");
            }
            Behaviour::Answer(FakeAnswer {
                thinking: "Two looks.".into(),
                signature: Some("sealed".into()),
                ..FakeAnswer::tool_calls([
                    ("get_pods", json!({"namespace": "payments"})),
                    ("get_events", json!({"namespace": "payments", "limit": 5})),
                ])
            })
        })
        .await
        .unwrap();
        let model = model(&fake, kind, format);
        let mut request = question("Why?");
        request.tools = tools();
        let reply = model.chat(&request).await.unwrap();

        assert_eq!(
            fake.requests()[0].tools,
            ["get_pods", "get_events"],
            "{kind}"
        );
        let calls: Vec<_> = reply
            .tool_calls
            .iter()
            .map(|c| (c.name.as_str(), c.arguments.clone()))
            .collect();
        assert_eq!(
            calls,
            [
                ("get_pods", json!({"namespace": "payments"})),
                ("get_events", json!({"namespace": "payments", "limit": 5})),
            ],
            "{kind}"
        );
        assert_ne!(reply.tool_calls[0].id, reply.tool_calls[1].id, "{kind}");
        assert_eq!(reply.thinking.as_deref(), Some("Two looks."), "{kind}");

        // The conversation survives being recorded as JSON.
        request.messages.push(reply.to_message());
        request.messages.push(ChatMessage::tool(
            &reply.tool_calls[0].id,
            "pod-1 CrashLoopBackOff",
        ));
        request
            .messages
            .push(ChatMessage::tool(&reply.tool_calls[1].id, "OOMKilled"));
        let recorded = serde_json::to_string(&request.messages).unwrap();
        request.messages = serde_json::from_str(&recorded).unwrap();
        assert_eq!(
            model.chat(&request).await.unwrap().text,
            "Both looked at.",
            "{kind}"
        );

        let body = &fake.requests()[1].body;
        assert!(fake.requests()[1].contains("OOMKilled"), "{kind}: {body}");
        match format {
            WireFormat::Anthropic => {
                let assistant = &body["messages"][1]["content"];
                assert_eq!(
                    assistant[0],
                    json!({"type": "thinking", "thinking": "Two looks.", "signature": "sealed"})
                );
                let results = body["messages"][2]["content"].as_array().unwrap();
                assert_eq!(results.len(), 2, "both results in one message: {body}");
                assert_eq!(body["messages"].as_array().unwrap().len(), 3);
            }
            WireFormat::Gemini | WireFormat::VertexGemini => {
                let parts = body["contents"][1]["parts"].as_array().unwrap();
                assert_eq!(parts[0]["thoughtSignature"], "sealed", "{body}");
                assert_eq!(parts[1].get("thoughtSignature"), None, "{body}");
                let results = body["contents"][2]["parts"].as_array().unwrap();
                assert_eq!(results[0]["functionResponse"]["name"], "get_pods", "{body}");
                assert_eq!(
                    results[1]["functionResponse"]["name"], "get_events",
                    "{body}"
                );
            }
            WireFormat::Bedrock => {
                let assistant = &body["messages"][1]["content"];
                assert_eq!(
                    assistant[0]["reasoningContent"]["reasoningText"],
                    json!({"text": "Two looks.", "signature": "sealed"})
                );
                let results = body["messages"][2]["content"].as_array().unwrap();
                assert_eq!(results.len(), 2, "both results in one message: {body}");
            }
            WireFormat::Responses => {
                let items = body["input"].as_array().unwrap().iter();
                let kinds: Vec<_> = items.filter_map(|item| item["type"].as_str()).collect();
                let (call, result) = ("function_call", "function_call_output");
                assert_eq!(kinds, ["reasoning", call, call, result, result], "{body}");
                assert!(body.to_string().contains("sealed"), "{body}");
            }
            WireFormat::OpenAi | WireFormat::Xai | WireFormat::Azure => {
                let ids: Vec<_> = (3..5)
                    .map(|i| body["messages"][i]["tool_call_id"].clone())
                    .collect();
                assert_eq!(ids, ["call_0", "call_1"], "{body}");
                // OpenAI-compatible servers may require it; xAI does not.
                assert_eq!(
                    body.to_string().contains("Two looks."),
                    format != WireFormat::Xai,
                    "{body}"
                );
            }
            WireFormat::Ollama | WireFormat::VertexClaude => {}
        }
    }
}

#[tokio::test]
async fn a_signature_is_returned_only_to_its_author() {
    let signing = FakeLlm::start(|_| {
        Behaviour::Answer(FakeAnswer {
            thinking: "One look.".into(),
            signature: Some("sealed".into()),
            ..FakeAnswer::tool_calls([("get_pods", json!({}))])
        })
    })
    .await
    .unwrap();
    let mut request = question("Why?");
    request.tools = tools();
    let reply = model(&signing, ProviderKind::Gemini, WireFormat::Gemini)
        .chat(&request)
        .await
        .unwrap();
    request.messages.push(reply.to_message());
    request
        .messages
        .push(ChatMessage::tool(&reply.tool_calls[0].id, "none"));
    for (kind, format) in PROVIDERS {
        let fake = FakeLlm::answering("Done.").await.unwrap();
        model(&fake, kind, format).chat(&request).await.unwrap();
        let sent = fake.requests()[0].body.to_string().contains("sealed");
        let is_gemini = matches!(kind, ProviderKind::Gemini | ProviderKind::Vertex);
        assert_eq!(sent, is_gemini, "{kind}");
    }
}

#[tokio::test]
async fn native_reasoning_is_kept_apart_from_the_text() {
    for (kind, format) in PROVIDERS {
        let fake = FakeLlm::start(|_| {
            Behaviour::Answer(FakeAnswer {
                thinking: "Memory, I think.".into(),
                usage: Some((100, 80)),
                reasoning_tokens: 30,
                ..FakeAnswer::text("Out of memory.")
            })
        })
        .await
        .unwrap();
        let reply = model(&fake, kind, format)
            .chat(&question("Why?"))
            .await
            .unwrap();
        assert_eq!(reply.text, "Out of memory.", "{kind}");
        assert_eq!(
            reply.thinking.as_deref(),
            Some("Memory, I think."),
            "{kind}"
        );
        let usage = reply.usage.unwrap();
        // Ollama and Bedrock report no reasoning tokens.
        let expected = if matches!(kind, ProviderKind::Ollama | ProviderKind::Bedrock) {
            (80, 0)
        } else {
            (80, 30)
        };
        assert_eq!(
            (usage.output_tokens, usage.reasoning_tokens),
            expected,
            "{kind}"
        );
    }
}

#[tokio::test]
async fn a_think_block_in_the_text_is_reasoning_too() {
    let fake = FakeLlm::answering("<think>Memory?</think>Out of memory.")
        .await
        .unwrap();
    let reply = model(&fake, ProviderKind::OpenAi, WireFormat::OpenAi)
        .chat(&question("Why?"))
        .await
        .unwrap();
    assert_eq!(reply.text, "Out of memory.");
    assert_eq!(reply.thinking.as_deref(), Some("Memory?"));
}

#[tokio::test]
async fn tools_can_be_shown_and_forbidden() {
    for (kind, format) in PROVIDERS {
        let fake = FakeLlm::answering("Final.").await.unwrap();
        let request = ChatRequest {
            tools: tools(),
            forbid_tools: true,
            ..question("Conclude.")
        };
        model(&fake, kind, format).chat(&request).await.unwrap();
        let seen = &fake.requests()[0];
        let forbidden = match format {
            WireFormat::OpenAi | WireFormat::Xai | WireFormat::Azure | WireFormat::Responses => {
                seen.body["tool_choice"] == "none"
            }
            WireFormat::Anthropic | WireFormat::VertexClaude => {
                seen.body["tool_choice"]["type"] == "none"
            }
            WireFormat::Gemini | WireFormat::VertexGemini => {
                seen.body["toolConfig"]["functionCallingConfig"]["mode"] == "NONE"
            }
            WireFormat::Ollama | WireFormat::Bedrock => seen.tools.is_empty(),
        };
        assert!(forbidden, "{kind}: {}", seen.body);
    }
}

#[tokio::test]
async fn a_cut_answer_is_marked_and_odd_ones_are_made_storable() {
    for (kind, format) in PROVIDERS {
        let fake = FakeLlm::start(|_| {
            Behaviour::Answer(FakeAnswer {
                cut: true,
                ..FakeAnswer::text("half\u{0}way")
            })
        })
        .await
        .unwrap();
        let model = model(&fake, kind, format);
        let reply = model.chat(&question("Why?")).await.unwrap();
        assert_eq!(reply.stop_reason, StopReason::MaxTokens, "{kind}");
        assert_eq!(
            reply.text, "half\u{fffd}way",
            "{kind}: Postgres stores no NUL"
        );

        fake.queue([Behaviour::InvalidUtf8]);
        let reply = model.chat(&question("Why?")).await.unwrap();
        assert_eq!(reply.text, "be\u{fffd}fore", "{kind}");

        fake.queue([Behaviour::Answer(FakeAnswer {
            usage: None,
            ..FakeAnswer::text("uncounted")
        })]);
        assert_eq!(
            model.chat(&question("Why?")).await.unwrap().usage,
            None,
            "{kind}"
        );
    }
}

#[tokio::test]
async fn same_ids_of_parallel_calls_are_distinguished() {
    let fake = FakeLlm::start(|_| {
        let mut answer =
            FakeAnswer::tool_calls([("get_pods", json!({})), ("get_events", json!({}))]);
        for call in &mut answer.tool_calls {
            call.id = "same".into();
        }
        Behaviour::Answer(answer)
    })
    .await
    .unwrap();
    let mut request = question("Why?");
    request.tools = tools();
    let reply = model(&fake, ProviderKind::OpenAi, WireFormat::OpenAi)
        .chat(&request)
        .await
        .unwrap();
    let ids: Vec<_> = reply
        .tool_calls
        .iter()
        .map(|call| call.id.as_str())
        .collect();
    assert_eq!(ids, ["same", "call_1"]);
}
