//! Resumes stages whose child sessions have ended.

use sqlx::PgConnection;
use tarsy_model::SessionId;
use tarsy_store::Error;
use tarsy_store::children::waits_whose_children_ended;
use tarsy_store::waits::find_wait;

use crate::{Verdict, decide_wait};

/// Resumes the stages of `session_id` that wait for children, if all their children have ended. Returns the queues
/// that got jobs.
///
/// Idempotent. A waiting stage dispatches no children, so the children found here are all that it waits for.
pub async fn resume_parents(
    conn: &mut PgConnection,
    session_id: SessionId,
) -> Result<Vec<String>, Error> {
    let mut queues = Vec::new();
    for wait_id in waits_whose_children_ended(conn, session_id).await? {
        let Some(wait) = find_wait(conn, wait_id).await? else {
            continue;
        };
        let decided = decide_wait(conn, &wait, &Verdict::ChildrenEnded).await?;
        queues.extend(decided.map(|decided| decided.queue));
    }
    Ok(queues)
}
