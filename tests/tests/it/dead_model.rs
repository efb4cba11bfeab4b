//! A model that is down, and one that is rate limited.

use tarsy_testing::fake_llm::Behaviour;
use tarsy_tests::{Counted, Fleet, SOON, Session, Stage, scene};

/// Runs one alert's chain; returns the statuses of the session and its stages.
async fn investigate(fleet: &Fleet, alert_type: &'static str) -> (Session, Vec<Stage>) {
    let (ingest, _chain, _stage) = (
        fleet.ingest().await,
        fleet.chain_worker(),
        fleet.stage_worker(),
    );
    fleet.rows.watch_counts().await;
    let session = fleet.submit(&ingest, alert_type).await;
    let ended = fleet.rows.ended(session, SOON * 2).await;
    fleet.assert_sound().await;
    (ended, fleet.rows.stages(session).await)
}

fn assert_nothing_found(ended: &Session, stages: &[Stage], class: &str) {
    assert_eq!(
        (&*ended.status, ended.outcome.as_deref()),
        ("failed", Some("failed")),
        "{ended:?}"
    );
    assert_eq!(ended.final_analysis, None, "a dead model has no analysis");
    assert!(
        ended
            .error_message
            .as_deref()
            .is_some_and(|why| why.contains("collect: ")),
        "{ended:?}"
    );
    for stage in stages {
        assert_eq!(
            (&*stage.status, stage.error_class.as_deref()),
            ("failed", Some(class)),
            "{stage:?}"
        );
    }
    assert_eq!(stages.len(), 3, "each stage is tried");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_cannot_be_reached_fails_the_session_with_the_reason() {
    let fleet = Fleet::new(scene::play)
        .await
        .with("TARSY_TEST_LLM_URL", "http://127.0.0.1:9/v1/");
    let (ended, stages) = investigate(&fleet, "CheckoutDown").await;
    assert_nothing_found(&ended, &stages, "llm_connection");
    assert_eq!(
        fleet.rows.counted().await,
        [],
        "a failed agent is an outcome, not a failed job"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_refuses_its_key_fails_the_session_with_the_reason() {
    let fleet = Fleet::new(|_| Behaviour::fail(401, "invalid key")).await;
    let (ended, stages) = investigate(&fleet, "CheckoutDown").await;
    assert_nothing_found(&ended, &stages, "llm_auth");
    assert_eq!(
        fleet.rows.counted().await,
        [],
        "a failed agent is an outcome, not a failed job"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_short_rate_limit_is_waited_out() {
    let fleet = Fleet::new(scene::play).await;
    fleet.llm.queue([Behaviour::rate_limited(3)]);
    let (ended, stages) = investigate(&fleet, "ReportOnly").await;
    assert_eq!(
        ended.final_analysis.as_deref(),
        Some(scene::ANALYSIS),
        "{stages:?}"
    );
    assert_eq!(fleet.llm.count(), 2);
    assert_eq!(fleet.rows.counted().await, [], "waiting is no failure");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rate_limit_longer_than_the_agents_patience_frees_the_slot_and_costs_no_attempt() {
    let fleet = Fleet::new(scene::play).await;
    fleet.llm.queue([Behaviour::rate_limited(3)]);
    let (ended, stages) = investigate(&fleet, "RateLimited").await;
    assert_eq!(
        ended.final_analysis.as_deref(),
        Some(scene::ANALYSIS),
        "{stages:?}"
    );
    assert_eq!(fleet.llm.count(), 2);
    let snoozed = Counted {
        kind: "stage".to_owned(),
        attempts: 0,
        crashes: 0,
        snoozes: 1,
    };
    assert_eq!(fleet.rows.counted().await, [snoozed]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_provider_that_fails_for_a_moment_is_waited_for_without_a_slot() {
    let fleet = Fleet::new(scene::play).await;
    fleet
        .llm
        .queue(vec![Behaviour::fail(500, "the provider is on fire"); 4]);
    let (ended, stages) = investigate(&fleet, "RateLimited").await;
    assert_eq!(
        ended.final_analysis.as_deref(),
        Some(scene::ANALYSIS),
        "{stages:?}"
    );
    let counted = fleet.rows.counted().await;
    assert_eq!(counted.len(), 1, "{counted:?}");
    assert!(
        counted[0].snoozes >= 1 && counted[0].attempts == 0,
        "{counted:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_provider_that_keeps_failing_fails_the_stage_and_is_called_no_rate_limit() {
    let fleet = Fleet::new(|_| Behaviour::fail(500, "the provider is on fire")).await;
    let (ended, stages) = investigate(&fleet, "RateLimited").await;
    assert_eq!(ended.status, "failed", "{ended:?}");
    assert_eq!(stages[0].error_class.as_deref(), Some("llm_server_error"));
}
