//! Runs the jobs of stages that wait for their child sessions.

use tarsy_failpoint::reached;
use tarsy_model::SessionId;
use tarsy_queue::{Outcome, within_deadline};
use tarsy_transitions::resume_parents;

use super::Advancer;
use crate::Error;

impl Advancer {
    /// Resumes stages of a session whose children have all ended. Idempotent, because a wait is decided once.
    pub(crate) async fn end_waits_for_children(&self, parent: SessionId) -> Result<Outcome, Error> {
        within_deadline(async {
            let mut conn = self.connections.acquire().await?;
            reached("chain.children.before_commit");
            let queues = resume_parents(&mut conn, parent).await;
            self.connections.give_back(conn, &queues);
            let queues = queues?;
            reached("chain.children.after_commit");
            for queue in &queues {
                self.waker.wake(queue);
            }
            self.waker.wake_watchers();
            Ok(Outcome::Done)
        })
        .await
    }
}
