//! Controls the fake provider over HTTP, as separate processes do.

use serde_json::json;
use tarsy_llm::ProviderKind;
use tarsy_testing::fake_llm::{FakeLlm, SeenRequest, WireFormat};

use crate::{model, question};

#[tokio::test]
async fn behaviours_rules_and_requests_travel_over_http() {
    let fake = FakeLlm::answering("by default").await.unwrap();
    let model = model(&fake, ProviderKind::Anthropic, WireFormat::Anthropic);
    let http = reqwest::Client::new();
    let url = fake.admin_url();
    http.post(format!("{url}/__behaviours"))
        .json(&json!([{"kind": "answer", "text": "queued"}, {"kind": "fail", "status": 529}]))
        .send()
        .await
        .unwrap()
        .error_for_status()
        .unwrap();
    http.put(format!("{url}/__rules"))
        .json(&json!([{"contains": "secret word", "assistant_turns": 0,
            "behaviour": {"kind": "answer", "text": "by rule"}}]))
        .send()
        .await
        .unwrap()
        .error_for_status()
        .unwrap();

    assert_eq!(model.chat(&question("a")).await.unwrap().text, "queued");
    assert!(model.chat(&question("b")).await.is_err());
    assert_eq!(
        model.chat(&question("the secret word")).await.unwrap().text,
        "by rule"
    );
    assert_eq!(model.chat(&question("a")).await.unwrap().text, "by default");

    let seen: Vec<SeenRequest> = http
        .get(format!("{url}/__requests"))
        .send()
        .await
        .unwrap()
        .json()
        .await
        .unwrap();
    assert_eq!(seen, fake.requests());
    let answered: Vec<_> = seen.iter().map(|request| request.answered).collect();
    assert_eq!(answered, [true, false, true, true]);
    assert_eq!(
        fake.repeated().into_iter().collect::<Vec<_>>(),
        [(seen[0].fingerprint.clone(), 2)],
        "only the first question was sent again"
    );
    http.delete(format!("{url}/__requests"))
        .send()
        .await
        .unwrap();
    assert_eq!(fake.count(), 0);
}
