//! Leaves a stage to another worker if this machine lacks what the stage needs.

use sqlx::Connection as _;
use tarsy_agent::RunError;
use tarsy_failpoint::reached;
use tarsy_queue::{Backoff, Connections, StopSignal, Waker};
use tarsy_store::Error;
use tarsy_store::interactions::StageFence;

/// Hands a stage over to another worker. Returns whether there is one.
///
/// The stage gets its whole time again, because it may have to wait for a free slot there. At most three workers try a
/// stage, so this ends.
pub(crate) async fn hand_over(
    connections: &Connections,
    waker: &Waker,
    fence: StageFence,
    why: &str,
) -> Result<bool, RunError> {
    let handing = connections.run(async |conn| {
        let mut tx = conn.begin().await?;
        let Some(queue) = tarsy_queue::hand_over(&mut tx, &fence.claim).await? else {
            return Ok(None);
        };
        tarsy_store::stages::unset_deadline(&mut tx, fence.execution_id, fence.claim, false)
            .await?;
        reached("stage.hand_over.before_commit");
        tx.commit().await?;
        reached("stage.hand_over.after_commit");
        Ok::<_, Error>(Some(queue))
    });
    match handing.await {
        Ok(Some(queue)) => {
            tracing::warn!(
                session.id = %fence.session_id, stage.execution_id = %fence.execution_id, reason = why,
                "this worker can't run the stage; another worker tries it"
            );
            waker.wake_for_returned(&queue);
            Ok(true)
        }
        Ok(None) => Ok(false),
        Err(Error::ClaimLost) => Err(RunError::ClaimLost),
        Err(error) => Err(RunError::Unavailable(error.into())),
    }
}

/// Resets the deadline of a stage for which this machine has a shortage, so that another worker has the whole time.
/// Retries until it is written, because the job can't be released before that. If the run is stopped, the stage keeps
/// the rest of its time.
pub(crate) async fn restart_deadline(
    connections: &Connections,
    fence: StageFence,
    stop: &StopSignal,
) {
    let mut failures = 0;
    loop {
        let restarting = connections.run(async |conn| {
            reached("stage.restart_deadline.before_commit");
            tarsy_store::stages::unset_deadline(conn, fence.execution_id, fence.claim, false)
                .await?;
            reached("stage.restart_deadline.after_commit");
            Ok::<_, Error>(())
        });
        let Err(error) = restarting.await else {
            return;
        };
        tracing::warn!(
            ?error, stage.execution_id = %fence.execution_id,
            "failed to restart the deadline of a stage that goes to another worker"
        );
        if !error.is_transient() {
            return;
        }
        tokio::select! {
            () = tokio::time::sleep(Backoff::CONNECTION.delay(failures)) => {}
            _ = stop.stopped() => return,
        }
        failures = failures.saturating_add(1).min(16);
    }
}
