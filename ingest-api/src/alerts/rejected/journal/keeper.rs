//! Stores rejections in groups.

use std::time::Duration;

use prometheus::IntCounterVec;
use sqlx::PgPool;
use tarsy_failpoint::reached;
use tarsy_store::rejected_alerts::NewRejection;
use tokio::sync::mpsc::Receiver;
use tokio_util::sync::CancellationToken;

/// Maximum number of stored rejections of one source.
const MOST: i64 = 1_000;
/// Maximum number of them from unauthenticated senders, so that their floods do not displace the others.
const MOST_UNPROVEN: i64 = 100;
/// Rejections written at once.
const GROUP: usize = 32;
/// Pause between two groups.
const PAUSE: Duration = Duration::from_millis(200);
/// Timeout of one group. Without it, a connection that never answers would keep the process from stopping.
const PATIENCE: Duration = Duration::from_secs(5);

/// Stores queued rejections until `stop`, and then those that are left.
pub(super) async fn run(
    mut queued: Receiver<NewRejection>,
    pool: &PgPool,
    not_kept: &IntCounterVec,
    stop: &CancellationToken,
) {
    let mut group = Vec::with_capacity(GROUP);
    loop {
        tokio::select! {
            biased;
            _ = queued.recv_many(&mut group, GROUP) => {}
            () = stop.cancelled() => return,
        }
        let kept = tokio::time::timeout(PATIENCE, keep(pool, &group)).await;
        if let Err(error) = kept.unwrap_or_else(|_| Err(sqlx::Error::PoolTimedOut.into())) {
            tracing::warn!(
                ?error,
                rejections = group.len(),
                "rejected alerts are not kept"
            );
            for rejection in &group {
                let labels = [rejection.source.as_str(), "database"];
                not_kept.with_label_values(&labels).inc();
            }
        }
        group.clear();
        tokio::select! {
            () = tokio::time::sleep(PAUSE) => {}
            () = stop.cancelled() => {}
        }
    }
}

async fn keep(pool: &PgPool, group: &[NewRejection]) -> Result<(), tarsy_store::Error> {
    let mut conn = pool.acquire().await?;
    reached("lone.keep_rejections.before_commit");
    tarsy_store::rejected_alerts::keep_rejections(&mut conn, group, MOST, MOST_UNPROVEN).await?;
    reached("lone.keep_rejections.after_commit");
    Ok(())
}
