//! Tables are partitioned while a fleet works on them, without any effect on the fleet.

use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::Value;
use tarsy_testing::wait;
use tarsy_tests::command::tarsy;
use tarsy_tests::{Alert, Fleet, SOON, scene};
use uuid::Uuid;

/// Number of sessions accepted after the tables were partitioned.
const AFTER: usize = 5;

#[tokio::test(flavor = "multi_thread")]
async fn a_fleet_keeps_working_while_its_tables_are_partitioned() {
    let fleet = Fleet::new(scene::play).await;
    let (ingest, _chain, _stage) = (
        fleet.ingest().await,
        fleet.chain_worker(),
        fleet.stage_worker(),
    );
    fleet.workers(2).await;
    let partitioned = AtomicBool::new(false);
    let posting = async {
        let mut sessions: Vec<Uuid> = Vec::new();
        let mut after = 0;
        while after < AFTER {
            after += usize::from(partitioned.load(Ordering::SeqCst));
            sessions.push(fleet.post(&ingest, &Alert::new("CheckoutDown")).await);
            wait::until("room for another session", SOON, async || {
                let open = "select count(*) from alert_sessions where completed_at_us is null";
                fleet.rows.count(open).await < 4
            })
            .await;
        }
        sessions
    };
    let partitioning = async {
        wait::until("the first answers", SOON, async || {
            fleet
                .rows
                .count("select count(*) from mcp_interactions")
                .await
                > 5
        })
        .await;
        let url = [("DATABASE_URL", fleet.database_url())];
        tarsy("partitions enable --yes", &url).await.prints("");
        partitioned.store(true, Ordering::SeqCst);
        tarsy("partitions --json", &url).await.json()
    };
    let (sessions, state) = tokio::join!(posting, partitioning);

    for table in state.as_array().unwrap() {
        assert_eq!(table["is_partitioned"], true, "{table}");
        assert_eq!(table["partitions"].as_array().unwrap().len(), 7, "{table}");
    }
    for session in &sessions {
        fleet.rows.ended(*session, SOON).await;
        let url = format!("{}/api/v1/history/sessions/{session}", ingest.url);
        let detail: Value = reqwest::get(url).await.unwrap().json().await.unwrap();
        assert_eq!(detail["status"], "completed", "{detail}");
        assert_eq!(detail["final_analysis"], scene::ANALYSIS);
    }
    assert!(sessions.len() > AFTER);
    fleet.assert_sound().await;
}

#[tokio::test]
async fn the_command_shows_what_there_is_and_asks_first() {
    let fleet = Fleet::new(scene::play).await;
    let url = [("DATABASE_URL", fleet.database_url())];
    tarsy("partitions", &url)
        .await
        .prints("events            none: a plain table");
    tarsy("partitions enable", &url)
        .await
        .fails_with_error("standard input is not a terminal");
    tarsy("partitions enable --yes --days 1", &url)
        .await
        .prints("");
    tarsy("partitions", &url)
        .await
        .prints("llm_interactions_past");
    let again = tarsy("partitions enable --yes", &url).await;
    assert!(
        again.err.contains("events: partitioned already"),
        "{}",
        again.err
    );
}
