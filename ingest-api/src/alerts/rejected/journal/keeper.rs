//! Writes rejections, a group at a time.

use std::time::Duration;

use prometheus::IntCounterVec;
use sqlx::PgPool;
use tarsy_failpoint::reached;
use tarsy_store::rejected_alerts::NewRejection;
use tokio::sync::mpsc::Receiver;
use tokio_util::sync::CancellationToken;

/// Rejections of one source that are kept.
const MOST: i64 = 1_000;
/// Of senders that had not shown who they are: their flood does not push out the others.
const MOST_UNPROVEN: i64 = 100;
/// Rejections written at once.
const GROUP: usize = 32;
/// Pause between two groups.
const PAUSE: Duration = Duration::from_millis(200);

/// Keep what is queued until `stop`, and then what is left.
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
        if let Err(error) = keep(pool, &group).await {
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
