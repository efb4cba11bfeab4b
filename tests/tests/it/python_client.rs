//! The Python client against a fleet.

use serde_json::{Value, json};
use tarsy_testing::fake_llm::{Behaviour, FakeAnswer, SeenRequest};
use tarsy_testing::tools;

use crate::ask_knowledge::{REWRITING, ROUTING, evidence_ids, fleet};

/// Continuation of an answer, so that it takes a while.
const LONG: &str = "The test case pulls the cable of one supply while the host writes, waits until the controller has seen \
that, and reads back what was written before. It passes if nothing is missing and the host has stayed up; it is repeated with \
the other supply, and then with both in turn, as the plan for supplies wants it of every model of this family.";

fn model(request: &SeenRequest) -> Behaviour {
    let reply = match () {
        () if request.contains(ROUTING) => {
            json!({"intent": "find", "route": ["retrieval"], "statement": null, "steps": []})
        }
        () if request.contains(REWRITING) => json!({"search_query": "tc-10001"}),
        () => {
            let ids = evidence_ids(request);
            let answer = format!("It runs at 10.20.30.40 [{}]. {LONG}", ids[0]);
            let reply = json!({"answer": answer, "citations": [ids[0]]});
            return Behaviour::Stream {
                answer: FakeAnswer::text(reply.to_string()),
                size: 4,
                every_ms: 20,
                cut_after: None,
            };
        }
    };
    Behaviour::text(reply.to_string())
}

#[tokio::test(flavor = "multi_thread")]
async fn questions_are_asked_and_followed_from_python() {
    let fleet = fleet(model).await;
    let (ingest, _chain, _stage) = (
        fleet.ingest().await,
        fleet.chain_worker(),
        fleet.stage_worker(),
    );
    let root = tools::workspace();
    let output = tokio::process::Command::new(tools::expect_python("python-client"))
        .arg(root.join("tests/python/ask.py"))
        .arg(&ingest.url)
        .env("PYTHONPATH", root.join("clients/python"))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .output()
        .await
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let results: Value = serde_json::from_slice(&output.stdout).unwrap();
    let answer = &results["answer"];
    assert_eq!(
        (
            &answer["status"],
            &answer["supported"],
            &results["same"],
            &results["asked_once"]
        ),
        (
            &json!("completed"),
            &json!(true),
            &json!(true),
            &json!(true)
        ),
        "{results}"
    );
    let before = results["before"].as_array().unwrap();
    assert!(
        before
            .iter()
            .all(|status| status == "pending" || status == "in_progress"),
        "{results}"
    );
    assert_eq!(answer["citations"][0]["key"], "TC-10000", "{results}");
    // Drafts come before the answer, after the guardrails have changed them. The answer replaces them.
    for name in ["drafts", "later_drafts"] {
        let drafts: Vec<&str> = results[name]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(Value::as_str)
            .collect();
        assert!(drafts.len() > 1, "{results}");
        for draft in drafts {
            let whole = format!(
                "It runs at [MASKED_IPV4] [{}]. {LONG}",
                if name == "drafts" {
                    &answer["citations"]
                } else {
                    &results["follow_up"]["citations"]
                }[0]["id"]
                    .as_str()
                    .unwrap()
            );
            assert!(whole.starts_with(draft), "{draft}");
        }
    }
    assert_eq!(answer["draft"], Value::Null);
    let trace = &answer["trace"];
    let stages = trace["stages"].as_array().unwrap();
    assert!(
        stages
            .iter()
            .any(|stage| stage["name"] == "generator" && stage["input_tokens"].is_i64()),
        "{trace}"
    );
    assert_eq!(
        (&trace["route"], &trace["results"][0]["key"]),
        (&json!(["retrieval"]), &json!("TC-10000")),
        "{trace}"
    );
    assert_eq!(answer["redaction_flags"][0]["kind"], "ipv4", "{results}");
    assert_eq!(
        results["follow_up"]["citations"][0]["key"], "TC-10001",
        "{results}"
    );
    assert_eq!(
        results["follow_up"]["conversation_id"], answer["session_id"],
        "{results}"
    );
    // The test case is for a Kestrel 210. Each scenario has five cases on each of ten models, and Harrier X1 is the
    // fourth.
    let key = |number: usize| {
        let key = results["filtered"][number]["citations"][0]["key"].as_str();
        key.unwrap_or_else(|| panic!("{results}")).to_owned()
    };
    assert_eq!(key(0), "TC-10000", "{results}");
    let other: u32 = key(1).trim_start_matches("TC-").parse().unwrap();
    assert_eq!((other - 10_000) / 5 % 10, 3, "{results}");
    assert_eq!(
        (
            &results["unknown"],
            &results["invalid"],
            &results["invalid_filter"],
            &results["unreachable"]
        ),
        (
            &json!("404 session_not_found"),
            &json!("422 invalid_request"),
            &json!("422 invalid_request"),
            &json!("unreachable")
        ),
        "{results}"
    );
    fleet.assert_sound().await;
}
