//! A model or server that fails never looks like a finished analysis.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::json;
use tarsy_agent::{
    Agent, AgentBrief, ApprovalRule, CallDecision, ModelAnswer, RunError, StageOutcome, Task,
    Transcript,
};
use tarsy_model::{IterationStrategy, LocalFault, RecordedInteraction, Shortage};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::fakes::*;

#[tokio::test(start_paused = true)]
async fn a_model_that_fails_for_good_fails_the_stage() {
    for class in [
        "auth",
        "refused",
        "empty",
        "malformed",
        "timeout",
        "invalid_request",
    ] {
        for &strategy in IterationStrategy::ALL {
            let (model, recorder) = (
                FakeModel::turns(vec![error(class, None)]),
                MemoryRecorder::default(),
            );
            let end = run(
                &brief(strategy),
                &model,
                &FakeTools::new(),
                &recorder,
                Transcript::default(),
            )
            .await;
            let end = end.expect("an outcome");
            let (failed, reason) = failure(&end);
            assert_eq!(failed, format!("llm_{class}"));
            assert!(reason.contains(class), "{reason}");
            assert_eq!(model.asked().len(), 1);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_long_pause_is_snoozed_and_then_asked_again() {
    let brief = brief(IterationStrategy::React);
    let (tools, recorder) = (FakeTools::new(), MemoryRecorder::default());
    let limited = FakeModel::turns(vec![error("rate_limited", Some(300))]);
    let end = run(&brief, &limited, &tools, &recorder, Transcript::default()).await;
    assert!(
        matches!(end, Err(RunError::Snooze(wait)) if wait == Duration::from_secs(300)),
        "{end:?}"
    );

    let well = FakeModel::turns(vec![said("Final Answer: ok")]);
    let transcript = Transcript::from_records(recorder.records());
    let end = run(&brief, &well, &tools, &recorder, transcript)
        .await
        .expect("an outcome");
    assert_eq!(analysis(&end), "ok");
    assert_eq!(well.asked()[0].messages, limited.asked()[0].messages);
}

#[tokio::test(start_paused = true)]
async fn a_pause_beyond_the_deadline_fails_the_stage() {
    let model = FakeModel::turns(vec![error("rate_limited", Some(3_600))]);
    let recorder = MemoryRecorder::default();
    let brief = brief(IterationStrategy::React);
    let end = run(
        &brief,
        &model,
        &FakeTools::new(),
        &recorder,
        Transcript::default(),
    )
    .await
    .expect("an outcome");
    assert_eq!(failure(&end).0, "llm_rate_limited");
}

#[tokio::test(start_paused = true)]
async fn a_conversation_too_long_is_halved_and_asked_again() {
    let model = FakeModel::new(|request: &tarsy_llm::ChatRequest| {
        let chars: usize = request.messages.iter().map(|m| m.content.len()).sum();
        if chars > 150_000 {
            error("context_length", None)
        } else {
            said("Final Answer: ok")
        }
    });
    let mut brief = brief(IterationStrategy::React);
    brief.data.runbook_content = Some("step\n".repeat(80_000));
    let recorder = MemoryRecorder::default();
    let end = run(
        &brief,
        &model,
        &FakeTools::new(),
        &recorder,
        Transcript::default(),
    )
    .await
    .expect("an outcome");
    assert_eq!(analysis(&end), "ok");
    assert!(model.asked().len() > 1);
}

#[tokio::test(start_paused = true)]
async fn no_reachable_server_fails_the_stage_and_one_of_two_does_not() {
    let mut tools = FakeTools::new();
    tools.unreachable = vec!["k8s".into()];
    let model = FakeModel::turns(vec![said("Final Answer: ok")]);
    let brief = brief(IterationStrategy::React);
    let end = run(
        &brief,
        &model,
        &tools,
        &MemoryRecorder::default(),
        Transcript::default(),
    )
    .await
    .expect("an outcome");
    assert_eq!(failure(&end).0, "tools_unavailable");

    tools
        .offers
        .push(tool("logs", "search", tarsy_model::EffectClass::ReadOnly));
    let end = run(
        &brief,
        &model,
        &tools,
        &MemoryRecorder::default(),
        Transcript::default(),
    )
    .await
    .expect("an outcome");
    assert_eq!(analysis(&end), "ok");
    assert!(
        model.asked()[0].messages[1]
            .content
            .contains("- k8s: connection refused")
    );
}

#[tokio::test(start_paused = true)]
async fn a_model_that_never_concludes_fails_the_stage() {
    let model = FakeModel::new(|r: &tarsy_llm::ChatRequest| {
        act("k8s.pods_list", &json!({"n": r.assistant_turns()}))
    });
    let recorder = MemoryRecorder::default();
    let brief = brief(IterationStrategy::React);
    let end = run(
        &brief,
        &model,
        &FakeTools::new(),
        &recorder,
        Transcript::default(),
    )
    .await
    .expect("an outcome");
    assert_eq!(failure(&end).0, "no_conclusion");
}

#[tokio::test(start_paused = true)]
async fn cancelling_drops_what_is_under_way() {
    let mut model = FakeModel::turns(vec![said("Final Answer: late")]);
    model.takes = Duration::from_secs(100);
    let (tools, recorder, cancel) = (
        FakeTools::new(),
        MemoryRecorder::default(),
        CancellationToken::new(),
    );
    let agent = Agent {
        model: &model,
        summarizer: None,
        tools: &tools,
        recorder: &recorder,
    };
    let brief = brief(IterationStrategy::React);
    let deadline = Instant::now() + STAGE;
    let running = agent.run(
        Task::Investigate,
        &brief,
        Transcript::default(),
        deadline,
        &cancel,
    );
    let cancelling = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        cancel.cancel();
    };
    let (end, ()) = tokio::join!(running, cancelling);
    assert!(matches!(end, Err(RunError::Cancelled)));
}

/// Returns the answer of a call for which no model was asked, because of a fault of this machine.
fn unasked(fault: LocalFault) -> ModelAnswer {
    ModelAnswer {
        fault: Some(fault),
        ..error("connection", None)
    }
}

/// Returns for each recorded interaction whether it has a result.
fn have_results(recorder: &MemoryRecorder) -> Vec<bool> {
    let records = recorder.records().into_iter();
    let has_result = records.map(|record| match record {
        RecordedInteraction::Llm(llm) => llm.result.is_some(),
        RecordedInteraction::Mcp(mcp) => mcp.result.is_some(),
    });
    has_result.collect()
}

#[tokio::test(start_paused = true)]
async fn a_question_that_this_machine_can_not_ask_stays_open_for_another_worker() {
    for fault in [
        LocalFault::Unreachable,
        LocalFault::Shortage(Shortage::ProcessFiles),
    ] {
        let brief = brief(IterationStrategy::React);
        let recorder = MemoryRecorder {
            has_successor: true,
            ..MemoryRecorder::default()
        };
        let unfit = FakeModel::turns(vec![unasked(fault)]);
        let tools = FakeTools::new();
        let end = run(&brief, &unfit, &tools, &recorder, Transcript::default()).await;
        match fault {
            LocalFault::Unreachable => assert!(matches!(end, Err(RunError::HandedOver))),
            LocalFault::Shortage(_) => assert!(
                matches!(end, Err(RunError::Shortage(Shortage::ProcessFiles))),
                "{end:?}"
            ),
        }
        assert_eq!(have_results(&recorder), [true, false]);

        let well = FakeModel::turns(vec![said("Final Answer: ok")]);
        let transcript = Transcript::from_records(recorder.records());
        let end = run(&brief, &well, &tools, &recorder, transcript).await;
        assert_eq!(analysis(&end.expect("an outcome")), "ok");
        assert_eq!(well.asked()[0].messages, unfit.asked()[0].messages);
        // The model is asked once more, because it has concluded without evidence.
        assert_eq!(have_results(&recorder), [true, true, true]);
    }
}

#[tokio::test(start_paused = true)]
async fn an_unreachable_model_fails_the_stage_where_no_other_worker_is_left() {
    let recorder = MemoryRecorder::default();
    let model = FakeModel::turns(vec![unasked(LocalFault::Unreachable)]);
    let mut brief = brief(IterationStrategy::React);
    brief.limits.outage_wait = Duration::ZERO;
    let end = run(
        &brief,
        &model,
        &FakeTools::new(),
        &recorder,
        Transcript::default(),
    )
    .await;
    assert_eq!(failure(&end.expect("an outcome")).0, "llm_connection");
    assert_eq!(recorder.handed_over.lock().unwrap().len(), 1);
    assert_eq!(have_results(&recorder), [true, true]);
}

/// Runs a stage again after each pause until it ends. Returns the pauses in seconds.
async fn run_through_pauses(
    brief: &AgentBrief,
    model: &FakeModel,
    recorder: &MemoryRecorder,
) -> (Vec<u64>, StageOutcome) {
    let mut pauses = Vec::new();
    loop {
        let transcript = Transcript::from_records(recorder.records());
        match run(brief, model, &FakeTools::new(), recorder, transcript).await {
            Ok(outcome) => return (pauses, outcome),
            Err(RunError::Snooze(pause)) => pauses.push(pause.as_secs()),
            Err(other) => panic!("{other:?}"),
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_provider_that_fails_or_is_away_is_waited_for_a_minute_alike_and_no_longer() {
    for failing in [
        error("server_error", None),
        error("connection", None),
        unasked(LocalFault::Unreachable),
    ] {
        let class = failing.result.error_class.clone().unwrap_or_default();
        for strategy in [IterationStrategy::React, IterationStrategy::Regular] {
            let (model, recorder) = (
                FakeModel::turns(vec![failing.clone()]),
                MemoryRecorder::default(),
            );
            let (pauses, end) = run_through_pauses(&brief(strategy), &model, &recorder).await;
            assert_eq!(pauses, [2, 4, 8, 16, 30]);
            assert_eq!(failure(&end).0, format!("llm_{class}"));
        }
        // The provider is back after the second pause. Its next outage has its own limit of a minute.
        let calls = AtomicUsize::new(0);
        let model = FakeModel::new(move |request: &tarsy_llm::ChatRequest| {
            match (
                calls.fetch_add(1, Ordering::Relaxed),
                request.assistant_turns(),
            ) {
                (0 | 1 | 3, _) => failing.clone(),
                (_, 0) => act("k8s.pods_list", &json!({})),
                _ => said("Final Answer: ok"),
            }
        });
        let recorder = MemoryRecorder::default();
        let (pauses, end) =
            run_through_pauses(&brief(IterationStrategy::React), &model, &recorder).await;
        assert_eq!(
            (pauses.as_slice(), analysis(&end)),
            ([2, 4, 2].as_slice(), "ok")
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_that_this_machine_can_not_start_is_left_to_another_worker() {
    let brief = brief(IterationStrategy::React);
    let model = FakeModel::turns(vec![said("Final Answer: without it")]);
    let tools = FakeTools {
        unreachable: vec!["k8s".into()],
        fault: Some(LocalFault::Unreachable),
        ..FakeTools::new()
    };
    let recorder = MemoryRecorder {
        has_successor: true,
        ..MemoryRecorder::default()
    };
    let end = run(&brief, &model, &tools, &recorder, Transcript::default()).await;
    assert!(matches!(end, Err(RunError::HandedOver)), "{end:?}");
    assert_eq!(have_results(&recorder), [false]);

    // With no other worker left, the run continues without the server, as if the fault were not specific to this
    // machine.
    let last = MemoryRecorder::default();
    let transcript = Transcript::from_records(recorder.records());
    let end = run(&brief, &model, &tools, &last, transcript).await;
    assert_eq!(failure(&end.expect("an outcome")).0, "tools_unavailable");
}

#[tokio::test(start_paused = true)]
async fn a_call_that_a_short_worker_could_not_send_is_left_to_another_one_with_its_approval() {
    for tool in ["pods_list", "pods_restart"] {
        let mut brief = brief(IterationStrategy::React);
        brief.approvals = BTreeMap::from([("k8s".to_owned(), ApprovalRule::All)]);
        let script = vec![
            act(&format!("k8s.{tool}"), &json!({"pod": "x"})),
            said("Thought: done\nFinal Answer: ok"),
        ];
        let (model, recorder) = (FakeModel::turns(script), MemoryRecorder::default());
        let tools = FakeTools {
            is_short: true,
            ..FakeTools::new()
        };
        let approved = || {
            let decisions = BTreeMap::from([(2, CallDecision::Approved)]);
            Transcript::from_records(recorder.records()).with_decisions(decisions)
        };
        let end = run(&brief, &model, &tools, &recorder, approved()).await;
        assert!(
            matches!(end, Err(RunError::Shortage(Shortage::ProcessFiles))),
            "{end:?}"
        );
        let failed = recorder.tool_calls();
        assert!(
            failed.iter().all(|call| call.result.is_none()),
            "{failed:?}"
        );
        assert_eq!(tools.called(), [""; 0]);

        let end = run(&brief, &model, &tools, &recorder, approved()).await;
        assert_eq!(analysis(&end.expect("an outcome")), "ok");
        assert_eq!(tools.called().len(), 1, "{tool} is called once");
        let calls = recorder.tool_calls();
        let successes = calls
            .iter()
            .map(|call| call.result.as_ref().map(|r| r.success));
        assert_eq!(successes.collect::<Vec<_>>(), [Some(true)], "{calls:?}");
    }
}
