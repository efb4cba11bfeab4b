//! Recent stages of each pool.

use serde_json::{Value, json};
use uuid::Uuid;

use super::scenes::{ADMIN, CHAIN, accepted};
use crate::server::Server;

/// A stage: how many seconds ago it became due, began and ended, and how many workers it lost.
#[derive(Clone, Copy)]
struct Stage {
    pool: &'static str,
    due: i64,
    began: Option<i64>,
    ended: Option<i64>,
    crashes: i32,
}

const fn stage(pool: &'static str, due: i64, began: i64, ended: i64) -> Stage {
    Stage {
        pool,
        due,
        began: Some(began),
        ended: Some(ended),
        crashes: 0,
    }
}

/// Creates an id with a time this many seconds ago.
fn id(seconds: i64) -> Uuid {
    let at = chrono::Utc::now().timestamp() - seconds;
    let at = uuid::Timestamp::from_unix_time(at.unsigned_abs(), 0, 0, 0);
    Uuid::new_v7(at)
}

/// Inserts the stage and, if it began, its model call.
async fn made(server: &Server, session: Uuid, index: i32, stage: Stage) {
    let execution = id(stage.due);
    sqlx::query(
        "insert into stage_executions (execution_id, session_id, stage_index, stage_name, agent, pool, status, timeout_ms,
                created_at_us, started_at_us, completed_at_us, crash_count)
         values ($1, $2, $3, 's', 'a', $4, case when $6::bigint is null then 'pending' when $7::bigint is null then 'active' else 'completed' end::stage_status,
                 600000, now_us() - $5 * 1000000, now_us() - $6 * 1000000, now_us() - $7 * 1000000, $8)",
    )
    .bind(execution).bind(session).bind(index).bind(stage.pool).bind(stage.due).bind(stage.began).bind(stage.ended).bind(stage.crashes)
    .execute(server.db())
    .await
    .unwrap();
    let Some(began) = stage.began else { return };
    sqlx::query(
        "insert into llm_interactions (interaction_id, session_id, stage_execution_id, sequence, iteration, purpose, timestamp_us,
                provider, model_name, new_messages, success, step_description, claim_epoch)
         values ($1, $2, $3, 0, 1, 'iteration', now_us() - $4 * 1000000, 'p', 'm', '[]', true, '', 1)",
    )
    .bind(id(began)).bind(session).bind(execution).bind(began)
    .execute(server.db())
    .await
    .unwrap();
}

async fn shown(server: &Server, queue: &str) -> Value {
    let answer = server.get(&format!("{ADMIN}/queues")).await.body;
    let queues = answer["queues"].as_array().unwrap();
    let found = queues.iter().find(|one| one["queue"] == queue).unwrap();
    found["stages"].clone()
}

#[tokio::test]
async fn a_pool_reports_how_long_its_stages_waited_and_how_many_were_done() {
    let server = Server::configured(CHAIN).await;
    let session = accepted(&server, json!({})).await;
    let waits = [1, 2, 3, 4, 60].map(|waited| stage("gpu", 600 + waited, 600, 500));
    let long_ago = stage("gpu", 9_000, 8_000, 7_900);
    // This stage waited for hours and began just now, while more than a thousand newer stages still wait.
    let late = Stage {
        ended: None,
        ..stage("gpu", 7_200, 10, 0)
    };
    for (index, stage) in (0..).zip(waits.into_iter().chain([long_ago, late])) {
        made(&server, session, index, stage).await;
    }
    sqlx::query(
        "insert into stage_executions (execution_id, session_id, stage_index, stage_name, agent, pool, timeout_ms)
         select ('ffffffff-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, $1, 100 + n, 's', 'a', 'gpu', 1 from generate_series(1, 1100) n",
    )
    .bind(session)
    .execute(server.db())
    .await
    .unwrap();

    let gpu = shown(&server, "stage:gpu").await;
    assert_eq!(
        [&gpu["begun"], &gpu["ended"], &gpu["recovered_last_day"]],
        [&json!(6), &json!(5), &json!(0)],
        "what ended two hours ago is not counted: {gpu:#}"
    );
    let near = |key: &str, seconds: i64| {
        let ms = gpu[key].as_i64().unwrap();
        assert!((ms - seconds * 1_000).abs() < 100, "{key}: {gpu:#}");
    };
    near("wait_p50_ms", 3);
    near("wait_p95_ms", 7_190);
    let rate = gpu["ended_per_minute"].as_f64().unwrap();
    assert!((rate - 5.0 / 60.0).abs() < 0.001, "{gpu:#}");

    let idle = shown(&server, "stage:default").await;
    assert_eq!(
        (&idle["begun"], &idle["wait_p50_ms"]),
        (&json!(0), &json!(null))
    );
    assert_eq!(shown(&server, "chain").await, json!(null), "of no pool");
    let metrics = server.get("/metrics").await.body;
    let expected = "tarsy_stage_wait_seconds{percentile=\"95\",pool=\"gpu\"} 71";
    assert!(metrics.as_str().unwrap().contains(expected), "{metrics}");
}

#[tokio::test]
async fn orphans_that_continued_are_counted_for_a_day() {
    let server = Server::configured(CHAIN).await;
    let session = accepted(&server, json!({})).await;
    for (index, seconds, crashes) in [(0, 100, 2), (1, 7_200, 1), (2, 90_000, 3)] {
        let lost = Stage {
            crashes,
            ..stage("gpu", seconds, seconds, seconds)
        };
        made(&server, session, index, lost).await;
    }
    let gpu = shown(&server, "stage:gpu").await;
    assert_eq!(gpu["recovered_last_day"], json!(3));
}

#[tokio::test]
async fn of_a_busy_fleet_only_the_newest_are_counted_with_the_start_of_the_period() {
    let server = Server::configured(CHAIN).await;
    let session = accepted(&server, json!({})).await;
    made(&server, session, 0, stage("gpu", 3_001, 3_000, 2_990)).await;
    made(&server, session, 1, stage("gpu", 61, 60, 30)).await;
    // Inserts the maximum number of recent calls that are read. The ids are chosen so that they are
    // the newest.
    sqlx::query(
        "insert into llm_interactions (interaction_id, session_id, stage_execution_id, sequence, iteration, purpose, timestamp_us,
                provider, model_name, new_messages, step_description, claim_epoch)
         select ('ffffffff-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, $1, (select execution_id from stage_executions where stage_index = 1), n, 1, 'iteration',
                now_us() - 300000000, 'p', 'm', '[]', '', 1 from generate_series(1, 5000) n",
    )
    .bind(session)
    .execute(server.db())
    .await
    .unwrap();
    let answer = server.get(&format!("{ADMIN}/queues")).await.body;
    let ago = chrono::Utc::now().timestamp_micros() - answer["since_us"].as_i64().unwrap();
    assert!((ago / 1_000_000 - 300).abs() < 10, "{ago} us");
    let gpu = shown(&server, "stage:gpu").await;
    assert_eq!((&gpu["begun"], &gpu["ended"]), (&json!(1), &json!(1)));
}
