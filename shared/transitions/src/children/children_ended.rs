//! Lets stages go on whose child sessions have ended.

use sqlx::PgConnection;
use tarsy_model::SessionId;
use tarsy_store::Error;
use tarsy_store::children::waits_whose_children_ended;
use tarsy_store::waits::find_wait;

use crate::{Verdict, decide_wait};

/// Give stages of `session_id` their job that wait for children all of which have ended; the queues that got jobs.
///
/// Idempotent. A stage that waits dispatches nothing, so children that have ended when they are looked at are all it waits for.
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
