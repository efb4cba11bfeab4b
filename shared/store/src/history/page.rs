//! Sorting and paging of lists.

use std::cmp::Ordering;

use sqlx::{Postgres, QueryBuilder};
use tarsy_model::{SessionId, UNKNOWN_SEVERITY_RANK, severity_words};
use uuid::Uuid;

/// Sort key of a list. Ties are broken by id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Sort {
    /// Time of acceptance.
    #[default]
    StartedAt,
    /// Time of the end. Sessions that have not ended come last.
    CompletedAt,
    /// Duration. Sessions that have not ended come last.
    Duration,
    /// Severity of the alert; within a severity, time of acceptance.
    Severity,
    /// Cost, from the sums stored at the end. Sessions without a price come last.
    Cost,
}

/// Sort direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Order {
    /// Smallest first.
    Ascending,
    /// Largest first.
    #[default]
    Descending,
}

/// Position of a session in a sorted list.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ListPosition {
    /// Value of the sort key. `None` comes last in both directions. Not needed if the list is sorted by start.
    pub key: Option<f64>,
    /// Time of acceptance, in Unix microseconds.
    pub started_at_us: i64,
    /// Id of the session, which breaks ties.
    pub session_id: SessionId,
}

/// Page of a list.
#[derive(Clone, Copy, Debug, Default)]
pub struct Page {
    /// Value the list is sorted by.
    pub sort: Sort,
    /// Direction of the sort.
    pub order: Order,
    /// Maximum number of sessions.
    pub limit: i64,
    /// Number of sessions to skip. Gets expensive if large; `after` does not.
    pub offset: i64,
    /// Only sessions after this position.
    pub after: Option<ListPosition>,
}

impl Page {
    /// Returns the SQL condition for sessions after the cursor, to append to others, for a table named `s`.
    pub(super) fn after_cursor(&self) -> String {
        let Some(place) = &self.after else {
            return String::new();
        };
        let (key, tie) = (self.sort.key(), self.tie(place));
        let operator = self.order.later_operator();
        match (self.sort, place.key) {
            (Sort::StartedAt, _) => format!(" and {tie}"),
            (_, Some(at)) => {
                let at = self.sort.literal(at);
                format!(" and ({key} {operator} {at} or {key} is null or ({key} = {at} and {tie}))")
            }
            (_, None) => format!(" and {key} is null and {tie}"),
        }
    }

    /// Returns the SQL condition that a session with the same key comes after the position.
    pub(super) fn tie(&self, place: &ListPosition) -> String {
        let (operator, id) = (self.order.later_operator(), place.session_id);
        match self.sort.has_start() {
            true => format!(
                "(s.started_at_us, s.session_id) {operator} ({}, '{id}'::uuid)",
                place.started_at_us
            ),
            false => format!("s.session_id {operator} '{id}'::uuid"),
        }
    }

    /// Compares two positions.
    pub(super) fn compare(&self, a: &ListPosition, b: &ListPosition) -> Ordering {
        // Sessions without a key come last in both directions.
        let by_key = a.key.is_none().cmp(&b.key.is_none());
        let key = |place: &ListPosition| place.key.unwrap_or_default();
        let start = |place: &ListPosition| self.sort.has_start().then_some(place.started_at_us);
        let rest = key(a)
            .total_cmp(&key(b))
            .then(start(a).cmp(&start(b)))
            .then(a.session_id.as_uuid().cmp(&b.session_id.as_uuid()));
        by_key.then(match self.order {
            Order::Ascending => rest,
            Order::Descending => rest.reverse(),
        })
    }

    /// Writes the order and limits for rows with `key`, `started_at_us` and `session_id`.
    pub(super) fn push_order(&self, query: &mut QueryBuilder<Postgres>) {
        let order = self.order.word();
        query
            .push(" order by key ")
            .push(order)
            .push(" nulls last, ");
        if self.sort.has_start() {
            query.push("started_at_us ").push(order).push(", ");
        }
        query
            .push("session_id ")
            .push(order)
            .push(" limit ")
            .push_bind(self.limit)
            .push(" offset ")
            .push_bind(self.offset);
    }
}

impl Sort {
    /// Returns the SQL expression for a table named `s`, as the indexes have it.
    pub(super) fn key(self) -> String {
        match self {
            Self::StartedAt => "s.started_at_us".to_owned(),
            Self::CompletedAt => "s.completed_at_us".to_owned(),
            Self::Duration => "(s.completed_at_us - s.started_at_us)".to_owned(),
            Self::Severity => severity_key(),
            Self::Cost => "(select y.cost_usd from session_tallies y where y.session_id = s.session_id and y.completed_at_us = s.completed_at_us)".to_owned(),
        }
    }

    /// Formats a key as an SQL literal.
    pub(super) fn literal(self, key: f64) -> String {
        match self {
            Self::Cost => format!("{key:?}::float8"),
            _ => format!("{}::bigint", key as i64),
        }
    }

    /// Returns whether sessions with the same key are ordered by their start.
    pub(super) const fn has_start(self) -> bool {
        matches!(self, Self::StartedAt | Self::Severity)
    }
}

/// Returns the SQL expression for the rank of a severity.
fn severity_key() -> String {
    let ranks = severity_words().map(|(rank, words)| {
        let words: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
        format!(
            "when lower(btrim(s.severity)) in ({}) then {rank}",
            words.join(", ")
        )
    });
    let ranks: Vec<String> = ranks.collect();
    format!(
        "(case {} else {UNKNOWN_SEVERITY_RANK} end)",
        ranks.join(" ")
    )
}

impl Order {
    /// Returns the SQL direction. It does not say where nulls go, because the indexes hold no nulls.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Ascending => "asc",
            Self::Descending => "desc",
        }
    }

    /// Returns the operator for rows that come later in the list.
    pub(super) const fn later_operator(self) -> &'static str {
        match self {
            Self::Ascending => ">",
            Self::Descending => "<",
        }
    }
}

/// Position in a list that is sorted by start.
impl From<(i64, SessionId)> for ListPosition {
    fn from((started_at_us, session_id): (i64, SessionId)) -> Self {
        Self {
            key: None,
            started_at_us,
            session_id,
        }
    }
}

impl ListPosition {
    /// Creates the position of a row.
    pub(super) fn new(session_id: Uuid, key: Option<f64>, started_at_us: i64) -> Self {
        Self {
            key,
            started_at_us,
            session_id: SessionId::from(session_id),
        }
    }
}
