//! Parts of a list that indexes have in its order.

use sqlx::{PgConnection, Postgres, QueryBuilder};
use tarsy_model::severity_rank;

use super::filter::{Part, SessionFilter, Traits};
use super::page::{ListPosition, Order, Page, Sort};
use crate::Error;

/// Longest time that most sessions take, in µs; a session that is run again may take years.
const USUAL_US: i64 = 3_600_000_000;
/// Severities that are read one by one, each in the order of its index. Senders write a handful.
const SEVERITIES: usize = 50;

/// A part of a list: its conditions, and what it is ordered by.
pub(super) struct Arm {
    tables: &'static str,
    condition: String,
    traits: Traits,
    /// Sort key; `null`: its sessions have none.
    key: String,
    /// Columns that are read in order; without an index they are few.
    columns: Vec<String>,
    severity: Option<String>,
}

const SESSIONS: &str = "alert_sessions s";
/// Ended sessions with the tally of their end.
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

    /// Few sessions, found by their conditions and sorted then.
    fn sorted(page: &Page, part: &Part, condition: String) -> Self {
        let arm = Self::new(page, part, condition);
        // No index is in the order of a sum.
        let columns = arm.columns.iter().map(|column| format!("{column} + 0"));
        Self {
            columns: columns.collect(),
            ..arm
        }
    }

    /// Few sessions that have no key.
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
    /// Each part that can hold a match of this page.
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
                    let condition = format!("{}{}", part.condition, self.behind());
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

    /// An arm whose sessions have a key, with the condition of what is behind the cursor; none, if nothing is.
    fn keyed(&self, arm: impl Fn(String) -> Arm) -> Option<Arm> {
        let Some(place) = &self.after else {
            return Some(arm(String::new()));
        };
        let key = match self.sort {
            Sort::Cost => "y.cost_usd".to_owned(),
            _ => self.sort.key(),
        };
        let (behind, at) = (self.order.behind(), self.sort.literal(place.key?));
        let id = place.session_id;
        let table = if self.sort == Sort::Cost { "y" } else { "s" };
        Some(arm(format!(
            " and ({key}, {table}.session_id) {behind} ({at}, '{id}'::uuid)"
        )))
    }

    /// Condition of what is behind the cursor among sessions without a key.
    fn behind_keyless(&self, table: &str) -> String {
        match &self.after {
            Some(ListPosition {
                key: None,
                session_id,
                ..
            }) => {
                format!(
                    " and {table}.session_id {} '{session_id}'::uuid",
                    self.order.behind()
                )
            }
            _ => String::new(),
        }
    }

    fn keyless(&self, part: &Part, condition: &str) -> Option<Arm> {
        let after = self.behind_keyless("s");
        Some(Arm::without_key(part, format!("{condition}{after}")))
    }

    /// Who ended last of those that started before a time would be looked for from the newest
    /// end on. So they are sought in three places that are read from where they begin: ends
    /// before that time, ends shortly after it, and ends of sessions that took long.
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
            // Not by their ends, which are all that came since: by how long they took.
            self.keyed(|after| {
                let long = format!(
                    "{of_part} and s.completed_at_us + 0 >= {before} and {took} > {USUAL_US}{after}"
                );
                Arm::sorted(self, part, long)
            }),
        ];
        arms.into_iter().flatten().collect()
    }

    /// Those with a price, those without, and those that are not tallied yet.
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
        let after = self.behind_keyless("y");
        let unpriced = Arm {
            tables: TALLIED,
            // As the index is ordered: the planner knows no order among nulls.
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

    /// Each severity in the order of its index. Live sessions are few.
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
            let condition = format!("{}{}", part.condition, self.behind());
            arms.push(Arm::new(self, part, condition));
            return Ok(());
        };
        for severity in severities {
            let rank = severity_rank(&severity);
            let Some(after) = self.behind_rank(rank) else {
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

    /// Condition of what is behind the cursor among sessions of one rank; `None`: nothing is.
    fn behind_rank(&self, rank: usize) -> Option<String> {
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

    /// Writes the matches of one arm that can be on the page, each with its place. `shown`: the list's
    /// own sort, if the arm is read in another.
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

/// Severities of ended sessions, as they were written; `None`: too many to be read one by one.
async fn severities(conn: &mut PgConnection) -> Result<Option<Vec<String>>, Error> {
    // From one value of the index to the next.
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
