//! Finds search candidates with a trigram index.

use std::time::Duration;

use sqlx::{Connection as _, PgConnection, Postgres, QueryBuilder};
use uuid::Uuid;

use super::terms;
use crate::history::SessionFilter;
use crate::{Error, error};

/// Returns all sessions within the filter's start times whose document contains each term of `text`. Returns `None` if
/// there are more than `most`, or if the time limit is reached: if the trigrams of a text occur everywhere, the index
/// reads everything.
///
/// Runs in a transaction, or in a savepoint of the caller's, so that the time limit ends with it.
pub(super) async fn by_trigrams(
    conn: &mut PgConnection,
    text: &str,
    filter: &SessionFilter,
    most: usize,
    patience: Duration,
) -> Result<Option<Vec<Uuid>>, Error> {
    let mut tx = conn.begin().await?;
    sqlx::query!(
        "select set_config('statement_timeout', $1, true) as set",
        // Zero would mean no limit.
        patience.as_millis().max(1).to_string()
    )
    .fetch_one(&mut *tx)
    .await?;
    let mut query =
        QueryBuilder::<Postgres>::new("select d.session_id from session_search d where true");
    for term in terms(text) {
        query
            .push(" and d.document like fold_case(")
            .push_bind(pattern(&term))
            .push(")");
    }
    push_times(&mut query, filter);
    query
        .push(" limit ")
        .push_bind(i64::try_from(most).unwrap_or(i64::MAX).saturating_add(1));
    let found: Result<Vec<Uuid>, _> = query
        .build_query_scalar()
        // Planned for this text. A generic plan would read the whole table.
        .persistent(false)
        .fetch_all(&mut *tx)
        .await;
    tx.rollback().await?;
    match found {
        Ok(ids) => Ok((ids.len() <= most).then_some(ids)),
        Err(error) if error::is_out_of_time(&error) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Writes the conditions on the start time, for documents named `d`.
pub(super) fn push_times(query: &mut QueryBuilder<Postgres>, filter: &SessionFilter) {
    if let Some(from) = filter.started_from_us {
        query.push(" and d.started_at_us >= ").push_bind(from);
    }
    if let Some(before) = filter.started_before_us {
        query.push(" and d.started_at_us < ").push_bind(before);
    }
}

/// Returns a `like` pattern that contains the text, with special characters escaped.
pub(crate) fn pattern(text: &str) -> String {
    let mut pattern = String::from("%");
    for c in text.chars() {
        if matches!(c, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern.push('%');
    pattern
}
