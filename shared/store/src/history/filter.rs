//! Builds SQL conditions from session filters.

use std::collections::BTreeMap;

use sqlx::{PgConnection, Postgres, QueryBuilder};
use tarsy_model::{Comparison, SessionField, SessionOutcome, SessionStatus};
use uuid::Uuid;

use super::traits::{of_row, traits_written_until};
use crate::Error;

/// Condition of live sessions, in the words of the index `alert_sessions_live`.
const LIVE: &str = "s.completed_at_us is null and s.status in ('pending', 'in_progress')";
/// Condition of ended sessions, in the words of the indexes `alert_sessions_ended_..`.
const ENDED: &str = "s.completed_at_us is not null";

/// Whether lists include sessions of follow-up questions. Sessions of sub-agents are included only with
/// [`FollowUps::Show`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FollowUps {
    /// Lists all sessions.
    #[default]
    Show,
    /// Lists no sessions of follow-up questions.
    Hide,
    /// Lists only sessions of follow-up questions.
    Only,
}

impl FollowUps {
    /// Returns the SQL condition for a table named `s`. Every index on ended sessions includes the chain.
    const fn condition(self) -> Option<&'static str> {
        match self {
            Self::Show => None,
            Self::Hide => Some("s.chain_id not in ('follow-up', 'sub-agent')"),
            Self::Only => Some("s.chain_id = 'follow-up'"),
        }
    }
}

/// Filter of session lists; a session must meet every condition.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SessionFilter {
    /// Accepted statuses; empty: every status.
    pub statuses: Vec<SessionStatus>,
    /// Accepted outcomes; empty: every outcome, and sessions without one.
    pub outcomes: Vec<SessionOutcome>,
    /// Only sessions that started at this time or later, in Unix microseconds.
    pub started_from_us: Option<i64>,
    /// Only sessions that started before this time, in Unix microseconds.
    pub started_before_us: Option<i64>,
    /// Only sessions that ended at this time or later, in Unix microseconds.
    pub ended_from_us: Option<i64>,
    /// Text filters: each field must have one of its values. Each list has at least one value.
    pub equal: BTreeMap<SessionField, Vec<String>>,
    /// Boolean filters, by their required values.
    pub flags: BTreeMap<SessionField, bool>,
    /// Accepted severities; `None`: every severity.
    pub severities: Option<Vec<String>>,
    /// Condition on the estimated cost of ended sessions, in dollars.
    pub cost: Option<(Comparison, f64)>,
    /// Whether sessions of follow-up questions are included.
    pub follow_ups: FollowUps,
}

/// Location of the value of a text filter's field.
enum FieldSource {
    /// In the session's row. Indexes on ended sessions include it.
    Column(&'static str),
    /// In `session_care`.
    Triage(&'static str),
    /// In `session_traits`, or computed from the row by `traits_of`.
    Trait,
    /// In `incident_members`.
    Incident,
    /// In the rows of stages and waits.
    Progress,
}

/// SQL expression for the progress of a session, for a table named `s`; null if the session has ended. It agrees with
/// [`wait_of`](super::wait_of), which lists show. Use it only for live sessions, because it looks up each one.
pub(super) const PROGRESS: &str = "case
    when s.completed_at_us is not null then null
    when exists (select from waits p where p.session_id = s.session_id and p.decision is null and p.role is not null) then 'needs_decision'
    when exists (select from stage_executions p where p.session_id = s.session_id and p.status = 'waiting') then 'in_progress'
    when s.session_id in (select p.session_id from stuck_sessions p) then 'stuck'
    when s.status = 'in_progress' and s.session_id in (select p.session_id from running_sessions p) then 'in_progress'
    else 'queued' end";

const fn place(field: SessionField) -> Option<FieldSource> {
    match field {
        SessionField::ChainId => Some(FieldSource::Column("chain_id")),
        SessionField::AlertType => Some(FieldSource::Column("alert_type")),
        SessionField::Severity => Some(FieldSource::Column("severity")),
        SessionField::Verdict => Some(FieldSource::Column("verdict")),
        SessionField::Label => Some(FieldSource::Column("label")),
        SessionField::Assignee => Some(FieldSource::Triage("assignee")),
        SessionField::Rating => Some(FieldSource::Triage("rating")),
        SessionField::Incident => Some(FieldSource::Incident),
        SessionField::Progress => Some(FieldSource::Progress),
        SessionField::Agent
        | SessionField::Source
        | SessionField::Environment
        | SessionField::Cluster
        | SessionField::Namespace => Some(FieldSource::Trait),
        _ => None,
    }
}

/// Returns the SQL condition of a boolean filter, for a table named `s`. It must never be null.
const fn flag_condition(field: SessionField) -> Option<&'static str> {
    match field {
        // Set by a trigger of `session_care`.
        SessionField::Acknowledged => Some("s.is_seen"),
        SessionField::Lead => Some(
            "not exists (select from incident_members f where f.session_id = s.session_id and not f.is_lead and f.removed_at_us is null)",
        ),
        SessionField::Reviewed => Some(
            "exists (select from session_care v where v.session_id = s.session_id and v.reviewed_at_us is not null)",
        ),
        _ => None,
    }
}

/// Source of the traits of a part's sessions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Traits {
    /// The table `session_traits`, whose index is in the order of time.
    Table,
    /// Each session's row. Computing its traits takes a few microseconds.
    Row,
}

/// A part of all sessions: the live ones or the ended ones. If the filter has traits, ended sessions are split again:
/// those with traits in the table, and younger ones without.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    /// SQL condition for a table named `s`.
    pub(crate) condition: String,
    pub(crate) is_ended: bool,
    pub(crate) traits: Traits,
}

impl SessionFilter {
    /// Returns whether every session matches.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns whether the filter has any condition besides hiding follow-up questions.
    #[must_use]
    pub fn narrows(&self) -> bool {
        let mut rest = self.clone();
        if rest.follow_ups == FollowUps::Hide {
            rest.follow_ups = FollowUps::Show;
        }
        !rest.is_empty()
    }

    fn admits(&self, statuses: &[SessionStatus]) -> bool {
        self.statuses.is_empty() || self.statuses.iter().any(|status| statuses.contains(status))
    }

    /// Returns whether the filter has a condition on traits.
    pub(super) fn asks_for_traits(&self) -> bool {
        let mut fields = self.equal.keys();
        fields.any(|field| matches!(place(*field), Some(FieldSource::Trait)))
    }

    /// Returns the parts that can contain a match.
    pub(crate) async fn parts(&self, conn: &mut PgConnection) -> Result<Vec<Part>, Error> {
        let live = self.outcomes.is_empty()
            && self.cost.is_none()
            && self.ended_from_us.is_none()
            && self.admits(&[SessionStatus::Pending, SessionStatus::InProgress]);
        let ended = !self.equal.contains_key(&SessionField::Progress)
            && self.admits(&[
                SessionStatus::Completed,
                SessionStatus::Failed,
                SessionStatus::Cancelled,
            ]);
        let whole = |condition: &str, is_ended| Part {
            condition: condition.to_owned(),
            is_ended,
            traits: Traits::Row,
        };
        let mut parts = Vec::new();
        // Live sessions are few enough to be read without the table of traits.
        parts.extend(live.then(|| whole(LIVE, false)));
        if !ended {
            return Ok(parts);
        }
        if !self.asks_for_traits() {
            parts.push(whole(ENDED, true));
            return Ok(parts);
        }
        let written_until_us = traits_written_until(conn).await?;
        parts.push(Part {
            condition: format!("{ENDED} and s.started_at_us <= {written_until_us}"),
            is_ended: true,
            traits: Traits::Table,
        });
        parts.push(whole(
            &format!("{ENDED} and s.started_at_us > {written_until_us}"),
            true,
        ));
        Ok(parts)
    }

    /// Writes the conditions for a table named `s`, each after `and`.
    pub(crate) fn push(&self, query: &mut QueryBuilder<Postgres>, traits: Traits) {
        if !self.statuses.is_empty() {
            let words = self.statuses.iter().map(ToString::to_string);
            query.push(" and s.status");
            push_any(query, words.collect(), "::session_status");
        }
        for (field, values) in &self.equal {
            push_equal(query, *field, values, traits);
        }
        if !self.outcomes.is_empty() {
            let words = self
                .outcomes
                .iter()
                .map(|outcome| outcome.as_str().to_owned());
            query.push(" and s.outcome");
            push_any(query, words.collect(), "::session_outcome");
        }
        for (field, value) in &self.flags {
            if let Some(condition) = flag_condition(*field) {
                query.push(if *value { " and (" } else { " and not (" });
                query.push(condition).push(")");
            }
        }
        if let Some(severities) = &self.severities {
            query
                .push(" and s.severity = any(")
                .push_bind(severities.clone())
                .push(")");
        }
        if let Some((comparison, dollars)) = self.cost {
            query
                .push(" and exists (select from session_tallies y where y.session_id = s.session_id and y.completed_at_us = s.completed_at_us and y.cost_usd ")
                .push(comparison.as_str())
                .push(" ")
                .push_bind(dollars)
                .push(")");
        }
        if let Some(condition) = self.follow_ups.condition() {
            query.push(" and ").push(condition);
        }
        if let Some(from) = self.started_from_us {
            query.push(" and s.started_at_us >= ").push_bind(from);
        }
        if let Some(before) = self.started_before_us {
            query.push(" and s.started_at_us < ").push_bind(before);
        }
        if let Some(from) = self.ended_from_us {
            query.push(" and s.completed_at_us >= ").push_bind(from);
        }
    }
}

fn push_equal(
    query: &mut QueryBuilder<Postgres>,
    field: SessionField,
    values: &[String],
    traits: Traits,
) {
    match place(field) {
        Some(FieldSource::Column(column)) => {
            query.push(" and s.").push(column);
            push_any(query, values.to_vec(), "");
        }
        Some(FieldSource::Triage(column)) => {
            query
                .push(" and exists (select from session_care c where c.session_id = s.session_id and c.")
                .push(column)
                .push("::text");
            push_any(query, values.to_vec(), "");
            query.push(")");
        }
        Some(FieldSource::Trait) if traits == Traits::Table => {
            query.push(
                " and exists (select from session_traits t where t.started_at_us = s.started_at_us and t.session_id = s.session_id and t.trait",
            );
            push_any(query, traits_of(field, values), "");
            query.push(")");
        }
        Some(FieldSource::Trait) => {
            query
                .push(" and traits_of(s.source, s.alert_data, s.chain_definition) && ")
                .push_bind(traits_of(field, values));
        }
        Some(FieldSource::Incident) => {
            // Text that is not an id matches no incident.
            let ids: Vec<Uuid> = values
                .iter()
                .filter_map(|value| value.parse().ok())
                .collect();
            query
                .push(" and s.session_id in (select i.session_id from incident_members i where i.removed_at_us is null and i.incident_id = any(")
                .push_bind(ids)
                .push("))");
        }
        Some(FieldSource::Progress) => {
            query.push(" and ").push(PROGRESS);
            push_any(query, values.to_vec(), "");
        }
        // The field has a separate member of the filter, or does not belong to sessions.
        None => {}
    }
}

/// Writes the condition that the preceding expression is one of these values, of type `cast`.
fn push_any(query: &mut QueryBuilder<Postgres>, mut values: Vec<String>, cast: &str) {
    // For a single value it writes no array, because only then the index is in the order of time.
    if let [value] = &mut values[..] {
        query
            .push(" = ")
            .push_bind(std::mem::take(value))
            .push(cast);
        return;
    }
    let array = if cast.is_empty() { "" } else { "[]" };
    query
        .push(" = any(")
        .push_bind(values)
        .push(cast)
        .push(array)
        .push(")");
}

fn traits_of(field: SessionField, values: &[String]) -> Vec<String> {
    values.iter().map(|value| of_row(field, value)).collect()
}
