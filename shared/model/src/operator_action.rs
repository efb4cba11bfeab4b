//! Actions of operators.

use crate::{Role, words};

/// Action that an operator requests. Routes take the required role from it. The audit log takes the action's name and
/// the kind of its subject from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the words say what each is")]
pub enum OperatorAction {
    CancelSession,
    AcknowledgeSession,
    AssignSession,
    RateSession,
    ReviewSession,
    GroupSession,
    NoteSession,
    AskSession,
    ReadRawSession,
    ReplayStage,
    Approve,
    Deny,
    SendSignal,
    PauseQueue,
    ResumeQueue,
    DrainWorker,
    RequeueJob,
    DiscardJob,
    PruneHistory,
    Redeliver,
    SubmitRejected,
    KeepEvaluation,
    CreateKey,
    RevokeKey,
}

words!(OperatorAction {
    CancelSession => "session.cancel",
    AcknowledgeSession => "session.acknowledge",
    AssignSession => "session.assign",
    RateSession => "session.rate",
    ReviewSession => "session.review",
    GroupSession => "session.incident",
    NoteSession => "session.note",
    AskSession => "session.ask",
    ReadRawSession => "session.read_raw",
    ReplayStage => "stage.replay",
    Approve => "approval.approve",
    Deny => "approval.deny",
    SendSignal => "session.signal",
    PauseQueue => "queue.pause",
    ResumeQueue => "queue.resume",
    DrainWorker => "worker.drain",
    RequeueJob => "dead_job.requeue",
    DiscardJob => "dead_job.discard",
    PruneHistory => "retention.prune",
    Redeliver => "delivery.redeliver",
    SubmitRejected => "rejected_alert.submit",
    KeepEvaluation => "evaluation.keep",
    CreateKey => "key.create",
    RevokeKey => "key.revoke",
});

impl OperatorAction {
    /// Kind of the subject in the audit log, e.g. `session`.
    #[must_use]
    pub fn subject_kind(self) -> &'static str {
        match self {
            Self::ReplayStage | Self::Approve | Self::Deny => "session",
            Self::RequeueJob | Self::DiscardJob => "job",
            Self::PruneHistory => "history",
            _ => self.as_str().split('.').next().unwrap_or_default(),
        }
    }

    /// Role that the action requires.
    #[must_use]
    pub const fn role(self) -> Role {
        match self {
            Self::PruneHistory | Self::CreateKey | Self::RevokeKey => Role::Admin,
            _ => Role::Operator,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::OperatorAction;

    #[test]
    fn every_action_has_a_name_of_its_own() {
        let names: BTreeSet<_> = OperatorAction::WORDS.iter().collect();
        assert_eq!(names.len(), OperatorAction::WORDS.len());
    }
}
