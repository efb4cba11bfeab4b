//! Bounded counts of matching sessions.

use std::time::Duration;

use serde_json::Value;
use sqlx::{Connection as _, PgConnection, Postgres, QueryBuilder, Row as _};

use super::SessionFilter;
use super::filter::{Part, Traits};
use crate::{Error, error};

const EXACT: i64 = 10_000;

/// The same limit if the filter has traits: each match then needs a merge of two indexes.
const EXACT_WITH_TRAITS: i64 = 1_000;

/// Planner cost above which sessions are not counted. An index-only scan of 10,000 rows costs some hundred, and a row
/// at a random position about two. A cost of 5,000 took 10 to 20 ms when it was measured.
const EXPENSIVE: f64 = 5_000.0;

/// Planner cost above which no count of all sessions is tried. An index scan of a million rows costs about 50,000.
const TOO_EXPENSIVE: f64 = 200_000.0;

/// Number of matching sessions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count {
    /// The number, or the planner's estimate if it was not counted.
    pub number: i64,
    /// Whether it was counted.
    pub is_exact: bool,
    /// Lower bound of the number, even if the number is an estimate.
    pub at_least: i64,
}

impl Count {
    /// Builds an exact count, from a result that contains all matches.
    pub(super) fn exact(number: usize) -> Self {
        let number = i64::try_from(number).unwrap_or(i64::MAX);
        Self {
            number,
            is_exact: true,
            at_least: number,
        }
    }
}

/// Counts the matching sessions. The count is exact up to 10,000, if that is cheap. A combination of two filters that
/// no single index covers may have to read most of the table.
pub(super) async fn count_sessions(
    conn: &mut PgConnection,
    filter: &SessionFilter,
) -> Result<Count, Error> {
    let exact = match filter.asks_for_traits() {
        true => EXACT_WITH_TRAITS,
        false => EXACT,
    };
    let (mut number, mut at_least) = (0, 0);
    for part in filter.parts(conn).await? {
        let mut plan = QueryBuilder::<Postgres>::new("explain (format json) ");
        bounded(&mut plan, &part, filter, exact);
        if figure(conn, plan, "/0/Plan/Total Cost").await? > EXPENSIVE {
            number = exact + 1;
            break;
        }
        let mut query = QueryBuilder::<Postgres>::new("select count(*) from (");
        bounded(&mut query, &part, filter, exact);
        query.push(") bounded");
        number += query
            .build_query_scalar::<i64>()
            .persistent(false)
            .fetch_one(&mut *conn)
            .await?;
        at_least = number.min(exact);
    }
    if number <= exact {
        return Ok(Count {
            number,
            is_exact: true,
            at_least: number,
        });
    }
    let mut plan = QueryBuilder::<Postgres>::new(
        "explain (format json) select 1 from alert_sessions s where true",
    );
    filter.push(&mut plan, Traits::Table);
    let expected = figure(conn, plan, "/0/Plan/Plan Rows").await?;
    Ok(Count {
        // For traits the planner's estimate is unreliable.
        number: match filter.asks_for_traits() {
            true => (expected as i64).max(number),
            false => expected as i64,
        },
        is_exact: false,
        at_least,
    })
}

/// Counts all matching sessions. Returns `None` if that takes longer than `patience`, or is expected to be expensive.
pub async fn count_within(
    conn: &mut PgConnection,
    filter: &SessionFilter,
    patience: Duration,
) -> Result<Option<Count>, Error> {
    let parts = filter.parts(conn).await?;
    let counting = |query: &mut QueryBuilder<Postgres>| {
        query.push("select coalesce(sum(number), 0)::bigint from (");
        for (place, part) in parts.iter().enumerate() {
            query
                .push(if place > 0 { " union all " } else { "" })
                .push("select count(*) as number from alert_sessions s where ")
                .push(&part.condition);
            filter.push(query, part.traits);
        }
        query.push(") parts");
    };
    if parts.is_empty() {
        return Ok(Some(Count::exact(0)));
    }
    let mut tx = conn.begin().await?;
    sqlx::query!(
        "select set_config('statement_timeout', $1, true) as set",
        // Zero would mean no limit.
        patience.as_millis().max(1).to_string()
    )
    .fetch_one(&mut *tx)
    .await?;
    let counted = if_cheap(&mut tx, counting).await;
    tx.rollback().await?;
    match counted {
        Ok(number) => Ok(number.map(|number| Count {
            number,
            is_exact: true,
            at_least: number,
        })),
        Err(Error::Database(error)) if error::is_out_of_time(&error) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Runs a counting statement, unless the planner expects it to be expensive.
async fn if_cheap(
    conn: &mut PgConnection,
    statement: impl Fn(&mut QueryBuilder<Postgres>),
) -> Result<Option<i64>, Error> {
    let mut plan = QueryBuilder::<Postgres>::new("explain (format json) ");
    statement(&mut plan);
    if figure(conn, plan, "/0/Plan/Total Cost").await? > TOO_EXPENSIVE {
        return Ok(None);
    }
    let mut query = QueryBuilder::<Postgres>::new("");
    statement(&mut query);
    let number = query.build_query_scalar().persistent(false);
    Ok(Some(number.fetch_one(conn).await?))
}

/// Writes the query of one part's matches, limited to the number that is counted.
fn bounded(query: &mut QueryBuilder<Postgres>, part: &Part, filter: &SessionFilter, exact: i64) {
    query
        .push("select 1 from alert_sessions s where ")
        .push(&part.condition);
    filter.push(query, part.traits);
    query.push(" limit ").push_bind(exact + 1);
}

/// Returns a value of the query plan.
pub(super) async fn figure(
    conn: &mut PgConnection,
    mut plan: QueryBuilder<Postgres>,
    pointer: &str,
) -> Result<f64, Error> {
    let row = plan.build().persistent(false).fetch_one(conn).await?;
    let plan: Value = row.try_get(0)?;
    Ok(plan.pointer(pointer).and_then(Value::as_f64).unwrap_or(0.0))
}
