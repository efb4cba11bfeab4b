//! Sorting and paging of lists.

use sqlx::{Postgres, QueryBuilder};
use tarsy_model::SessionId;

use super::filter::{Part, SessionFilter, Traits};

/// Longest time that most sessions take, in µs; a session that is run again may take years.
const USUAL_US: i64 = 3_600_000_000;

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

/// Page of a list.
#[derive(Clone, Copy, Debug, Default)]
pub struct Page {
    /// Sorted by this.
    pub sort: Sort,
    /// In this direction.
    pub order: Order,
    /// At most this many.
    pub limit: i64,
    /// Leave out so many; grows dear with depth, `after` does not.
    pub offset: i64,
    /// Only sessions behind this start and id; needs [`Sort::StartedAt`].
    pub after: Option<(i64, SessionId)>,
}

impl Page {
    /// Write the condition of `after`, behind others.
    pub(super) fn push_after(&self, query: &mut QueryBuilder<Postgres>) {
        let Some((started_at_us, session_id)) = self.after else {
            return;
        };
        let behind = match self.order {
            Order::Descending => "<",
            Order::Ascending => ">",
        };
        query
            .push(" and (s.started_at_us, s.session_id) ")
            .push(behind)
            .push(" (")
            .push_bind(started_at_us)
            .push(", ")
            .push_bind(session_id)
            .push(")");
    }

    /// Write which part is wanted.
    pub(super) fn push_limit(&self, query: &mut QueryBuilder<Postgres>) {
        query
            .push(" limit ")
            .push_bind(self.limit)
            .push(" offset ")
            .push_bind(self.offset);
    }
}

impl Sort {
    /// The expression, as the indexes have it.
    pub(super) const fn key(self) -> &'static str {
        match self {
            Self::StartedAt => "s.started_at_us",
            Self::CompletedAt => "s.completed_at_us",
            Self::Duration => "(s.completed_at_us - s.started_at_us)",
        }
    }
}

impl Order {
    /// The direction. Without words on nulls, as the indexes have it: they hold none.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Ascending => "asc",
            Self::Descending => "desc",
        }
    }
}

/// A part of a list: its conditions, and whether an index has its rows in the list's order.
pub(super) struct Arm {
    condition: String,
    traits: Traits,
    in_order: bool,
}

impl Arm {
    fn in_order(part: &Part, condition: String) -> Self {
        Self {
            condition,
            traits: part.traits,
            in_order: true,
        }
    }

    /// Few rows, found by their conditions and sorted then.
    fn sorted(part: &Part, condition: String) -> Self {
        Self {
            in_order: false,
            ..Self::in_order(part, condition)
        }
    }
}

impl Page {
    /// Each part that can hold a match.
    ///
    /// Who ended last of those that started before a time would be looked for from the newest
    /// end on. So they are sought in three places that are read from where they begin: ends
    /// before that time, ends shortly after it, and ends of sessions that took long.
    pub(super) fn arms(&self, filter: &SessionFilter, parts: &[Part]) -> Vec<Arm> {
        let whole = |part: &Part| vec![Arm::in_order(part, part.condition.clone())];
        if self.sort != Sort::CompletedAt {
            return parts.iter().flat_map(whole).collect();
        }
        let ended = |part: &Part| {
            let of_part = &part.condition;
            let since = match filter.started_from_us {
                Some(from) => format!("{of_part} and s.completed_at_us >= {from}"),
                None => of_part.clone(),
            };
            let (Order::Descending, Some(before)) = (self.order, filter.started_before_us) else {
                return vec![Arm::in_order(part, since)];
            };
            let took = Sort::Duration.key();
            let shortly = before.saturating_add(USUAL_US);
            vec![
                Arm::in_order(part, format!("{since} and s.completed_at_us < {before}")),
                Arm::in_order(
                    part,
                    format!(
                        "{since} and s.completed_at_us >= {before} and s.completed_at_us < {shortly} and {took} <= {USUAL_US}"
                    ),
                ),
                // Not by their ends, which are all that came since: by how long they took.
                Arm::sorted(
                    part,
                    format!(
                        "{of_part} and s.completed_at_us + 0 >= {before} and {took} > {USUAL_US}"
                    ),
                ),
            ]
        };
        parts
            .iter()
            .flat_map(|part| {
                if part.is_ended {
                    ended(part)
                } else {
                    whole(part)
                }
            })
            .collect()
    }

    /// Write the matches of one arm that can be on the page, each with its key in another order
    /// or in this one.
    pub(super) fn push_arm(
        &self,
        query: &mut QueryBuilder<Postgres>,
        arm: &Arm,
        filter: &SessionFilter,
        shown: Sort,
    ) {
        let (key, order) = (self.sort.key(), self.order.word());
        query
            .push("(select s.session_id, ")
            .push(shown.key())
            .push(" as key from alert_sessions s where ")
            .push(&arm.condition);
        filter.push(query, arm.traits);
        self.push_after(query);
        query.push(" order by ").push(key);
        if !arm.in_order {
            // No index is in the order of a sum.
            query.push(" + 0");
        }
        query
            .push(" ")
            .push(order)
            .push(", s.session_id ")
            .push(order)
            .push(" limit ")
            .push_bind(self.limit.saturating_add(self.offset))
            .push(")");
    }
}
