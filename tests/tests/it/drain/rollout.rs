//! Rollout of a configuration, during which some workers know agents and providers that others don't.

use std::os::unix::process::ExitStatusExt as _;
use std::path::PathBuf;

use tarsy_tests::{Alert, Fleet, SOON, crash_points, scene};

const ALERTS: usize = 50;

/// Parts of the new configuration that the old one lacks: an agent, and a provider that a chain names.
const NEW: &str = r#"
  Q:
    iteration_strategy: react-final-analysis
    custom_instructions: You are new.
  R:
    iteration_strategy: react-final-analysis
    custom_instructions: You are new and choosy.
    llm_provider: second
    limits: {stage_timeout: 45s, llm_call_timeout: 5s, tool_call_timeout: 5s, conclusion_reserve: 1s}

agent_chains:
  new-agents:
    alert_types: [NewAgents]
    stages:
      - {name: first, agent: R}
      - {name: second, agent: R}
  rollout:
    alert_types: [RolledOut]
    stages:
      - {name: known, agent: Reporter}
      - {name: new, agent: Q}
      - {name: named, agent: Reporter, llm_provider: second}
      - {name: last, agent: Reporter}
"#;

const SECOND: &str = r#"
llm_providers:
  second:
    type: openai
    model: fake-2
    api_key_env: TARSY_TEST_LLM_KEY
    base_url: ${TARSY_TEST_LLM_URL}
"#;

/// Writes the new configuration to a file.
fn new_configuration(folder: &tempfile::TempDir) -> PathBuf {
    let old = concat!(env!("CARGO_MANIFEST_DIR"), "/config/fleet.yaml");
    let old = std::fs::read_to_string(old).unwrap();
    let new = old
        .replacen("\nagent_chains:\n", NEW, 1)
        .replacen("\nllm_providers:\n", SECOND, 1);
    assert!(new.contains("agent: Q") && new.contains("second:"));
    let path = folder.path().join("new.yaml");
    std::fs::write(&path, new).unwrap();
    path
}

#[tokio::test(flavor = "multi_thread")]
async fn no_session_fails_while_some_workers_do_not_know_its_agent_or_provider() {
    let fleet = Fleet::new(scene::play).await;
    let folder = tempfile::tempdir().unwrap();
    let new = new_configuration(&folder).display().to_string();
    let with_new = |name: &str| fleet.program(name).env("AGENT_CONFIG_FILE", &new);
    let ingest = fleet.ingest_with(with_new("ingest-api")).await;
    // Chain workers of both configurations plan stages.
    let _chains = [
        fleet.chain_worker(),
        with_new("chain-worker").start().unwrap(),
    ];
    let _old = [fleet.stage_worker(), fleet.stage_worker()];
    let _new = with_new("stage-worker").start().unwrap();
    fleet.workers(5).await;
    let alerts: Vec<_> = (0..ALERTS).map(|_| Alert::new("RolledOut")).collect();
    futures::future::join_all(alerts.iter().map(|alert| fleet.post(&ingest, alert))).await;
    fleet.rows.all_ended(SOON * 2).await;

    let failed: Vec<(String, String)> = sqlx::query_as(
        "select stage_name, error_message from stage_executions where status <> 'completed'",
    )
    .fetch_all(fleet.rows.pool())
    .await
    .unwrap();
    assert_eq!(failed, [], "of {ALERTS} sessions");
    fleet.assert_sound().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_chain_worker_that_does_not_know_an_agent_plans_its_stages_as_the_agent_requires() {
    let fleet = Fleet::new(scene::play).await;
    let folder = tempfile::tempdir().unwrap();
    let new = new_configuration(&folder).display().to_string();
    let with_new = |name: &str| fleet.program(name).env("AGENT_CONFIG_FILE", &new);
    let ingest = fleet.ingest_with(with_new("ingest-api")).await;
    let _old = fleet.chain_worker();
    let _new = with_new("stage-worker").start().unwrap();
    fleet.workers(2).await;
    let session = fleet.submit(&ingest, "NewAgents").await;
    let ended = fleet.rows.ended(session, SOON * 2).await;
    assert_eq!(ended.outcome.as_deref(), Some("completed"), "{ended:?}");

    let planned: Vec<(String, String, String, i64)> = sqlx::query_as(
        "select stage_name, iteration_strategy, llm_provider, timeout_ms from stage_executions order by stage_index",
    )
    .fetch_all(fleet.rows.pool())
    .await
    .unwrap();
    let as_defined = |name: &str| {
        let strategy = "react-final-analysis".to_owned();
        (name.to_owned(), strategy, "second".to_owned(), 45_000)
    };
    assert_eq!(planned, [as_defined("first"), as_defined("second")]);
    fleet.assert_sound().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_of_an_older_version_is_passed_on_by_a_worker_that_does_not_know_its_agent() {
    let fleet = Fleet::new(scene::play).await;
    let folder = tempfile::tempdir().unwrap();
    let new = new_configuration(&folder).display().to_string();
    let with_new = |name: &str| fleet.program(name).env("AGENT_CONFIG_FILE", &new);
    forget_requirements(&fleet).await;
    let ingest = fleet.ingest_with(with_new("ingest-api")).await;
    let _chain = fleet.chain_worker();
    let _old = [fleet.stage_worker(), fleet.stage_worker()];
    let _new = with_new("stage-worker").start().unwrap();
    fleet.workers(4).await;
    let alerts: Vec<_> = (0..ALERTS).map(|_| Alert::new("RolledOut")).collect();
    futures::future::join_all(alerts.iter().map(|alert| fleet.post(&ingest, alert))).await;
    fleet.rows.all_ended(SOON * 2).await;
    let failed = "select count(*) from stage_executions where status <> 'completed'";
    assert_eq!(fleet.rows.count(failed).await, 0);
    fleet.assert_sound().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_killed_while_it_passes_a_job_on_loses_nothing() {
    for point in crash_points() {
        if !point.name.starts_with("rollout.") {
            continue;
        }
        let fleet = Fleet::new(scene::play).await;
        let folder = tempfile::tempdir().unwrap();
        let new = new_configuration(&folder).display().to_string();
        let with_new = |name: &str| fleet.program(name).env("AGENT_CONFIG_FILE", &new);
        forget_requirements(&fleet).await;
        let ingest = fleet.ingest_with(with_new("ingest-api")).await;
        let _chain = fleet.chain_worker();
        let old = fleet.program("stage-worker");
        let old = old.env("TARSY_CRASH_AT", &point.name).start().unwrap();
        fleet.workers(2).await;
        let session = fleet.submit(&ingest, "RolledOut").await;
        let killed = old.ended(SOON).await;
        assert_eq!(killed.signal(), Some(9), "{}: {killed}", point.name);
        let _new = with_new("stage-worker").start().unwrap();
        let ended = fleet.rows.ended(session, SOON * 2).await;
        assert_eq!(ended.status, "completed", "{}", point.name);
        fleet.assert_sound().await;
    }
}

/// Clears requirements of queued jobs, as an older version leaves them.
async fn forget_requirements(fleet: &Fleet) {
    let forget = "create function forget_requirements() returns trigger language plpgsql as
                  $$begin new.requires := null; return new; end$$";
    let trigger = "create trigger forget_requirements before insert on jobs
                   for each row execute function forget_requirements()";
    for statement in [forget, trigger] {
        let done = sqlx::query(statement).execute(fleet.rows.pool()).await;
        done.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_removed_agent_fails_its_stage_as_data_and_its_chain_continues() {
    let fleet = Fleet::new(scene::play)
        .await
        .with("TARSY_SCHEDULE_TIMEOUT", "1s");
    let folder = tempfile::tempdir().unwrap();
    let new = new_configuration(&folder).display().to_string();
    let ingest = fleet.program("ingest-api").env("AGENT_CONFIG_FILE", &new);
    let ingest = fleet.ingest_with(ingest).await;
    let _chain = fleet.chain_worker();
    let _stage = fleet.stage_worker();
    // Waits for the registration, because without it no stage has a worker.
    fleet.workers(2).await;
    let gone = fleet.submit(&ingest, "RolledOut").await;
    let nowhere = fleet.submit(&ingest, "PoisonedStage").await;
    for (session, outcomes) in [
        (
            gone,
            [
                "",
                "no live worker of pool `default` knows agent `Q`",
                "no live worker of pool `default` knows LLM provider `second`",
                "",
            ]
            .as_slice(),
        ),
        (nowhere, &["no worker serves pool `poison`", ""]),
    ] {
        let ended = fleet.rows.ended(session, SOON * 2).await;
        assert_eq!(
            (&*ended.status, ended.outcome.as_deref()),
            ("completed", Some("partial"))
        );
        let stages = fleet.rows.stages(session).await;
        let errors: Vec<&str> = stages
            .iter()
            .map(|stage| stage.error_message.as_deref().unwrap_or_default())
            .collect();
        assert_eq!(errors, outcomes);
        let classes = stages
            .iter()
            .filter_map(|stage| stage.error_class.as_deref());
        assert!(
            classes.clone().count() > 0 && classes.clone().all(|class| class == "unschedulable")
        );
    }
    fleet.assert_sound().await;
}
