//! Waits until all work has ended.

use std::time::{Duration, Instant};

use anyhow::Result;
use sqlx::PgPool;
use tarsy_testing::wait;

/// Longest time that a healed fleet may make no progress. It does not limit the whole drain, which depends on the
/// machine's load.
const STALL: Duration = Duration::from_secs(120);

/// Waits until all work has ended or no more progress is made. The invariants report unfinished work.
pub(crate) async fn drain(pool: &PgPool, longest: Duration) {
    let (mut most, mut progress) = (-1, Instant::now());
    let _ = wait::up_to(longest, async || {
        let ended = "select count(*) from torture_ended";
        let ended: Option<i64> = sqlx::query_scalar(ended).fetch_one(pool).await.ok();
        if let Some(ended) = ended.filter(|ended| *ended > most) {
            (most, progress) = (ended, Instant::now());
        }
        live(pool).await.is_ok_and(|live| live == 0) || progress.elapsed() > STALL
    })
    .await;
}

/// Returns the number of sessions and jobs that have not ended.
async fn live(pool: &PgPool) -> Result<i64> {
    let query =
        "select (select count(*) from alert_sessions where status in ('pending', 'in_progress'))
                      + (select count(*) from jobs)
                      + (select count(*) from alert_sessions where session_id in (select session_id from torture_retired)
                            and completed_at_us < now_us() - 8640000000000)";
    Ok(sqlx::query_scalar(query).fetch_one(pool).await?)
}
