//! Every quirk that the fake provider can play is read like the usual form.

use serde_json::{Value, json};
use tarsy_llm::{ChatReply, ChatRequest, ToolSpec};
use tarsy_testing::fake_llm::{Behaviour, FakeAnswer, FakeLlm};

use crate::{PROVIDERS, model, question};

/// The part of a reply that an agent acts on.
fn meant(reply: ChatReply) -> (String, Vec<(String, Value)>) {
    let calls = reply.tool_calls.into_iter();
    let calls = calls.map(|call| (call.name, call.arguments)).collect();
    (reply.text.trim().to_owned(), calls)
}

#[tokio::test]
async fn an_odd_answer_means_what_the_usual_one_means() {
    let tool = |name: &str| ToolSpec {
        name: name.into(),
        description: String::new(),
        schema: json!({"type": "object", "properties": {"namespace": {"type": "string"}}}),
    };
    let request = ChatRequest {
        tools: vec![tool("k8s__pods"), tool("k8s__nodes")],
        ..question("Why?")
    };
    let answers = [
        FakeAnswer::text("The disk is full."),
        FakeAnswer::tool_calls([
            ("k8s__pods", json!({"namespace": "shop"})),
            ("k8s__nodes", json!({})),
        ]),
    ];
    for (kind, format) in PROVIDERS {
        let fake = FakeLlm::answering("unused").await.unwrap();
        let model = model(&fake, kind, format);
        for answer in &answers {
            fake.queue([Behaviour::Answer(answer.clone())]);
            let usual = meant(model.chat(&request).await.unwrap());
            for quirk in 0..format.quirks() {
                let answer = answer.clone();
                fake.queue([Behaviour::Odd { answer, quirk }]);
                let odd = model.chat(&request).await;
                let odd = odd.unwrap_or_else(|error| panic!("{kind:?}, {quirk}: {error}"));
                assert_eq!(meant(odd), usual, "{kind:?}, {quirk}");
            }
        }
    }
}
