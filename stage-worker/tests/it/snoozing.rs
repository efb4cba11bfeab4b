//! Tests that all waits of a stage for rate limits together are limited.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use serde_json::Value;
use tarsy_model::{Pool, SessionId};
use tarsy_queue::{NewJob, StopSignal};
use tarsy_stage_worker::{StageEnd, StageRunner};
use tarsy_store::interactions::StageFence;
use tarsy_store::stages::BegunStage;
use tarsy_testing::{TestDb, wait};
use tokio_util::sync::CancellationToken;

use crate::hand_on::{service, session, stage};

const SOON: Duration = Duration::from_secs(60);

/// Has to wait each time. Counts the runs of the stage `collect`.
struct Limited {
    wait: Duration,
    runs: AtomicUsize,
}

#[async_trait]
impl StageRunner for Limited {
    async fn run(&self, stage: &BegunStage, _: StageFence, _: &StopSignal) -> StageEnd {
        // The next stage is begun in the same slot.
        if stage.data.current_stage == "collect" {
            self.runs.fetch_add(1, Ordering::Relaxed);
        }
        StageEnd::Snooze(self.wait)
    }
}

/// Runs a stage that has to wait for `wait` each time, while `meanwhile` is executed on its job, until it has ended.
/// Returns its row and the number of its runs.
async fn run(wait: Duration, meanwhile: &'static str) -> (Value, usize) {
    let (db, session_id) = (TestDb::new().await, SessionId::generate());
    let first = stage(session_id, 0, (1, 0));
    session(&db, std::slice::from_ref(&first)).await;
    let mut conn = db.pool().acquire().await.expect("a connection");
    let job = NewJob::new(
        Pool::default().queue(),
        "stage",
        first.execution_id.as_uuid(),
    );
    tarsy_queue::enqueue(&mut conn, &[job])
        .await
        .expect("a job");
    let runner = Arc::new(Limited {
        wait,
        runs: AtomicUsize::new(0),
    });
    let stop = CancellationToken::new();
    let service = service(
        &db,
        &["default"],
        1,
        Arc::clone(&runner) as Arc<dyn StageRunner>,
    );
    let running = tokio::spawn(service.run(stop.clone(), CancellationToken::new()));
    let row = wait::until("the end of the stage", SOON, async || {
        sqlx::query(meanwhile)
            .execute(&mut *conn)
            .await
            .expect("a job that is due");
        let row: Value = sqlx::query_scalar(
            "select to_jsonb(e) from stage_executions e where execution_id = $1",
        )
        .bind(first.execution_id.as_uuid())
        .fetch_one(&mut *conn)
        .await
        .expect("the stage");
        row["completed_at_us"].is_number().then_some(row)
    })
    .await;
    stop.cancel();
    running.await.expect("no panic").expect("a calm end");
    (row, runner.runs.load(Ordering::Relaxed))
}

#[tokio::test]
async fn an_hour_of_waiting_in_all_is_the_most_and_a_crash_does_not_renew_it() {
    // After a crash or a repair, the job does not show earlier waits.
    let due = "update jobs set run_at = clock_timestamp(), snoozes = 0, crashes = 1 where state = 'scheduled'";
    let (row, runs) = run(Duration::from_secs(20 * 60), due).await;
    assert_eq!(
        (&row["status"], &row["error_class"]),
        (&"failed".into(), &"rate_limited".into()),
        "{row}"
    );
    assert_eq!(runs, 4, "three waits of 20 minutes, and no fourth");
    assert_eq!(row["snoozed_ms"], 3_600_000);
    let error = row["error_message"].as_str().expect("a reason");
    assert_eq!(
        error,
        "the provider's rate limit asks for a wait of 1200s after 3600s of waiting; a stage waits 3600s in all"
    );
}

#[tokio::test]
async fn a_wait_that_is_too_long_by_itself_is_not_begun() {
    let due = "update jobs set run_at = clock_timestamp() where state = 'scheduled'";
    let (row, runs) = run(Duration::from_secs(3_601), due).await;
    assert_eq!((&row["status"], runs), (&"failed".into(), 1));
    assert_eq!(row["error_class"], "rate_limited");
}
