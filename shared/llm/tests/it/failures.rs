//! Each class of failure in each wire format, and the data that failures expose.

use std::error::Error as _;
use std::time::Duration;

use tarsy_llm::{CallError, ErrorClass, ProviderKind, ProviderSettings, Secret};
use tarsy_testing::fake_llm::{Behaviour, FakeAnswer, FakeLlm, WireFormat};
use tokio::time::Instant;

use crate::{KEY, PROVIDERS, build, model, question, settings};

async fn error_of(behaviour: Behaviour, kind: ProviderKind, format: WireFormat) -> CallError {
    let fake = FakeLlm::start(move |_| behaviour.clone()).await.unwrap();
    let outcome = model(&fake, kind, format).chat(&question("Why?")).await;
    assert_eq!(fake.count(), 1, "{kind}: one call, no hidden retries");
    outcome.expect_err("a failure is never an answer")
}

#[tokio::test]
async fn statuses_and_broken_answers_have_their_class_everywhere() {
    let cases = [
        (Behaviour::rate_limited(7), ErrorClass::RateLimited),
        (
            Behaviour::fail(500, "Internal server error"),
            ErrorClass::ServerError,
        ),
        (
            Behaviour::fail(503, "The model is overloaded"),
            ErrorClass::Overloaded,
        ),
        (Behaviour::fail(529, "Overloaded"), ErrorClass::Overloaded),
        (Behaviour::fail(401, "bad credentials"), ErrorClass::Auth),
        (Behaviour::fail(403, "forbidden"), ErrorClass::Auth),
        (
            Behaviour::fail(404, "model not found"),
            ErrorClass::InvalidRequest,
        ),
        (
            Behaviour::fail(422, "unknown field"),
            ErrorClass::InvalidRequest,
        ),
        (Behaviour::fail(307, "moved"), ErrorClass::InvalidRequest),
        (Behaviour::Refuse, ErrorClass::Refused),
        (Behaviour::Empty, ErrorClass::Empty),
        (Behaviour::text("  \n"), ErrorClass::Empty),
        (Behaviour::Html, ErrorClass::Malformed),
        (
            Behaviour::Cut(FakeAnswer::text("x".repeat(5000))),
            ErrorClass::Malformed,
        ),
        (
            raw("{\"choices\": [{\"message\": {\"con"),
            ErrorClass::Malformed,
        ),
    ];
    for (kind, format) in PROVIDERS {
        for (behaviour, class) in &cases {
            let error = error_of(behaviour.clone(), kind, format).await;
            let shown: String = format!("{behaviour:?}").chars().take(60).collect();
            assert_eq!(error.class, *class, "{kind} {shown}: {error}");
            assert!(!error.message.is_empty(), "{kind} {shown}");
            if *class == ErrorClass::RateLimited {
                assert_eq!(error.retry_after, Some(Duration::from_secs(7)), "{kind}");
            }
        }
    }
}

fn raw(body: &str) -> Behaviour {
    Behaviour::Raw {
        status: 200,
        content_type: "application/json".into(),
        body: body.into(),
        headers: Vec::new(),
    }
}

#[tokio::test]
async fn an_answer_beyond_all_measure_is_refused() {
    let huge = Behaviour::Huge { bytes: 9 << 20 };
    let error = error_of(huge, ProviderKind::Gemini, WireFormat::Gemini).await;
    assert_eq!(error.class, ErrorClass::Malformed);
    assert_eq!(error.message, "the response is larger than 8388608 bytes");
}

#[tokio::test]
async fn a_redirect_is_not_followed_with_the_key() {
    for (kind, format) in PROVIDERS {
        let elsewhere = FakeLlm::answering("stolen").await.unwrap();
        let error = error_of(
            Behaviour::Fail {
                status: 307,
                code: None,
                message: "moved".into(),
                headers: vec![("location".into(), elsewhere.base_url(format))],
            },
            kind,
            format,
        )
        .await;
        assert_eq!(error.class, ErrorClass::InvalidRequest, "{kind}");
        assert_eq!(elsewhere.count(), 0, "{kind}");
    }
}

#[tokio::test]
async fn silence_and_dripping_end_at_the_timeout_or_the_callers_deadline() {
    let drip = Behaviour::Drip {
        answer: FakeAnswer::text("slow"),
        every_ms: 50,
    };
    for (kind, format) in PROVIDERS {
        for behaviour in [Behaviour::Hang, drip.clone()] {
            let fake = FakeLlm::start(move |_| behaviour.clone()).await.unwrap();
            let mut settings = settings(kind, fake.base_url(format));
            settings.timeout = Duration::from_millis(150);
            let error = build(settings).chat(&question("Why?")).await.unwrap_err();
            assert_eq!(error.class, ErrorClass::Timeout, "{kind}: {error}");

            let mut request = question("Why?");
            request.deadline = Some(Instant::now() + Duration::from_millis(100));
            let error = model(&fake, kind, format).chat(&request).await.unwrap_err();
            assert_eq!(error.class, ErrorClass::Timeout, "{kind}: {error}");
        }
    }
}

#[tokio::test]
async fn no_server_is_a_connection_error() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    for (kind, _) in PROVIDERS {
        let model = build(settings(kind, format!("http://{address}/v1")));
        let error = model.chat(&question("Why?")).await.unwrap_err();
        assert_eq!(error.class, ErrorClass::Connection, "{kind}: {error}");
        assert!(error.source().is_some(), "{kind}: the cause is kept");
    }
}

#[tokio::test]
async fn a_provider_without_a_key_is_not_called() {
    for (kind, _) in PROVIDERS {
        let settings = ProviderSettings::new("p", kind, "model-1");
        let model = build(settings);
        assert_eq!(
            model.is_configured(),
            kind == ProviderKind::Ollama,
            "{kind}"
        );
        if !model.is_configured() {
            let error = model.chat(&question("Why?")).await.unwrap_err();
            assert_eq!(error.class, ErrorClass::NotConfigured, "{kind}");
        }
    }
}

#[tokio::test]
async fn no_error_and_no_debug_output_gives_a_key_away() {
    let echo = format!(
        "Incorrect API key provided: {KEY}.\nGateway {}",
        "gw-canary-42"
    );
    let behaviours = [
        Behaviour::fail(401, echo.clone()),
        Behaviour::fail(500, echo.clone()),
        raw(&format!("{{\"error\": {{\"message\": \"{KEY}\"}}}}")),
        raw(&format!("{{\"{KEY}\": 1}}")),
        Behaviour::Html,
        Behaviour::Empty,
        Behaviour::Cut(FakeAnswer::text("x".repeat(5000))),
    ];
    for (kind, format) in PROVIDERS {
        for behaviour in behaviours.clone() {
            let fake = FakeLlm::start(move |_| behaviour.clone()).await.unwrap();
            let mut settings = settings(kind, fake.base_url(format));
            settings.extra_headers = vec![("x-gateway".into(), Secret::new("gw-canary-42"))];
            let mut shown = format!("{settings:?}");
            let model = build(settings);
            let error = model.chat(&question("Why?")).await.unwrap_err();
            shown += &format!("{model:?} {error} {error:?}");
            assert!(!shown.contains("canary"), "{kind}: {shown}");
            assert!(
                error.message.lines().count() <= 1,
                "{kind}: {}",
                error.message
            );
        }
    }
}
