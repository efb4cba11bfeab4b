//! Actions of operators.

use crate::Role;

/// Action that an operator requests. Routes take the required role from it. The audit log takes the action's name and
/// the kind of its subject from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "`name` says what each is")]
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

impl OperatorAction {
    /// Every action.
    pub const ALL: [Self; 24] = [
        Self::CancelSession,
        Self::AcknowledgeSession,
        Self::AssignSession,
        Self::RateSession,
        Self::ReviewSession,
        Self::GroupSession,
        Self::NoteSession,
        Self::AskSession,
        Self::ReadRawSession,
        Self::ReplayStage,
        Self::Approve,
        Self::Deny,
        Self::SendSignal,
        Self::PauseQueue,
        Self::ResumeQueue,
        Self::DrainWorker,
        Self::RequeueJob,
        Self::DiscardJob,
        Self::PruneHistory,
        Self::Redeliver,
        Self::SubmitRejected,
        Self::KeepEvaluation,
        Self::CreateKey,
        Self::RevokeKey,
    ];

    const fn spec(self) -> (&'static str, &'static str, Role) {
        match self {
            Self::CancelSession => ("session.cancel", "session", Role::Operator),
            Self::AcknowledgeSession => ("session.acknowledge", "session", Role::Operator),
            Self::AssignSession => ("session.assign", "session", Role::Operator),
            Self::RateSession => ("session.rate", "session", Role::Operator),
            Self::ReviewSession => ("session.review", "session", Role::Operator),
            Self::GroupSession => ("session.incident", "session", Role::Operator),
            Self::NoteSession => ("session.note", "session", Role::Operator),
            Self::AskSession => ("session.ask", "session", Role::Operator),
            Self::ReadRawSession => ("session.read_raw", "session", Role::Operator),
            Self::ReplayStage => ("stage.replay", "session", Role::Operator),
            Self::Approve => ("approval.approve", "session", Role::Operator),
            Self::Deny => ("approval.deny", "session", Role::Operator),
            Self::SendSignal => ("session.signal", "session", Role::Operator),
            Self::PauseQueue => ("queue.pause", "queue", Role::Operator),
            Self::ResumeQueue => ("queue.resume", "queue", Role::Operator),
            Self::DrainWorker => ("worker.drain", "worker", Role::Operator),
            Self::RequeueJob => ("dead_job.requeue", "job", Role::Operator),
            Self::DiscardJob => ("dead_job.discard", "job", Role::Operator),
            Self::PruneHistory => ("retention.prune", "history", Role::Admin),
            Self::Redeliver => ("delivery.redeliver", "delivery", Role::Operator),
            Self::SubmitRejected => ("rejected_alert.submit", "rejected_alert", Role::Operator),
            Self::KeepEvaluation => ("evaluation.keep", "evaluation", Role::Operator),
            Self::CreateKey => ("key.create", "key", Role::Admin),
            Self::RevokeKey => ("key.revoke", "key", Role::Admin),
        }
    }

    /// Name in the audit log, e.g. `session.cancel`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.spec().0
    }

    /// Kind of the subject in the audit log, e.g. `session`.
    #[must_use]
    pub const fn subject_kind(self) -> &'static str {
        self.spec().1
    }

    /// Role that the action requires.
    #[must_use]
    pub const fn role(self) -> Role {
        self.spec().2
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::OperatorAction;

    #[test]
    fn every_action_has_a_name_of_its_own() {
        let names: BTreeSet<_> = OperatorAction::ALL.map(OperatorAction::name).into();
        assert_eq!(names.len(), OperatorAction::ALL.len());
    }
}
