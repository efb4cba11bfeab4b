//! Makes a stage wait for its child sessions.

use sqlx::PgConnection;
use tarsy_model::{CHILDREN_JOB, CHILDREN_PRIORITY, WAIT_JOB, WaitId, WaitSort, job_requirement};
use tarsy_store::Error;
use tarsy_store::interactions::StageFence;

use crate::waits::suspend::{NextJob, Subject, Suspension, suspend};

/// How long a stage waits before it looks at its children again, in ms: an hour. It goes on as soon as they have ended;
/// this is for rows that were changed by hand.
const LOOKS_AGAIN_MS: f64 = 60.0 * 60.0 * 1_000.0;

/// Make a stage wait that is active under its claim, whose job ends; false when the claim was lost and nothing was changed.
///
/// A child may end while this is written, and find no stage that waits. So the wait comes with a job that looks at the
/// children after this commit.
pub async fn wait_for_children(
    conn: &mut PgConnection,
    fence: &StageFence,
    stage_count: i32,
    question: &str,
    priority: i16,
) -> Result<bool, Error> {
    let stage = Suspension {
        claim: fence.claim,
        execution_id: fence.execution_id,
        stage_count,
        wait_id: WaitId::generate(),
        sort: WaitSort::Children,
        question,
        role: None,
        call: None,
        expires_ms: LOOKS_AGAIN_MS,
        priority,
        // Versions that don't know this wait know jobs of waits.
        requires: vec![job_requirement(CHILDREN_JOB), job_requirement(WAIT_JOB)],
        next: NextJob {
            kind: CHILDREN_JOB,
            subject: Subject::Session,
            priority: CHILDREN_PRIORITY,
            requires: vec![job_requirement(CHILDREN_JOB)],
        },
    };
    suspend(conn, &stage).await
}
