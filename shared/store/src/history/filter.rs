//! Which sessions are asked for.

use sqlx::{Postgres, QueryBuilder};
use tarsy_model::{SessionOutcome, SessionStatus};

/// Sessions that have not ended; the words of the index `alert_sessions_live`.
pub(crate) const LIVE: &str =
    "s.completed_at_us is null and s.status in ('pending', 'in_progress')";
/// Sessions that ended; the words of the indexes `alert_sessions_ended_..`.
pub(crate) const ENDED: &str = "s.completed_at_us is not null";

/// All of it must hold.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SessionFilter {
    /// Any of these; empty: every status.
    pub statuses: Vec<SessionStatus>,
    /// This chain.
    pub chain_id: Option<String>,
    /// This alert type.
    pub alert_type: Option<String>,
    /// This severity, as the alert wrote it.
    pub severity: Option<String>,
    /// This outcome.
    pub outcome: Option<SessionOutcome>,
    /// Whether somebody has acknowledged it.
    pub acknowledged: Option<bool>,
    /// Started at this time or later.
    pub started_from_us: Option<i64>,
    /// Started before this time.
    pub started_before_us: Option<i64>,
}

impl SessionFilter {
    /// Whether every session matches.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    fn admits(&self, statuses: &[SessionStatus]) -> bool {
        self.statuses.is_empty() || self.statuses.iter().any(|status| statuses.contains(status))
    }

    /// The conditions of each arm that can hold a match.
    pub(super) fn arms(&self) -> Vec<&'static str> {
        let live = self.outcome.is_none()
            && self.admits(&[SessionStatus::Pending, SessionStatus::InProgress]);
        let ended = self.admits(&[
            SessionStatus::Completed,
            SessionStatus::Failed,
            SessionStatus::Cancelled,
        ]);
        [live.then_some(LIVE), ended.then_some(ENDED)]
            .into_iter()
            .flatten()
            .collect()
    }

    /// Write the conditions, each after `and`, over a table called `s`.
    pub(crate) fn push(&self, query: &mut QueryBuilder<Postgres>) {
        if let [status] = self.statuses[..] {
            // A single value, not an array: only then is the index in the order of time.
            query
                .push(" and s.status = ")
                .push_bind(status.as_str())
                .push("::session_status");
        } else if !self.statuses.is_empty() {
            let words: Vec<String> = self.statuses.iter().map(ToString::to_string).collect();
            query
                .push(" and s.status = any(")
                .push_bind(words)
                .push("::session_status[])");
        }
        for (column, value) in [
            ("chain_id", &self.chain_id),
            ("alert_type", &self.alert_type),
            ("severity", &self.severity),
        ] {
            if let Some(value) = value {
                query
                    .push(" and s.")
                    .push(column)
                    .push(" = ")
                    .push_bind(value.clone());
            }
        }
        if let Some(outcome) = self.outcome {
            query
                .push(" and s.outcome = ")
                .push_bind(outcome.as_str())
                .push("::session_outcome");
        }
        if let Some(acknowledged) = self.acknowledged {
            // Marked by a trigger of session_care.
            query.push(if acknowledged {
                " and s.is_seen"
            } else {
                " and not s.is_seen"
            });
        }
        if let Some(from) = self.started_from_us {
            query.push(" and s.started_at_us >= ").push_bind(from);
        }
        if let Some(before) = self.started_before_us {
            query.push(" and s.started_at_us < ").push_bind(before);
        }
    }
}
