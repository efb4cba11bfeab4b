//! The scripted model.

use std::time::Duration;

use serde_json::json;
use tarsy_llm::{
    CallLabels, ChatMessage, ChatModel, ChatRequest, ErrorClass, ProviderKind, ProviderSettings,
    Providers, Script, ScriptSource, ScriptedModel, StopReason, ToolSpec,
};
use tokio::time::Instant;

use crate::question;

const SCRIPT: &str = r#"
rules:
  - when: { stage: collect, iteration: 1 }
    reply:
      text: "Thought: look"
      thinking: "hm"
      usage: { input_tokens: 10, output_tokens: 2 }
  - when: { stage: collect, iteration: { from: 2 }, last_contains: [Observation, pods] }
    reply: { text: "Final Answer: pods" }
  - when: { native_tools: true, iteration: [1, 2] }
    reply:
      tool_calls:
        - { name: get_pods, arguments: { namespace: payments } }
        - { name: get_events }
  - when: { contains: "limit me" }
    reply: { error: { class: rate_limited, message: slow down, retry_after_ms: 9000 } }
  - when: { agent: Slow, strategy: react }
    reply: { text: late, delay_ms: 60000 }
"#;

fn model() -> ScriptedModel {
    ScriptedModel::new(Script::parse("demo.yaml", SCRIPT).unwrap())
}

fn in_stage(mut request: ChatRequest, stage: &str) -> ChatRequest {
    request.labels = CallLabels {
        stage: Some(stage.into()),
        ..CallLabels::default()
    };
    request
}

#[tokio::test]
async fn a_reply_depends_on_the_conversation_alone() {
    let mut request = in_stage(question("go"), "collect");
    for _ in 0..2 {
        let reply = model().chat(&request).await.unwrap();
        assert_eq!(
            reply.text, "Thought: look",
            "asked twice, answered the same"
        );
        assert_eq!(reply.thinking.as_deref(), Some("hm"));
        assert_eq!(reply.usage.unwrap().total(), 12);
        assert_eq!(reply.model_name, "scripted:demo.yaml");
    }
    request
        .messages
        .push(ChatMessage::assistant("Thought: look"));
    request
        .messages
        .push(ChatMessage::user("Observation: pods: none"));
    assert_eq!(
        model().chat(&request).await.unwrap().text,
        "Final Answer: pods"
    );
    request.messages.push(ChatMessage::user("and?"));
    let error = model().chat(&request).await.unwrap_err();
    assert_eq!(
        error.class,
        ErrorClass::InvalidRequest,
        "no rule, no made-up text"
    );
}

#[tokio::test]
async fn native_calls_have_ids_of_their_place() {
    let mut request = question("go");
    request.tools = vec![ToolSpec {
        name: "get_pods".into(),
        description: String::new(),
        schema: json!({}),
    }];
    let reply = model().chat(&request).await.unwrap();
    assert_eq!(reply.stop_reason, StopReason::ToolCalls);
    assert_eq!(
        reply.tool_calls[0].arguments,
        json!({"namespace": "payments"})
    );
    assert_eq!(
        (&*reply.tool_calls[0].id, &*reply.tool_calls[1].id),
        ("call_1_1", "call_1_2")
    );
    request.forbid_tools = true;
    assert!(
        model().chat(&request).await.is_err(),
        "forbidden tools are not offered"
    );
}

#[tokio::test(start_paused = true)]
async fn scripts_can_fail_and_be_slow() {
    let error = model().chat(&question("limit me")).await.unwrap_err();
    assert_eq!(
        (error.class, error.retry_after),
        (ErrorClass::RateLimited, Some(Duration::from_secs(9)))
    );

    let mut request = question("go");
    request.labels.agent = Some("Slow".into());
    request.labels.strategy = Some("react".into());
    let started = Instant::now();
    assert_eq!(model().chat(&request).await.unwrap().text, "late");
    assert_eq!(started.elapsed(), Duration::from_secs(60));
    request.deadline = Some(Instant::now() + Duration::from_secs(5));
    assert_eq!(
        model().chat(&request).await.unwrap_err().class,
        ErrorClass::Timeout
    );
}

#[test]
fn broken_scripts_are_refused() {
    for yaml in [
        "rules: [{reply: {}}]",
        "rules: [{when: {stag: x}, reply: {text: a}}]",
        "rule: []",
        ":",
    ] {
        assert!(Script::parse("bad.yaml", yaml).is_err(), "{yaml}");
    }
}

#[tokio::test]
async fn a_script_is_a_provider_like_the_others() {
    let directory = std::env::temp_dir().join(format!("tarsy-script-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    let path = directory.join("own.yaml");
    std::fs::write(&path, "rules: [{reply: {text: played}}]").unwrap();
    let mut from_file = ProviderSettings::new("scripted", ProviderKind::Scripted, "");
    from_file.script = Some(ScriptSource::File(path));
    let mut embedded = ProviderSettings::new("demo", ProviderKind::Scripted, "");
    embedded.script = Some(ScriptSource::Embedded {
        name: "terminating",
        yaml: SCRIPT,
    });
    let providers = Providers::build([from_file, embedded]).unwrap();
    std::fs::remove_dir_all(&directory).unwrap();

    let model = providers.get("scripted").unwrap();
    assert!(model.is_configured());
    assert_eq!(model.model_name(), "scripted:own.yaml");
    assert_eq!(model.chat(&question("go")).await.unwrap().text, "played");
    assert_eq!(
        providers.get("demo").unwrap().model_name(),
        "scripted:terminating"
    );
}
