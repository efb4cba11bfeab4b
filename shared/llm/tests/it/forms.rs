//! Schemas and stop sequences in the form in which each provider gets them.

use serde_json::{Value, json};
use tarsy_llm::{ChatRequest, ErrorClass, ProviderKind, Providers, RetryPolicy, Verdict};
use tarsy_testing::fake_llm::{Behaviour, FakeLlm, WireFormat};

use crate::{PROVIDERS, model, question, settings};

fn schema() -> Value {
    let thought = json!({"type": "string"});
    json!({"type": "object", "properties": {"thought": thought, "next": thought}, "required": ["thought", "next"], "additionalProperties": false})
}

fn with_schema() -> ChatRequest {
    ChatRequest {
        response_schema: Some(schema()),
        ..question("Why?")
    }
}

/// Where a kind's request holds the schema; `None`: the kind does not accept one.
fn place(kind: ProviderKind) -> Option<&'static str> {
    match kind {
        ProviderKind::OpenAi | ProviderKind::Xai | ProviderKind::AzureOpenAi => {
            Some("/response_format/json_schema/schema")
        }
        ProviderKind::OpenAiResponses => Some("/text/format/schema"),
        ProviderKind::Gemini | ProviderKind::Vertex => Some("/generationConfig/responseJsonSchema"),
        ProviderKind::Ollama => Some("/format"),
        _ => None,
    }
}

#[tokio::test]
async fn a_schema_is_sent_as_it_is_where_the_provider_takes_one() {
    for (kind, format) in PROVIDERS {
        let fake = FakeLlm::answering("{}").await.unwrap();
        let model = model(&fake, kind, format);
        assert_eq!(model.enforces_schemas(), place(kind).is_some(), "{kind:?}");
        let Some(place) = place(kind) else { continue };
        model.chat(&question("Why?")).await.unwrap();
        model.chat(&with_schema()).await.unwrap();
        let seen = fake.requests();
        assert_eq!(seen[0].body.pointer(place), None, "{kind:?}");
        let sent = seen[1].body.pointer(place).unwrap();
        // Every byte counts: a grammar follows the order of the members.
        assert_eq!(sent.to_string(), schema().to_string(), "{kind:?}");
    }
}

fn stop_of(body: &Value) -> Option<&Value> {
    let places = [
        "/stop",
        "/stop_sequences",
        "/generationConfig/stopSequences",
        "/options/stop",
        "/inferenceConfig/stopSequences",
    ];
    places.iter().find_map(|place| body.pointer(place))
}

#[tokio::test]
async fn a_stop_sequence_is_sent_where_the_api_has_one() {
    for (kind, format) in PROVIDERS {
        let fake = FakeLlm::answering("ok").await.unwrap();
        let request = ChatRequest {
            stop_sequences: vec!["\nObservation:".into()],
            ..question("Why?")
        };
        model(&fake, kind, format).chat(&request).await.unwrap();
        let seen = fake.requests();
        let has_none = kind == ProviderKind::OpenAiResponses;
        let expected = json!(["\nObservation:"]);
        assert_eq!(
            stop_of(&seen[0].body),
            (!has_none).then_some(&expected),
            "{kind:?}"
        );
    }
}

#[tokio::test]
async fn a_model_that_refuses_stop_sequences_is_asked_without_from_then_on() {
    let fake = FakeLlm::answering("ok").await.unwrap();
    fake.queue([Behaviour::fail(
        400,
        "Unsupported parameter: 'stop' is not supported with this model.",
    )]);
    let model = model(&fake, ProviderKind::OpenAi, WireFormat::OpenAi);
    let request = ChatRequest {
        stop_sequences: vec!["\nObservation:".into()],
        ..question("Why?")
    };
    for _ in 0..2 {
        assert_eq!(model.chat(&request).await.unwrap().text, "ok");
    }
    let stops: Vec<bool> = fake
        .requests()
        .iter()
        .map(|seen| stop_of(&seen.body).is_some())
        .collect();
    assert_eq!(stops, [true, false, false]);
}

/// The agent asks again in another form. A fallback would add a refused call to each question.
#[tokio::test]
async fn a_refused_schema_is_not_left_to_a_fallback() {
    let (first, second) = (
        FakeLlm::answering("from first").await.unwrap(),
        FakeLlm::answering("from second").await.unwrap(),
    );
    let refusal = || Behaviour::fail(400, "Invalid schema for response_format 'step'");
    first.queue([refusal(), refusal()]);
    let mut fallback = settings(ProviderKind::OpenAi, second.base_url(WireFormat::OpenAi));
    fallback.name = "second".into();
    let providers = Providers::build([
        settings(ProviderKind::OpenAi, first.base_url(WireFormat::OpenAi)),
        fallback,
    ])
    .unwrap();
    let models = providers
        .with_fallbacks("openai", &["second".to_owned()], RetryPolicy::default())
        .unwrap();
    let refused = models.ask(&with_schema()).await.unwrap_err();
    assert_eq!(
        (refused.error.class, refused.verdict),
        (ErrorClass::InvalidRequest, Verdict::Fail)
    );
    let answer = models.ask(&question("Why?")).await.unwrap();
    assert_eq!(answer.reply.text, "from second");
}
