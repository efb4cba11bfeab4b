//! Entries of the audit log.

use serde_json::Value;
use sqlx::PgConnection;
use tarsy_store::admin::{NewAuditEntry, record_audit};

use super::request::Reason;
use crate::access::Actor;
use crate::problem::Problem;

/// What is done, by the words of the log.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Action {
    CancelSession,
    Acknowledge,
    Assign,
    Rate,
    ReadRaw,
    ReplayStage,
    PauseQueue,
    ResumeQueue,
    DrainWorker,
    RequeueJob,
    DiscardJob,
    Prune,
    Redeliver,
    SubmitRejected,
    CreateKey,
    RevokeKey,
}

impl Action {
    /// The action, and what kind of thing it is done to.
    const fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::CancelSession => ("session.cancel", "session"),
            Self::Acknowledge => ("session.acknowledge", "session"),
            Self::Assign => ("session.assign", "session"),
            Self::Rate => ("session.rate", "session"),
            Self::ReadRaw => ("session.read_raw", "session"),
            Self::ReplayStage => ("stage.replay", "session"),
            Self::PauseQueue => ("queue.pause", "queue"),
            Self::ResumeQueue => ("queue.resume", "queue"),
            Self::DrainWorker => ("worker.drain", "worker"),
            Self::RequeueJob => ("dead_job.requeue", "job"),
            Self::DiscardJob => ("dead_job.discard", "job"),
            Self::Prune => ("retention.prune", "history"),
            Self::Redeliver => ("delivery.redeliver", "delivery"),
            Self::SubmitRejected => ("rejected_alert.submit", "rejected_alert"),
            Self::CreateKey => ("key.create", "key"),
            Self::RevokeKey => ("key.revoke", "key"),
        }
    }
}

/// Note who does what and why, in the transaction that does it.
pub(crate) async fn note(
    conn: &mut PgConnection,
    actor: &Actor,
    action: Action,
    subject: impl ToString,
    reason: &Reason,
    details: Value,
) -> Result<(), Problem> {
    let (action, subject_kind) = action.words();
    let entry = NewAuditEntry {
        actor: actor.name().to_owned(),
        role: actor.role().as_str(),
        means: actor.means().audited(),
        key_id: actor.key_id(),
        action,
        subject_kind,
        subject: subject.to_string(),
        reason: reason.as_str().to_owned(),
        details,
    };
    record_audit(conn, &entry).await?;
    Ok(())
}
