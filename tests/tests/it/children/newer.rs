//! Workers of the previous version must leave jobs of child sessions to this version, because they do not offer what
//! those jobs require.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use tarsy_testing::wait;
use tarsy_tests::{Fleet, SOON};
use uuid::Uuid;

use super::{cancel, children, fleet, hangs, parent_waits};

/// Returns the requirements of the jobs that match, sorted.
async fn required(fleet: &Fleet, jobs: &str) -> Vec<String> {
    let all = format!("select unnest(requires) from jobs j where {jobs} order by 1");
    sqlx::query_scalar(sqlx::AssertSqlSafe(all))
        .fetch_all(fleet.rows.pool())
        .await
        .unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn jobs_and_rows_about_children_name_what_only_this_version_knows() {
    let hanging = Arc::new(AtomicBool::new(true));
    let fleet = fleet(hangs(&hanging)).await;
    let (api, _chain, stage) = (
        fleet.ingest().await,
        fleet.chain_worker(),
        fleet.stage_worker(),
    );
    let session = fleet.submit(&api, "Led").await;
    parent_waits(&fleet).await;
    // A child's stage has an agent that only this version offers, and a stored kind that only this version reads.
    let of_child = "kind = 'stage' and subject in (select execution_id from stage_executions where agent = 'sub-agent:Logs')";
    wait::until("the child to run", SOON, async || {
        required(&fleet, of_child).await.first().map(String::as_str) == Some("agent:sub-agent:Logs")
    })
    .await;
    let stored = "select count(*) from alert_sessions
                  where chain_id = 'sub-agent' and chain_definition #> '{stages,0,work,sub_agent}' is not null";
    assert_eq!(fleet.rows.count(stored).await, 2);
    assert_eq!(
        required(&fleet, "kind = 'wait'").await,
        ["job:children", "job:wait"]
    );
    // The other child ends first. After the worker is gone, it would wait for another worker.
    wait::until("the other child to end", SOON, async || {
        children(&fleet).await == ["Logs in_progress", "Metrics completed"]
    })
    .await;
    // The waiting stage continues on a worker that knows its open call.
    stage.kill();
    let child: Uuid =
        sqlx::query_scalar("select session_id from child_sessions where agent = 'Logs'")
            .fetch_one(fleet.rows.pool())
            .await
            .unwrap();
    assert_eq!(cancel(&api, child).await / 100, 2);
    let of_parent = format!(
        "kind = 'stage' and subject in (select execution_id from stage_executions where session_id = '{session}')"
    );
    wait::until("the parent to go on", SOON, async || {
        required(&fleet, &of_parent).await == ["agent:Lead", "kind:dispatch"]
    })
    .await;
}
