//! Sorting and paging of lists.

use std::cmp::Ordering;

use sqlx::{Postgres, QueryBuilder};
use tarsy_model::{SessionId, UNKNOWN_SEVERITY_RANK, severity_words};
use uuid::Uuid;

/// Sort key of a list; ties are broken by id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Sort {
    /// When it was accepted.
    #[default]
    StartedAt,
    /// When it ended; those that have not come last.
    CompletedAt,
    /// How long it took; those that have not ended come last.
    Duration,
    /// How severe its alert is; of one rank by when they were accepted.
    Severity,
    /// What it cost by the tally of its end; those without a price come last.
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

/// Place of a session in a sorted list.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ListPosition {
    /// What the list is sorted by; `None` comes last in either direction. By start it is not needed.
    pub key: Option<f64>,
    /// When it was accepted.
    pub started_at_us: i64,
    /// Breaks ties.
    pub session_id: SessionId,
}

/// Page of a list.
#[derive(Clone, Copy, Debug, Default)]
pub struct Page {
    /// Value the list is sorted by.
    pub sort: Sort,
    /// Direction of the sort.
    pub order: Order,
    /// At most this many.
    pub limit: i64,
    /// Leave out this many; gets expensive with depth, `after` does not.
    pub offset: i64,
    /// Only sessions behind this place.
    pub after: Option<ListPosition>,
}

impl Page {
    /// Condition of sessions behind the cursor, after others, over a table called `s`.
    pub(super) fn behind(&self) -> String {
        let Some(place) = &self.after else {
            return String::new();
        };
        let (key, tie) = (self.sort.key(), self.tie(place));
        let before = self.order.behind();
        match (self.sort, place.key) {
            (Sort::StartedAt, _) => format!(" and {tie}"),
            (_, Some(at)) => {
                let at = self.sort.literal(at);
                format!(" and ({key} {before} {at} or {key} is null or ({key} = {at} and {tie}))")
            }
            (_, None) => format!(" and {key} is null and {tie}"),
        }
    }

    /// Whether a session of the same key comes behind.
    pub(super) fn tie(&self, place: &ListPosition) -> String {
        let (before, id) = (self.order.behind(), place.session_id);
        match self.sort.has_start() {
            true => format!(
                "(s.started_at_us, s.session_id) {before} ({}, '{id}'::uuid)",
                place.started_at_us
            ),
            false => format!("s.session_id {before} '{id}'::uuid"),
        }
    }

    /// Order of two places.
    pub(super) fn compare(&self, a: &ListPosition, b: &ListPosition) -> Ordering {
        // Those without a key come last in either direction.
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

    /// Writes the order of rows with `key`, `started_at_us` and `session_id`, and which part is wanted.
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
    /// The expression over a table called `s`, as the indexes have it.
    pub(super) fn key(self) -> String {
        match self {
            Self::StartedAt => "s.started_at_us".to_owned(),
            Self::CompletedAt => "s.completed_at_us".to_owned(),
            Self::Duration => "(s.completed_at_us - s.started_at_us)".to_owned(),
            Self::Severity => severity_key(),
            Self::Cost => "(select y.cost_usd from session_tallies y where y.session_id = s.session_id and y.completed_at_us = s.completed_at_us)".to_owned(),
        }
    }

    /// A key in SQL.
    pub(super) fn literal(self, key: f64) -> String {
        match self {
            Self::Cost => format!("{key:?}::float8"),
            _ => format!("{}::bigint", key as i64),
        }
    }

    /// Whether sessions of the same key are in the order of their start.
    pub(super) const fn has_start(self) -> bool {
        matches!(self, Self::StartedAt | Self::Severity)
    }
}

/// Rank of a severity in SQL.
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
    /// The direction. Without words on nulls, as the indexes have it: they hold none.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Ascending => "asc",
            Self::Descending => "desc",
        }
    }

    /// How what comes later compares.
    pub(super) const fn behind(self) -> &'static str {
        match self {
            Self::Ascending => ">",
            Self::Descending => "<",
        }
    }
}

/// A place in a list that is sorted by start.
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
    /// The place of a row of a list.
    pub(super) fn new(session_id: Uuid, key: Option<f64>, started_at_us: i64) -> Self {
        Self {
            key,
            started_at_us,
            session_id: SessionId::from(session_id),
        }
    }
}
