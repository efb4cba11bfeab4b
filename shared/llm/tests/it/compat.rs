//! Answers and requests of peers that deviate from the format (`docs/COMPATIBILITY.md`), over the wire.

use std::sync::Arc;

use serde_json::{Value, json};
use tarsy_llm::{
    AnswerObserver, AnswerPart, AnswerStream, CallError, ChatMessage, ChatReply, ChatRequest,
    ErrorClass, ProviderKind, ReasoningEffort, ToolSpec,
};
use tarsy_testing::fake_llm::{Behaviour, FakeAnswer, FakeLlm, WireFormat};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use crate::{PROVIDERS, build, model, question, settings};

struct DiscardingObserver;

impl AnswerObserver for DiscardingObserver {
    fn attempt(&self) {}
    fn piece(&self, _: AnswerPart, _: &str) {}
}

fn raw(status: u16, content_type: &str, body: impl Into<String>) -> Behaviour {
    Behaviour::Raw {
        status,
        content_type: content_type.into(),
        body: body.into(),
        headers: Vec::new(),
    }
}

fn json_body(body: &Value) -> Behaviour {
    raw(200, "application/json", body.to_string())
}

fn offering(schema: Value) -> ChatRequest {
    ChatRequest {
        tools: vec![ToolSpec {
            name: "3scale__pods".into(),
            description: "ä".repeat(1_500),
            schema,
        }],
        ..question("Why?")
    }
}

/// Asks an OpenAI-compatible server that behaves in this way.
async fn answered(behaviour: Behaviour, request: &ChatRequest) -> Result<ChatReply, CallError> {
    let fake = FakeLlm::answering("unused").await.unwrap();
    fake.queue([behaviour]);
    model(&fake, ProviderKind::OpenAi, WireFormat::OpenAi)
        .chat(request)
        .await
}

fn message(message: &Value, finish: &str) -> Behaviour {
    json_body(
        &json!({"choices": [{"index": 0, "message": message, "finish_reason": finish}], "model": "m"}),
    )
}

fn streamed(deltas: &[Value]) -> Behaviour {
    let mut body = String::new();
    for delta in deltas {
        body += &format!(
            "data: {}\n\n",
            json!({"choices": [{"index": 0, "delta": delta}]})
        );
    }
    body += "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n\n";
    raw(200, "text/event-stream", body)
}

fn called(reply: &ChatReply) -> Vec<(&str, &Value)> {
    let calls = reply.tool_calls.iter();
    calls
        .map(|call| (call.name.as_str(), &call.arguments))
        .collect()
}

#[tokio::test]
async fn odd_calls_are_read_at_once_and_in_pieces() {
    let mut watched = question("Why?");
    watched.stream = AnswerStream::to(Arc::new(DiscardingObserver));
    let (none, shop) = (json!({}), json!({"ns": "shop"}));
    for (call, meant) in [
        (
            json!({"index": 0, "id": "a", "type": "function", "function": {"name": "pods", "arguments": ""}}),
            &none,
        ),
        (
            json!({"index": 0, "id": "a", "type": "function", "function": {"name": "pods", "arguments": null}}),
            &none,
        ),
        (
            json!({"index": 0, "id": "a", "type": "function", "function": {"name": "pods", "arguments": {"ns": "shop"}}}),
            &shop,
        ),
        (
            json!({"index": 0, "type": "function", "function": {"name": "pods", "arguments": "{\"ns\": \"shop\"}"}}),
            &shop,
        ),
        (
            json!({"index": 0, "id": "a", "function": {"name": "pods", "arguments": "{\"ns\": \"shop\"}"}}),
            &shop,
        ),
        (
            json!({"id": "", "type": "", "function": {"name": "pods", "arguments": "{\"ns\": \"shop\"}"}}),
            &shop,
        ),
    ] {
        for (way, behaviour, request) in [
            (
                "whole",
                message(
                    &json!({"content": null, "tool_calls": [call]}),
                    "tool_calls",
                ),
                &question("Why?"),
            ),
            (
                "streamed",
                streamed(&[json!({"tool_calls": [call]})]),
                &watched,
            ),
        ] {
            let reply = answered(behaviour, request).await.unwrap();
            assert_eq!(called(&reply), [("pods", meant)], "{way}: {call}");
            assert!(!reply.tool_calls[0].id.is_empty(), "{way}: {call}");
        }
    }
    // Two calls that share an index, each in two pieces.
    let piece = |id: &str, name: &str, arguments: &str| json!({"tool_calls": [{"index": 0, "id": id, "type": "function", "function": {"name": name, "arguments": arguments}}]});
    let more = |arguments: &str| json!({"tool_calls": [{"index": 0, "function": {"arguments": arguments}}]});
    let both = [
        piece("a", "pods", "{\"ns\":"),
        more("\"shop\"}"),
        piece("b", "events", "{\"ns\":"),
        more("\"shop\"}"),
    ];
    let reply = answered(streamed(&both), &watched).await.unwrap();
    assert_eq!(called(&reply), [("pods", &shop), ("events", &shop)]);
    // Truncated JSON stays text, which no tool accepts. A call without a name is a call of no tool.
    let cut = json!({"id": "a", "type": "function", "function": {"name": "", "arguments": "{\"ns\": \"sh"}});
    let reply = answered(
        message(&json!({"content": null, "tool_calls": [cut]}), "tool_calls"),
        &watched,
    )
    .await
    .unwrap();
    assert_eq!(called(&reply), [("unnamed", &json!("{\"ns\": \"sh"))]);
}

#[tokio::test]
async fn reasoning_is_no_answer_unless_there_is_no_other() {
    let lone = json!({"content": "I look first.\n</think>\n\nIt is full."});
    let reply = answered(message(&lone, "stop"), &question("Why?"))
        .await
        .unwrap();
    assert_eq!(
        (reply.text.as_str(), reply.thinking.as_deref()),
        ("It is full.", Some("I look first."))
    );

    let alone = json!({"content": "", "reasoning_content": "The disk is full."});
    let reply = answered(message(&alone, "stop"), &question("Why?"))
        .await
        .unwrap();
    assert_eq!(reply.text, "The disk is full.");
    // If the model may call tools, reasoning without text is not a conclusion.
    let offered = offering(json!({"type": "object"}));
    let refused = answered(message(&alone, "stop"), &offered)
        .await
        .unwrap_err();
    assert_eq!(refused.class, ErrorClass::Empty);
}

#[tokio::test]
async fn reasoning_is_returned_to_its_sender_with_calls() {
    let call =
        json!({"id": "a", "type": "function", "function": {"name": "pods", "arguments": "{}"}});
    for (member, is_returned) in [("reasoning_content", true), ("reasoning", false)] {
        let fake = FakeLlm::answering("done").await.unwrap();
        fake.queue([message(
            &json!({"content": "\n\n", member: "I look.", "tool_calls": [call]}),
            "tool_calls",
        )]);
        let model = model(&fake, ProviderKind::OpenAi, WireFormat::OpenAi);
        let mut request = question("Why?");
        let reply = model.chat(&request).await.unwrap();
        // The message after it was recorded and read again.
        let kept = serde_json::to_value(reply.to_message()).unwrap();
        request.messages.push(serde_json::from_value(kept).unwrap());
        request.messages.push(ChatMessage::tool("a", "none"));
        model.chat(&request).await.unwrap();
        let sent = &fake.requests()[1].body["messages"][2];
        assert_eq!(
            sent.get("reasoning_content") == Some(&json!("I look.")),
            is_returned,
            "{sent}"
        );
    }
}

#[tokio::test]
async fn white_space_next_to_a_call_is_not_sent_back() {
    let fake = FakeLlm::answering("done").await.unwrap();
    let model = model(&fake, ProviderKind::Anthropic, WireFormat::Anthropic);
    let mut request = question("Why?");
    let call = tarsy_llm::NativeToolCall {
        id: "a".into(),
        name: "pods".into(),
        arguments: json!({}),
        signature: None,
    };
    request.messages.push(ChatMessage {
        tool_calls: vec![call],
        ..ChatMessage::assistant("\n\n")
    });
    request.messages.push(ChatMessage::tool("a", "none"));
    model.chat(&request).await.unwrap();
    let body = fake.requests()[0].body.to_string();
    assert!(!body.contains(r#""text":"\n\n""#), "{body}");
}

#[tokio::test]
async fn names_of_models_are_sent_as_written() {
    for (kind, format) in PROVIDERS {
        for name in ["qwen3-max", "mistral-medium", "x::y-low", "plain"] {
            let fake = FakeLlm::answering("done").await.unwrap();
            let mut settings = settings(kind, fake.base_url(format));
            settings.model = name.to_owned();
            build(settings).chat(&question("Why?")).await.unwrap();
            let seen = &fake.requests()[0];
            assert_eq!(seen.model, name, "{kind:?}");
            assert!(
                !seen.body.to_string().contains("effort"),
                "{kind:?}: {}",
                seen.body
            );
        }
    }
    let fake = FakeLlm::answering("done").await.unwrap();
    let mut settings = settings(ProviderKind::OpenAi, fake.base_url(WireFormat::OpenAi));
    settings.model = "grok-high".to_owned();
    settings.reasoning_effort = Some(ReasoningEffort::Low);
    build(settings).chat(&question("Why?")).await.unwrap();
    let seen = &fake.requests()[0];
    assert_eq!(
        (seen.model.as_str(), &seen.body["reasoning_effort"]),
        ("grok-high", &json!("low"))
    );
}

#[tokio::test]
async fn tools_are_offered_as_the_vendor_takes_them() {
    let fake = FakeLlm::answering("done").await.unwrap();
    let mut request = offering(json!({}));
    request.tools = (0..130)
        .map(|n| ToolSpec {
            name: format!("t{n}"),
            ..request.tools[0].clone()
        })
        .collect();
    model(&fake, ProviderKind::OpenAi, WireFormat::OpenAi)
        .chat(&request)
        .await
        .unwrap();
    let seen = &fake.requests()[0];
    assert_eq!(seen.tools.len(), 128);
    let function = &seen.body["tools"][0]["function"];
    assert_eq!(
        function["description"].as_str().unwrap().chars().count(),
        1_024
    );
    assert_eq!(
        function["parameters"],
        json!({"type": "object", "properties": {}})
    );
}

#[tokio::test]
async fn a_name_that_begins_with_a_digit_is_translated_for_gemini_and_back() {
    let fake = FakeLlm::answering("done").await.unwrap();
    let parts = json!([{"functionCall": {"name": "_3scale__pods", "args": null}}]);
    fake.queue([json_body(
        &json!({"candidates": [{"content": {"parts": parts}, "finishReason": "STOP"}]}),
    )]);
    let model = model(&fake, ProviderKind::Gemini, WireFormat::Gemini);
    let mut request = offering(json!({"type": "object"}));
    let reply = model.chat(&request).await.unwrap();
    assert_eq!(called(&reply), [("3scale__pods", &json!({}))]);
    request.messages.push(reply.to_message());
    request
        .messages
        .push(ChatMessage::tool(reply.tool_calls[0].id.clone(), "none"));
    model.chat(&request).await.unwrap();
    let body = fake.requests()[1].body.to_string();
    assert!(!body.contains("\"3scale"), "{body}");
}

#[tokio::test]
async fn a_model_that_shows_no_thoughts_is_asked_for_none() {
    let fake = FakeLlm::answering("done").await.unwrap();
    let refusal = json!({"error": {"code": 400, "status": "INVALID_ARGUMENT", "message": "Unable to submit request because thinking is not supported by this model"}});
    fake.queue([raw(400, "application/json", refusal.to_string())]);
    let model = model(&fake, ProviderKind::Gemini, WireFormat::Gemini);
    for _ in 0..2 {
        model.chat(&question("Why?")).await.unwrap();
    }
    let wants_thoughts: Vec<bool> = fake
        .requests()
        .iter()
        .map(|seen| seen.body.to_string().contains("thinkingConfig"))
        .collect();
    assert_eq!(wants_thoughts, [true, false, false]);
}

#[tokio::test]
async fn errors_are_what_they_mean() {
    use ErrorClass::{ContextLength, InvalidRequest, Overloaded, RateLimited, ServerError};
    for (status, code, text, class) in [
        (
            400,
            json!("string_above_max_length"),
            "Invalid 'tools[0].function.description': string too long. Expected a string with maximum length 1024",
            InvalidRequest,
        ),
        (
            400,
            json!(null),
            "The decoder prompt (length 40000) is longer than the maximum model length of 32768.",
            ContextLength,
        ),
        (
            400,
            json!(null),
            "The input (40000 tokens) is longer than the model's context length (32768 tokens).",
            ContextLength,
        ),
        (
            400,
            json!(null),
            "Your request exceeded model token limit: 8192",
            ContextLength,
        ),
        (
            400,
            json!(null),
            "Range of input length should be [1, 30720]",
            ContextLength,
        ),
        (
            400,
            json!(null),
            "The number of tokens to keep from the initial prompt is greater than the context length",
            ContextLength,
        ),
        (
            422,
            json!(null),
            "your prompt exceeds what this server can take",
            ContextLength,
        ),
        (
            400,
            json!(null),
            "max_tokens is too large: 9999. This model takes at most 4096; the input is fine",
            InvalidRequest,
        ),
        (
            200,
            json!("server_error"),
            "The server had an error",
            ServerError,
        ),
        (200, json!("429"), "slow down", RateLimited),
        (200, json!(503), "busy", Overloaded),
    ] {
        let body = json!({"error": {"message": text, "code": code}});
        let refused = answered(
            raw(status, "application/json", body.to_string()),
            &question("Why?"),
        )
        .await
        .unwrap_err();
        assert_eq!(refused.class, class, "{text}");
    }
}

#[tokio::test]
async fn an_answer_that_stalls_is_given_up() {
    let fake = FakeLlm::answering("unused").await.unwrap();
    fake.queue([Behaviour::Hang]);
    let mut settings = settings(ProviderKind::OpenAi, fake.base_url(WireFormat::OpenAi));
    settings.stall_timeout = Some(std::time::Duration::from_millis(50));
    let mut request = question("Why?");
    request.stream = AnswerStream::to(Arc::new(DiscardingObserver));
    let stalled = build(settings).chat(&request).await.unwrap_err();
    assert_eq!(stalled.class, ErrorClass::Timeout);
    assert!(stalled.message.contains("stalled"), "{}", stalled.message);
}

#[tokio::test]
async fn an_answer_that_does_not_begin_is_given_up_and_one_that_did_is_waited_for() {
    let fake = FakeLlm::answering("unused").await.unwrap();
    let limit = std::time::Duration::from_millis(200);
    let impatient = |base_url: String| {
        let mut settings = settings(ProviderKind::OpenAi, base_url);
        settings.first_token_timeout = Some(limit);
        build(settings)
    };
    let mut request = question("Why?");
    request.stream = AnswerStream::to(Arc::new(DiscardingObserver));
    // Headers, a comment and an empty piece are not part of an answer.
    let silent = ": waiting\n\ndata: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}\n\n";
    fake.queue([Behaviour::Hang]);
    for model in [
        impatient(fake.base_url(WireFormat::OpenAi)),
        impatient(unfinished(silent).await),
    ] {
        let error = model.chat(&request).await.unwrap_err();
        assert_eq!(error.class, ErrorClass::Timeout);
        assert!(error.message.contains("did not begin"), "{}", error.message);
    }
    fake.queue([Behaviour::Stream {
        answer: FakeAnswer::text("It is the disk."),
        size: 1,
        every_ms: 30,
        cut_after: None,
    }]);
    let model = impatient(fake.base_url(WireFormat::OpenAi));
    assert_eq!(model.chat(&request).await.unwrap().text, "It is the disk.");
}

/// A server that begins a stream with these events and never ends it.
async fn unfinished(events: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        let (mut socket, _) = listener.accept().await.unwrap();
        let mut buffer = [0; 4096];
        assert!(socket.read(&mut buffer).await.unwrap() > 0);
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";
        socket.write_all(head.as_bytes()).await.unwrap();
        socket.write_all(events.as_bytes()).await.unwrap();
        while socket.read(&mut buffer).await.is_ok_and(|read| read > 0) {}
    });
    format!("http://{address}/v1")
}

#[tokio::test]
async fn repairs_are_counted_by_provider() {
    let call = json!({"index": 0, "function": {"name": "pods", "arguments": null}});
    let odd = message(
        &json!({"content": "</think>", "tool_calls": [call]}),
        "tool_calls",
    );
    let fake = FakeLlm::answering("unused").await.unwrap();
    fake.queue([odd]);
    let mut settings = settings(ProviderKind::OpenAi, fake.base_url(WireFormat::OpenAi));
    settings.name = "a-little-off".into();
    build(settings).chat(&question("Why?")).await.unwrap();
    let scraped = tarsy_metrics::scrape(tarsy_metrics::ProcessState::default(), None).unwrap();
    let line = "tarsy_llm_repairs_total{provider=\"a-little-off\",repair=\"tool_call\"} 1";
    assert!(
        scraped.text.lines().any(|one| one == line),
        "{}",
        scraped.text
    );
}
