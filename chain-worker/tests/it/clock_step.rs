//! Tests that after Postgres' clock was set back, sessions accepted from then on are found like all others.

use std::time::Duration;

use serde_json::json;
use tarsy_testing::{TestDb, wait};
use tokio_util::sync::CancellationToken;

use crate::silent::{accept, service};

const SESSIONS: i64 = 30;
const SOON: Duration = Duration::from_secs(60);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sessions_after_a_step_of_the_clock_are_found() {
    let db = TestDb::new().await;
    // The state after a clock was an hour ahead and has been corrected.
    sqlx::raw_sql(
        "update search_cursor set started_at_us = now_us() + 3600000000, completed_at_us = now_us() + 3600000000;
         update session_tallies_cursor set completed_at_us = now_us() + 3600000000;
         update session_traits_cursor set started_at_us = now_us() + 3600000000;
         update usage_cursor set completed_at_us = now_us() + 3600000000;
         update session_scores_cursor set completed_at_us = now_us() + 3600000000;
         update session_hours_state set rolled_until_us = (now_us() / 3600000000 + 1) * 3600000000,
             seen_until_us = now_us() + 3600000000",
    )
    .execute(db.pool())
    .await
    .unwrap();
    for _ in 0..SESSIONS {
        accept(&db, &json!({})).await;
    }
    sqlx::raw_sql(
        "update alert_sessions set status = 'completed', completed_at_us = now_us(); delete from jobs",
    )
    .execute(db.pool())
    .await
    .unwrap();
    let stop = CancellationToken::new();
    let running = tokio::spawn(service(&db, db.url()).run(stop.clone(), CancellationToken::new()));
    let found = "select array[
            (select count(*) from session_search where completed_at_us is not null),
            (select count(*) from session_tallies),
            (select count(*) from session_scores),
            (select count(distinct session_id) from session_traits),
            (select count(*) from alert_sessions where completed_at_us <= (select completed_at_us from usage_cursor)
                and (select completed_at_us from usage_cursor) <= now_us())]";
    let mut last: Vec<i64> = Vec::new();
    let all = wait::up_to(SOON, async || {
        last = sqlx::query_scalar(found)
            .fetch_one(db.pool())
            .await
            .unwrap();
        last == [SESSIONS; 5]
    });
    let all = all.await;
    assert!(
        all.is_some(),
        "search, tallies, scores, traits and usage: {last:?}"
    );
    let rolled =
        "select rolled_until_us <= now_us() and seen_until_us <= now_us() from session_hours_state";
    wait::until("hours that are over", SOON, async || {
        let rolled = sqlx::query_scalar::<_, bool>(rolled).fetch_one(db.pool());
        rolled.await.unwrap()
    })
    .await;
    stop.cancel();
    running.await.unwrap().unwrap();
}
