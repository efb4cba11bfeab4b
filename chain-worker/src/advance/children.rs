//! Runs the jobs of stages that wait for their child sessions.

use tarsy_failpoint::reached;
use tarsy_model::SessionId;
use tarsy_queue::Outcome;
use tarsy_transitions::resume_parents;

use super::Advancer;
use crate::Error;

impl Advancer {
    /// Resumes stages of a session whose children have all ended. Idempotent, because a wait is decided once.
    pub(crate) async fn end_waits_for_children(&self, parent: SessionId) -> Result<Outcome, Error> {
        let resuming = self.connections.run(async |conn| {
            reached("chain.children.before_commit");
            let queues = resume_parents(conn, parent).await?;
            reached("chain.children.after_commit");
            Ok::<_, Error>(queues)
        });
        for queue in &resuming.await? {
            self.waker.wake(queue);
        }
        self.waker.wake_watchers();
        Ok(Outcome::Done)
    }
}
