//! How many sessions match, without counting a million of them.

use serde_json::Value;
use sqlx::{PgConnection, Postgres, QueryBuilder, Row as _};

use super::SessionFilter;
use crate::Error;

/// Up to here counts are exact.
const EXACT: i64 = 10_000;

/// How many there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count {
    /// The number; beyond 10,000 the planner's estimate.
    pub number: i64,
    /// Whether it was counted.
    pub is_exact: bool,
}

/// Count the sessions that match, exactly up to 10,000.
///
/// # Errors
///
/// [`Error::Database`].
pub async fn count_sessions(
    conn: &mut PgConnection,
    filter: &SessionFilter,
) -> Result<Count, Error> {
    let mut number = 0;
    for arm in filter.arms() {
        let mut query = QueryBuilder::<Postgres>::new(
            "select count(*) from (select 1 from alert_sessions s where ",
        );
        query.push(arm);
        filter.push(&mut query);
        query.push(" limit ").push_bind(EXACT + 1).push(") bounded");
        number += query
            .build_query_scalar::<i64>()
            .persistent(false)
            .fetch_one(&mut *conn)
            .await?;
    }
    if number <= EXACT {
        return Ok(Count {
            number,
            is_exact: true,
        });
    }
    Ok(Count {
        number: estimate(conn, filter).await?.max(number),
        is_exact: false,
    })
}

/// What the planner expects.
async fn estimate(conn: &mut PgConnection, filter: &SessionFilter) -> Result<i64, Error> {
    let mut query = QueryBuilder::<Postgres>::new(
        "explain (format json) select 1 from alert_sessions s where true",
    );
    filter.push(&mut query);
    let row = query.build().persistent(false).fetch_one(conn).await?;
    let plan: Value = row.try_get(0)?;
    Ok(plan
        .pointer("/0/Plan/Plan Rows")
        .and_then(Value::as_f64)
        .map_or(0, |rows| rows as i64))
}
