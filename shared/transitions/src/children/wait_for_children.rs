//! Makes a stage wait for its child sessions.

use sqlx::PgConnection;
use tarsy_model::{CHILDREN_JOB, CHILDREN_PRIORITY, WAIT_JOB, WaitId, WaitSort, job_requirement};
use tarsy_store::Error;
use tarsy_store::interactions::StageFence;

use crate::waits::suspend::{NextJob, Subject, Suspension, suspend};

/// Time after which a waiting stage checks its children again, in ms: an hour. Normally it continues as soon as they
/// have ended. This check is for rows that were changed by hand.
const RECHECK_MS: f64 = 60.0 * 60.0 * 1_000.0;

/// Makes an active stage wait under its claim, and ends its job. Returns false if the claim was lost and nothing was
/// changed.
///
/// A child may end while this statement runs, and find no waiting stage. The wait therefore comes with a job that
/// checks the children after this commit.
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
        expires_ms: RECHECK_MS,
        priority,
        // Versions that don't support this kind of wait still run jobs of other waits, so require both.
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
