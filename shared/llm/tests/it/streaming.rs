//! Streamed answers: the replies are the same as without streaming, and pieces arrive meanwhile.

use std::sync::{Arc, Mutex};

use serde_json::json;
use tarsy_llm::{
    AnswerObserver, AnswerPart, AnswerStream, CallError, ChatModel, ChatReply, ChatRequest,
    ErrorClass, ModelWithFallbacks, ProviderKind, RetryPolicy,
};
use tarsy_testing::fake_llm::{Behaviour, FakeAnswer, FakeLlm, WireFormat};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::{PROVIDERS, build, model, question, settings};

/// The observed events: `None` for an attempt, or a piece.
#[derive(Default)]
struct Observed(Mutex<Vec<Option<(AnswerPart, String)>>>);

impl AnswerObserver for Observed {
    fn attempt(&self) {
        self.0.lock().unwrap().push(None);
    }

    fn piece(&self, part: AnswerPart, text: &str) {
        self.0.lock().unwrap().push(Some((part, text.to_owned())));
    }
}

impl Observed {
    fn pieces(&self, of: AnswerPart) -> Vec<String> {
        let all = self.0.lock().unwrap();
        let pieces = all.iter().flatten();
        pieces
            .filter(|(part, _)| *part == of)
            .map(|(_, text)| text.clone())
            .collect()
    }
}

fn observed() -> (Arc<Observed>, ChatRequest) {
    let observed = Arc::new(Observed::default());
    let mut request = question("Why?");
    request.stream = AnswerStream::to(Arc::clone(&observed) as _);
    (observed, request)
}

fn stream(answer: FakeAnswer, cut_after: Option<usize>) -> Behaviour {
    Behaviour::Stream {
        answer,
        size: 3,
        every_ms: 0,
        cut_after,
    }
}

async fn chat_streamed(
    model: &dyn ChatModel,
    behaviour: Behaviour,
    fake: &FakeLlm,
) -> (Arc<Observed>, Result<ChatReply, CallError>) {
    let (observed, request) = observed();
    fake.queue([behaviour]);
    let reply = model.chat(&request).await;
    (observed, reply)
}

/// Returns a reply without the tool call ids that this side generated.
fn unnamed(kind: ProviderKind, mut reply: ChatReply) -> ChatReply {
    if kind == ProviderKind::Ollama {
        reply.tool_calls.iter_mut().for_each(|call| call.id.clear());
    }
    reply
}

#[tokio::test]
async fn a_streamed_reply_is_the_one_that_is_sent_at_once() {
    let calls = [
        (
            "pods_list",
            json!({"namespace": "größe", "labels": ["a", "b"]}),
        ),
        ("pods_log", json!({"name": "cart-7c9f"})),
    ];
    let answers = [
        FakeAnswer::text("The pod was killed: Grüße 🙂 \"quoted\"\nand a second line."),
        FakeAnswer {
            thinking: "First I look at the pods.".into(),
            usage: Some((100, 20)),
            cached_tokens: 40,
            reasoning_tokens: 7,
            ..FakeAnswer::text("It is out of memory.")
        },
        FakeAnswer {
            text: "I look.".into(),
            thinking: "The pods come first.".into(),
            signature: Some("sealed".into()),
            ..FakeAnswer::tool_calls(calls)
        },
        FakeAnswer {
            usage: None,
            cut: true,
            ..FakeAnswer::text("Cut at the lim")
        },
    ];
    for (kind, format) in PROVIDERS {
        let fake = FakeLlm::answering("unused").await.unwrap();
        let model = model(&fake, kind, format);
        for answer in &answers {
            fake.queue([Behaviour::Answer(answer.clone())]);
            let whole = model.chat(&question("Why?")).await.unwrap();
            let (observed, streamed) =
                chat_streamed(&*model, stream(answer.clone(), None), &fake).await;
            assert_eq!(
                unnamed(kind, streamed.unwrap()),
                unnamed(kind, whole),
                "{kind:?}"
            );
            let text = observed.pieces(AnswerPart::Text);
            assert_eq!(text.concat(), answer.text, "{kind:?}");
            assert!(text.len() > 1, "{kind:?}: {text:?}");
            assert_eq!(
                observed.pieces(AnswerPart::Thinking).concat(),
                answer.thinking,
                "{kind:?}"
            );
        }
        let is_streamed = [0, 1].map(|at| {
            let seen = fake.requests().swap_remove(at);
            let ways = [":streamGenerateContent", "/converse-stream"];
            seen.body["stream"] == json!(true) || ways.iter().any(|way| seen.path.contains(way))
        });
        assert_eq!(is_streamed, [false, true], "{kind:?}");
    }
}

#[tokio::test]
async fn a_stream_that_breaks_is_no_answer_and_the_next_attempt_begins_anew() {
    for (kind, format) in PROVIDERS {
        let fake = FakeLlm::answering("unused").await.unwrap();
        let policy = RetryPolicy::default();
        let model = ModelWithFallbacks::new(model(&fake, kind, format), Vec::new(), policy);
        let (observed, request) = observed();
        fake.queue([
            stream(FakeAnswer::text("The first attempt breaks."), Some(4)),
            stream(FakeAnswer::text("The second is whole."), None),
        ]);
        let answer = model.ask(&request).await.unwrap();
        assert_eq!(answer.reply.text, "The second is whole.", "{kind:?}");
        let all = observed.0.lock().unwrap();
        let last = all.iter().rposition(Option::is_none).unwrap();
        assert!(last > 1, "pieces of the first came: {all:?}");
        let rest = all[last + 1..]
            .iter()
            .flatten()
            .map(|(_, text)| text.as_str());
        assert_eq!(rest.collect::<String>(), "The second is whole.", "{kind:?}");
    }
}

#[tokio::test]
async fn a_stream_that_ends_early_without_an_error_is_malformed() {
    let bodies = [
        (
            ProviderKind::OpenAi,
            WireFormat::OpenAi,
            "text/event-stream",
            "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Half\"}}]}\n\n",
        ),
        (
            ProviderKind::Anthropic,
            WireFormat::Anthropic,
            "text/event-stream",
            "data: {\"type\":\"message_start\",\"message\":{\"content\":[]}}\n\n",
        ),
        (
            ProviderKind::Gemini,
            WireFormat::Gemini,
            "text/event-stream",
            "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"Half\"}]}}]}\n\n",
        ),
        (
            ProviderKind::Ollama,
            WireFormat::Ollama,
            "application/x-ndjson",
            "{\"message\":{\"content\":\"Half\"},\"done\":false}\n",
        ),
    ];
    for (kind, format, content_type, body) in bodies {
        let fake = FakeLlm::answering("unused").await.unwrap();
        let raw = Behaviour::Raw {
            status: 200,
            content_type: content_type.into(),
            body: body.into(),
            headers: Vec::new(),
        };
        let (_, reply) = chat_streamed(&*model(&fake, kind, format), raw, &fake).await;
        assert_eq!(reply.unwrap_err().class, ErrorClass::Malformed, "{kind:?}");
    }
}

#[tokio::test]
async fn an_error_during_a_stream_has_its_class() {
    let fake = FakeLlm::answering("unused").await.unwrap();
    let model = model(&fake, ProviderKind::Anthropic, WireFormat::Anthropic);
    let raw = Behaviour::Raw {
        status: 200,
        content_type: "text/event-stream; charset=utf-8".into(),
        body: "event: message_start\r\ndata: {\"type\":\"message_start\",\"message\":{}}\r\n\r\nevent: error\r\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\r\n\r\n".into(),
        headers: Vec::new(),
    };
    let (_, reply) = chat_streamed(&*model, raw, &fake).await;
    assert_eq!(reply.unwrap_err().class, ErrorClass::Overloaded);
}

#[tokio::test]
async fn a_provider_that_refuses_streams_is_asked_for_the_whole_from_then_on() {
    let fake = FakeLlm::answering("whole").await.unwrap();
    let model = model(&fake, ProviderKind::OpenAi, WireFormat::OpenAi);
    let refusal = Behaviour::fail(
        400,
        "Your organization must be verified to stream this model.",
    );
    let (observed, reply) = chat_streamed(&*model, refusal, &fake).await;
    assert_eq!(reply.unwrap().text, "whole");
    assert!(observed.pieces(AnswerPart::Text).is_empty());
    assert_eq!(fake.count(), 2);
    let (_, request) = self::observed();
    assert_eq!(model.chat(&request).await.unwrap().text, "whole");
    let streams: Vec<_> = fake
        .requests()
        .iter()
        .map(|seen| seen.body["stream"] == json!(true))
        .collect();
    assert_eq!(streams, [true, false, false]);
}

#[tokio::test]
async fn a_server_that_knows_no_streams_is_understood() {
    for (kind, format) in PROVIDERS {
        let fake = FakeLlm::answering("whole").await.unwrap();
        let (_, request) = observed();
        let reply = model(&fake, kind, format).chat(&request).await.unwrap();
        assert_eq!(
            (reply.text.as_str(), fake.count()),
            ("whole", 1),
            "{kind:?}"
        );
    }
}

#[tokio::test]
async fn an_endless_stream_is_refused() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let event = |text: &str| {
        format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{text}\"}}}}]}}\n\n")
    };
    let (whole, all) = ("8388608 bytes", "67108864 bytes");
    // Events as large as an envelope may be: they count as no content.
    let padding = format!("{{\"pad\":\"{}\",\"index\"", "x".repeat(300));
    let envelopes = event("x").replace("{\"index\"", &padding).repeat(100);
    let pieces = [
        (envelopes, all),
        (event(&"x".repeat(60_000)), whole),
        ("x".repeat(64 * 1024), whole),
    ];
    let sent = pieces.clone();
    tokio::spawn(async move {
        for (piece, _) in sent {
            let (mut socket, _) = listener.accept().await.unwrap();
            let mut request = vec![0; 16 * 1024];
            let _ = socket.read(&mut request).await;
            let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";
            let _ = socket.write_all(head.as_bytes()).await;
            while socket.write_all(piece.as_bytes()).await.is_ok() {}
        }
    });
    let model = build(settings(ProviderKind::OpenAi, url));
    for (_, limit) in pieces {
        let (_, request) = observed();
        let error = model.chat(&request).await.unwrap_err();
        assert_eq!(error.class, ErrorClass::Malformed);
        assert!(error.message.contains(limit), "{error}");
    }
}
