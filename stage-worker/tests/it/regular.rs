//! Tests the strategy `regular` with native calls, and its records.

use serde_json::json;
use tarsy_model::{CommunicationType, RecordedInteraction, RecordedLlm, RecordedMcp};
use tarsy_testing::fake_llm::{Behaviour, FakeAnswer, SeenRequest};

use crate::bench::{Bench, Ended};

/// The small model lacks permission. The big one makes two calls at once and then concludes.
fn model(request: &SeenRequest) -> Behaviour {
    match (request.model.as_str(), request.assistant_turns()) {
        ("small", _) => Behaviour::fail(401, "Incorrect API key provided: first-key"),
        (_, 0) => Behaviour::Answer(FakeAnswer::tool_calls([
            ("demo__look", json!({"part": "disk"})),
            (
                "demo__look",
                json!({"part": "network", "query": "password=hunter2-hunter2"}),
            ),
        ])),
        _ => Behaviour::text("The disk is full; the network is fine."),
    }
}

fn llm(ended: &Ended) -> Vec<&RecordedLlm> {
    let records = ended.records.iter();
    records
        .filter_map(|record| match record {
            RecordedInteraction::Llm(llm) => Some(llm),
            RecordedInteraction::Mcp(_) => None,
        })
        .collect()
}

fn calls(ended: &Ended) -> Vec<&RecordedMcp> {
    let records = ended.records.iter();
    records
        .filter_map(|record| match record {
            RecordedInteraction::Mcp(mcp) => Some(mcp),
            RecordedInteraction::Llm(_) => None,
        })
        .filter(|mcp| mcp.intent.communication_type == CommunicationType::ToolCall)
        .collect()
}

#[tokio::test]
async fn parallel_native_calls_are_answered_each_under_its_id_and_everything_is_recorded() {
    let bench = Bench::new(model).await;
    bench.part("disk", "disk sda is at 100 %");
    bench.part("network", "eth0 is up");
    let ended = bench
        .run(json!({"host": "db-1"}), "Look at the disk first.")
        .await;
    assert_eq!(ended.row["status"], "completed", "{}", ended.row);
    assert_eq!(
        ended.row["stage_output"]["result"],
        "The disk is full; the network is fine."
    );

    // Both calls belong to one answer. Their results go back under their own ids, in the model's order.
    let calls = calls(&ended);
    let ids: Vec<_> = calls
        .iter()
        .map(|call| call.intent.tool_call_id.as_deref())
        .collect();
    assert_eq!(ids, [Some("call_0"), Some("call_1")]);
    assert!(calls.iter().all(|call| call.intent.iteration == 1));
    assert!(
        calls
            .iter()
            .all(|call| call.result.as_ref().is_some_and(|result| result.success))
    );
    let requests = bench.llm.requests();
    let last = requests
        .iter()
        .rfind(|request| request.model == "big")
        .expect("a question");
    let answers: Vec<&str> = last
        .messages
        .iter()
        .filter(|m| m.role == "tool")
        .map(|m| m.text.as_str())
        .collect();
    assert!(
        answers[0].contains("sda is at 100 %") && answers[1].contains("eth0 is up"),
        "{answers:?}"
    );

    // Arguments are masked before they are stored.
    let arguments = calls[1].intent.tool_arguments.clone().unwrap_or_default();
    assert_eq!(arguments["part"], "network");
    assert_eq!(arguments["query"], "password=[MASKED_PASSWORD]");
}

#[tokio::test]
async fn tokens_cost_and_fallback_are_recorded_for_call_and_stage() {
    let bench = Bench::new(model).await;
    bench.part("disk", "full");
    bench.part("network", "up");
    let ended = bench.run(json!({"host": "db-1"}), "").await;

    // 100 prompt and 20 answer tokens per model call, at 10 and 100 dollars per million.
    let each = (100.0 * 10.0 + 20.0 * 100.0) / 1e6;
    let calls = llm(&ended);
    assert_eq!(calls.len(), 2);
    for llm in calls {
        let result = llm.result.as_ref().expect("an answer");
        let usage = result.usage.expect("tokens");
        assert_eq!((usage.input_tokens, usage.output_tokens), (100, 20));
        assert!((result.cost_usd.expect("a cost") - each).abs() < 1e-12);
        assert_eq!(result.answered_by.as_deref(), Some("second/big"));
        let attempts = result
            .attempts
            .as_ref()
            .and_then(|a| a.as_array())
            .expect("attempts");
        assert_eq!(
            (&attempts[0]["provider"], &attempts[0]["class"]),
            (&json!("first"), &json!("auth"))
        );
        assert_eq!(
            (&attempts[1]["provider"], &attempts[1]["class"]),
            (&json!("second"), &json!(null))
        );
        assert!(
            !attempts[0]["message"].to_string().contains("first-key"),
            "{attempts:?}"
        );
    }
    assert_eq!(
        (&ended.row["input_tokens"], &ended.row["output_tokens"]),
        (&json!(200), &json!(40))
    );
    assert!((ended.row["cost_usd"].as_f64().expect("a cost") - 2.0 * each).abs() < 1e-12);
    assert_eq!(ended.row["cost_completeness"], "complete");
    assert_eq!(ended.row["iterations"], 2);
}

#[tokio::test]
async fn a_stage_that_is_failed_without_being_run_shows_what_earlier_workers_used() {
    let bench = Bench::new(model).await;
    let execution_id = bench.make_due(json!({"host": "db-1"}), "").await;
    for change in [
        "update jobs set crashes = 4, crashed_alone_by = array[gen_random_uuid(), gen_random_uuid()]",
        "insert into llm_interactions (interaction_id, session_id, stage_execution_id, sequence, iteration, purpose,
             provider, model_name, new_messages, step_description, claim_epoch, success, input_tokens, output_tokens, cost_usd)
         select gen_random_uuid(), session_id, execution_id, n, n + 1, 'iteration', 'second', 'big', '[]', '', 1, true, 100, 20, 0.75
         from stage_executions, generate_series(0, 1) n",
    ] {
        sqlx::query(change)
            .execute(bench.db.pool())
            .await
            .expect("a change");
    }
    let row = bench.run_due(execution_id).await.row;
    assert_eq!(
        (&row["status"], &row["error_class"]),
        (&json!("failed"), &json!("crashed"))
    );
    assert_eq!(
        (
            &row["iterations"],
            &row["input_tokens"],
            &row["output_tokens"]
        ),
        (&json!(2), &json!(200), &json!(40))
    );
    assert_eq!(
        (&row["cost_usd"], &row["cost_completeness"]),
        (&json!(1.5), &json!("complete"))
    );
    assert!(bench.llm.requests().is_empty(), "no model was asked");
}
