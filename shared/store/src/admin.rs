//! Operator actions on sessions, and the audit log.
//!
//! Each function runs in the caller's transaction, in which the caller also writes the audit entry. An action and its
//! entry are thus committed together or not at all. Concurrent actions are serialised by the lock on the session's
//! row.

mod audit;
mod cancel;
mod evaluations;
mod incidents;
mod matching;
mod notes;
mod replay;
mod sizes;
mod subjects;
mod triage;

pub use audit::{AuditEntry, AuditFilter, NewAuditEntry, list_audit, record_audit};
pub use cancel::{
    Cancelled, LiveSession, NotLive, UnfinishedWork, cancel_session, cut_off, lock_live_session,
    unfinished_work,
};
pub use evaluations::{KeptEvaluation, keep_evaluation, kept_evaluations};
pub use incidents::set_incident_member;
pub use matching::{Eligible, Matching, count_matching, matching_sessions};
pub use notes::{NewSessionNote, SessionNote, insert_session_note, session_notes};
pub use replay::{NoReplay, Replay, Replayed, replay_stage};
pub use sizes::{Overdue, TableSize, count_overdue, table_sizes};
pub use subjects::{Subject, live_work, subjects_of};
pub use triage::{Triage, TriageChange, update_triage};
