//! Arms of a list: parts that an index returns in the order of the list.

use sqlx::{PgConnection, Postgres, QueryBuilder};
use tarsy_model::severity_rank;

use super::filter::{Part, SessionFilter, Traits};
use super::page::{ListPosition, Order, Page, Sort};
use crate::Error;

/// Maximum duration of most sessions, in µs. A session that is replayed may take years.
const USUAL_US: i64 = 3_600_000_000;
/// Maximum number of severities that are read one by one, each in the order of its index. Senders use only a few.
const SEVERITIES: usize = 50;

/// A part of a list: its conditions and its sort columns.
pub(super) struct Arm {
    tables: &'static str,
    condition: String,
    traits: Traits,
    /// Sort key; `null` if the sessions of this arm have none.
    key: String,
    /// Columns that the arm is sorted by. If no index has this order, the arm has few rows.
    columns: Vec<String>,
    severity: Option<String>,
}

const SESSIONS: &str = "alert_sessions s";
/// Ended sessions joined with the sums that were stored for their end.
const TALLIED: &str = "session_tallies y join alert_sessions s on s.session_id = y.session_id and s.completed_at_us = y.completed_at_us";
const UNTALLIED: &str = "s.completed_at_us > (select completed_at_us from session_tallies_cursor) and not exists \
     (select from session_tallies y where y.session_id = s.session_id and y.completed_at_us = s.completed_at_us)";

impl Arm {
    fn new(page: &Page, part: &Part, condition: String) -> Self {
        let key = page.sort.key();
        let columns = match page.sort {
            Sort::Severity => vec![key.clone(), "s.started_at_us".to_owned()],
            _ => vec![key.clone()],
        };
        Self {
            tables: SESSIONS,
            condition,
            traits: part.traits,
            key,
            columns,
            severity: None,
        }
    }

    /// Creates an arm of few sessions, which are found by their conditions and then sorted.
    fn sorted(page: &Page, part: &Part, condition: String) -> Self {
        let arm = Self::new(page, part, condition);
        // Adding 0 keeps the planner from using an index in this order.
        let columns = arm.columns.iter().map(|column| format!("{column} + 0"));
        Self {
            columns: columns.collect(),
            ..arm
        }
    }

    /// Creates an arm of few sessions without a sort key.
    fn without_key(part: &Part, condition: String) -> Self {
        Self {
            tables: SESSIONS,
            condition,
            traits: part.traits,
            key: "null::float8".to_owned(),
            columns: Vec::new(),
            severity: None,
        }
    }
}

impl Page {
    /// Returns an arm for each part that can contain a match of this page.
    pub(super) async fn arms(
        &self,
        conn: &mut PgConnection,
        filter: &SessionFilter,
        parts: &[Part],
    ) -> Result<Vec<Arm>, Error> {
        let mut arms = Vec::new();
        for part in parts {
            match self.sort {
                Sort::StartedAt => {
                    let condition = format!("{}{}", part.condition, self.after_cursor());
                    arms.push(Arm::new(self, part, condition));
                }
                Sort::Severity => self.by_severity(conn, part, &mut arms).await?,
                _ if !part.is_ended => arms.extend(self.keyless(part, &part.condition)),
                Sort::CompletedAt => arms.extend(self.by_end(filter, part)),
                Sort::Duration => arms.extend(
                    self.keyed(|after| Arm::new(self, part, format!("{}{after}", part.condition))),
                ),
                Sort::Cost => arms.extend(self.by_cost(part)),
            }
        }
        Ok(arms)
    }

    /// Creates an arm whose sessions have a key, with the condition for rows after the cursor. Returns `None` if there
    /// are none.
    fn keyed(&self, arm: impl Fn(String) -> Arm) -> Option<Arm> {
        let Some(place) = &self.after else {
            return Some(arm(String::new()));
        };
        let key = match self.sort {
            Sort::Cost => "y.cost_usd".to_owned(),
            _ => self.sort.key(),
        };
        let (operator, at) = (self.order.later_operator(), self.sort.literal(place.key?));
        let id = place.session_id;
        let table = if self.sort == Sort::Cost { "y" } else { "s" };
        Some(arm(format!(
            " and ({key}, {table}.session_id) {operator} ({at}, '{id}'::uuid)"
        )))
    }

    /// Returns the condition for rows after the cursor, for sessions without a key.
    fn after_cursor_keyless(&self, table: &str) -> String {
        match &self.after {
            Some(ListPosition {
                key: None,
                session_id,
                ..
            }) => {
                format!(
                    " and {table}.session_id {} '{session_id}'::uuid",
                    self.order.later_operator()
                )
            }
            _ => String::new(),
        }
    }

    fn keyless(&self, part: &Part, condition: &str) -> Option<Arm> {
        let after = self.after_cursor_keyless("s");
        Some(Arm::without_key(part, format!("{condition}{after}")))
    }

    /// Returns arms in the order of the end. To find the last ended of the sessions that started before a given time,
    /// one index scan would begin at the newest end. The query is therefore split into three parts, each with a useful
    /// start: ends before that time, ends shortly after it, and ends of sessions that took long.
    fn by_end(&self, filter: &SessionFilter, part: &Part) -> Vec<Arm> {
        let of_part = &part.condition;
        let since = match filter.started_from_us {
            Some(from) => format!("{of_part} and s.completed_at_us >= {from}"),
            None => of_part.clone(),
        };
        let whole = |condition: String| {
            self.keyed(|after| Arm::new(self, part, format!("{condition}{after}")))
        };
        let (Order::Descending, Some(before)) = (self.order, filter.started_before_us) else {
            return whole(since).into_iter().collect();
        };
        let took = Sort::Duration.key();
        let shortly = before.saturating_add(USUAL_US);
        let arms = [
            whole(format!("{since} and s.completed_at_us < {before}")),
            whole(format!(
                "{since} and s.completed_at_us >= {before} and s.completed_at_us < {shortly} and {took} <= {USUAL_US}"
            )),
            // Found by their duration, not by their end: the latter would read all sessions that ended since.
            self.keyed(|after| {
                let long = format!(
                    "{of_part} and s.completed_at_us + 0 >= {before} and {took} > {USUAL_US}{after}"
                );
                Arm::sorted(self, part, long)
            }),
        ];
        arms.into_iter().flatten().collect()
    }

    /// Returns arms for sessions with a price, sessions without one, and sessions whose sums are not stored yet.
    fn by_cost(&self, part: &Part) -> Vec<Arm> {
        let of_part = &part.condition;
        let priced = self.keyed(|after| Arm {
            tables: TALLIED,
            key: "y.cost_usd".to_owned(),
            columns: vec!["y.cost_usd".to_owned()],
            ..Arm::new(
                self,
                part,
                format!("{of_part} and y.cost_usd is not null{after}"),
            )
        });
        let after = self.after_cursor_keyless("y");
        let unpriced = Arm {
            tables: TALLIED,
            // Given in the order of the index, because the planner knows no order among nulls.
            columns: vec!["y.cost_usd".to_owned()],
            ..Arm::without_key(part, format!("{of_part} and y.cost_usd is null{after}"))
        };
        let untallied = self.keyless(part, &format!("{of_part} and {UNTALLIED}"));
        priced
            .into_iter()
            .chain([unpriced])
            .chain(untallied)
            .collect()
    }

    /// Adds one arm per severity, in the order of its index. Live sessions are few and need only one arm.
    async fn by_severity(
        &self,
        conn: &mut PgConnection,
        part: &Part,
        arms: &mut Vec<Arm>,
    ) -> Result<(), Error> {
        let severities = match part.is_ended {
            true => severities(conn).await?,
            false => None,
        };
        let Some(severities) = severities else {
            let condition = format!("{}{}", part.condition, self.after_cursor());
            arms.push(Arm::new(self, part, condition));
            return Ok(());
        };
        for severity in severities {
            let rank = severity_rank(&severity);
            let Some(after) = self.after_cursor_in_rank(rank) else {
                continue;
            };
            arms.push(Arm {
                key: rank.to_string(),
                columns: vec!["s.started_at_us".to_owned()],
                severity: Some(severity),
                ..Arm::new(self, part, format!("{}{after}", part.condition))
            });
        }
        Ok(())
    }

    /// Returns the condition for rows after the cursor, among sessions of one rank; `None` if there are none.
    fn after_cursor_in_rank(&self, rank: usize) -> Option<String> {
        let Some(place) = &self.after else {
            return Some(String::new());
        };
        let compared = (rank as f64).total_cmp(&place.key.unwrap_or_default());
        let compared = match self.order {
            Order::Ascending => compared,
            Order::Descending => compared.reverse(),
        };
        match compared {
            std::cmp::Ordering::Greater => Some(String::new()),
            std::cmp::Ordering::Equal => Some(format!(" and {}", self.tie(place))),
            std::cmp::Ordering::Less => None,
        }
    }

    /// Writes the query of one arm's matches that can be on the page, each with its sort position. `shown` is the sort
    /// of the list, if the arm is read in another order.
    pub(super) fn push_arm(
        &self,
        query: &mut QueryBuilder<Postgres>,
        arm: &Arm,
        filter: &SessionFilter,
        shown: Option<Sort>,
    ) {
        let order = self.order.word();
        query
            .push("(select s.session_id, (")
            .push(shown.map_or_else(|| arm.key.clone(), Sort::key))
            .push(")::float8 as key, s.started_at_us from ")
            .push(arm.tables)
            .push(" where ")
            .push(&arm.condition);
        if let Some(severity) = &arm.severity {
            query.push(" and s.severity = ").push_bind(severity.clone());
        }
        filter.push(query, arm.traits);
        query.push(" order by ");
        for column in &arm.columns {
            query.push(column).push(" ").push(order).push(", ");
        }
        let table = if arm.tables == TALLIED { "y" } else { "s" };
        query
            .push(table)
            .push(".session_id ")
            .push(order)
            .push(" limit ")
            .push_bind(self.limit.saturating_add(self.offset))
            .push(")");
    }
}

/// Returns the severities of ended sessions, as written by senders; `None` if they are too many to read one by one.
async fn severities(conn: &mut PgConnection) -> Result<Option<Vec<String>>, Error> {
    // Jumps from one value of the index to the next.
    let found: Vec<String> = sqlx::query_scalar(
        "with recursive found as (
             (select severity from alert_sessions where completed_at_us is not null order by severity limit 1)
             union all
             select (select s.severity from alert_sessions s where s.completed_at_us is not null and s.severity > f.severity
                     order by s.severity limit 1)
             from found f where f.severity is not null
         ) select severity from found where severity is not null limit $1",
    )
    .bind(i64::try_from(SEVERITIES).unwrap_or(i64::MAX) + 1)
    .fetch_all(conn)
    .await?;
    Ok((found.len() <= SEVERITIES).then_some(found))
}
