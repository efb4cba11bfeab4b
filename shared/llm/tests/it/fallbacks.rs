//! Retries, fallbacks and snoozing over real HTTP; waits pass without waiting.

use std::time::Duration;

use serde_json::json;
use tarsy_llm::{
    AttemptRecord, ErrorClass, ModelOptions, ModelWithFallbacks, Price, ProviderKind, Providers,
    ReasoningEffort, RetryPolicy, Verdict,
};
use tarsy_testing::fake_llm::{Behaviour, FakeLlm, WireFormat};

use crate::{question, settings};

struct Fleet {
    gemini: FakeLlm,
    openai: FakeLlm,
    models: ModelWithFallbacks,
}

/// Gemini, with OpenAI as its fallback. The waits are short to keep the tests fast.
async fn fleet() -> Fleet {
    let gemini = FakeLlm::answering("from gemini").await.unwrap();
    let openai = FakeLlm::answering("from openai").await.unwrap();
    let mut second = settings(ProviderKind::OpenAi, openai.base_url(WireFormat::OpenAi));
    second.price = Some(Price {
        input_per_million: 10.0,
        output_per_million: 50.0,
        cached_input_per_million: None,
        cache_write_per_million: None,
        up_to_input_tokens: None,
        as_of: None,
    });
    let providers = Providers::build([
        settings(ProviderKind::Gemini, gemini.base_url(WireFormat::Gemini)),
        second,
    ])
    .unwrap();
    let policy = RetryPolicy {
        max_wait: Duration::from_millis(40),
        base_wait: Duration::from_millis(4),
        max_attempts: 3,
        default_snooze: Duration::from_secs(30),
    };
    let fallbacks = ["openai".to_owned(), "gemini".to_owned()];
    let models = providers
        .with_fallbacks("gemini", &fallbacks, policy)
        .unwrap();
    Fleet {
        gemini,
        openai,
        models,
    }
}

fn story(attempts: &[AttemptRecord]) -> Vec<(&str, Option<ErrorClass>)> {
    attempts
        .iter()
        .map(|attempt| (attempt.provider.as_str(), attempt.class))
        .collect()
}

#[tokio::test]
async fn an_overload_is_waited_out() {
    let fleet = fleet().await;
    fleet
        .gemini
        .queue([Behaviour::fail(503, "busy"), Behaviour::fail(500, "oops")]);
    let answer = fleet.models.ask(&question("Why?")).await.unwrap();
    assert_eq!(answer.reply.text, "from gemini");
    assert!(!answer.fell_back);
    let overloaded = Some(ErrorClass::Overloaded);
    assert_eq!(
        story(&answer.attempts),
        [
            ("gemini", overloaded),
            ("gemini", Some(ErrorClass::ServerError)),
            ("gemini", None)
        ]
    );
    assert_eq!(answer.attempts[0].message, "HTTP 503: busy");
    assert_eq!(answer.cost_usd, None, "no price");
    assert_eq!(fleet.openai.count(), 0);
}

#[tokio::test]
async fn a_long_limit_falls_back_at_once_and_is_reported() {
    let fleet = fleet().await;
    fleet.gemini.queue([Behaviour::rate_limited(60)]);
    let answer = fleet.models.ask(&question("Why?")).await.unwrap();
    assert_eq!(answer.reply.text, "from openai");
    assert!(answer.fell_back);
    assert_eq!(answer.provider, "openai");
    assert_eq!(
        story(&answer.attempts),
        [("gemini", Some(ErrorClass::RateLimited)), ("openai", None)]
    );
    assert_eq!(answer.attempts[0].retry_after_ms, Some(60_000));
    let cost = answer.cost_usd.unwrap();
    assert!(
        (cost - 0.002).abs() < 1e-9,
        "100 in at 10 $, 20 out at 50 $: {cost}"
    );
    let recorded = serde_json::to_string(&answer.attempts).unwrap();
    assert_eq!(
        serde_json::from_str::<Vec<AttemptRecord>>(&recorded).unwrap(),
        answer.attempts
    );
}

#[tokio::test]
async fn a_provider_that_keeps_failing_falls_back_after_its_tries() {
    let fleet = fleet().await;
    fleet.gemini.queue(vec![Behaviour::fail(500, "oops"); 9]);
    let answer = fleet.models.ask(&question("Why?")).await.unwrap();
    assert_eq!(
        (answer.provider.as_str(), answer.fell_back),
        ("openai", true)
    );
    let failed = ("gemini", Some(ErrorClass::ServerError));
    let tries = story(&answer.attempts);
    assert_eq!(
        tries.split_last(),
        Some((&("openai", None), &[failed; 3][..]))
    );
}

#[tokio::test]
async fn when_all_are_limited_the_stage_snoozes_until_the_first_is_back() {
    let fleet = fleet().await;
    fleet.gemini.queue([Behaviour::rate_limited(60)]);
    fleet.openai.queue([Behaviour::rate_limited(20)]);
    let nothing = fleet.models.ask(&question("Why?")).await.unwrap_err();
    let Verdict::Snooze(wait) = nothing.verdict else {
        panic!("{nothing:?}")
    };
    assert!((20.0..=22.0).contains(&wait.as_secs_f64()), "{wait:?}");
    assert_eq!((fleet.gemini.count(), fleet.openai.count()), (1, 1));
}

#[tokio::test]
async fn a_dead_provider_gives_an_error_with_every_reason() {
    let fleet = fleet().await;
    fleet.gemini.queue([Behaviour::fail(401, "key revoked")]);
    fleet.openai.queue([Behaviour::Empty, Behaviour::Html]);
    let nothing = fleet.models.ask(&question("Why?")).await.unwrap_err();
    assert_eq!(nothing.verdict, Verdict::Fail);
    assert_eq!(
        nothing.to_string(),
        "no model answered: gemini: auth: HTTP 401: key revoked; \
         openai: malformed: the response is not JSON but `text/html; charset=utf-8`"
    );
    assert_eq!(
        story(&nothing.attempts),
        [
            ("gemini", Some(ErrorClass::Auth)),
            ("openai", Some(ErrorClass::Empty)),
            ("openai", Some(ErrorClass::Malformed)),
        ]
    );
}

#[tokio::test]
async fn an_empty_answer_is_requested_once_more() {
    let fleet = fleet().await;
    fleet.gemini.queue([Behaviour::Empty]);
    let answer = fleet.models.ask(&question("Why?")).await.unwrap();
    assert_eq!(answer.reply.text, "from gemini");
    assert_eq!(fleet.gemini.count(), 2);
    fleet.gemini.queue([Behaviour::Empty, Behaviour::Empty]);
    let answer = fleet.models.ask(&question("Why?")).await.unwrap();
    assert_eq!(answer.reply.text, "from openai");
}

#[tokio::test]
async fn options_of_a_stage_win_over_those_of_the_provider() {
    let fleet = fleet().await;
    let models = fleet.models.with_options(ModelOptions {
        temperature: Some(0.25),
        reasoning_effort: Some(ReasoningEffort::Low),
        thinking: Some(false),
        fallbacks: None,
    });
    assert_eq!(models.temperature(), Some(0.25));
    fleet.gemini.queue([Behaviour::fail(401, "no")]);
    let request = models.with_options_of_stage(question("Why?"));
    assert_eq!(
        models.ask(&request).await.unwrap().reply.text,
        "from openai"
    );
    let body = fleet.gemini.requests().remove(0).body;
    let config = &body["generationConfig"];
    assert_eq!(config["temperature"], 0.25);
    let thoughts = &config["thinkingConfig"]["includeThoughts"];
    assert_ne!(thoughts, &json!(true), "{body}");
    let body = fleet.openai.requests().remove(0).body;
    assert_eq!(body["reasoning_effort"], "low");
}
