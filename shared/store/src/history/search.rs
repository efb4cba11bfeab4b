//! Finding sessions by a text in their alert, errors or analysis.
//!
//! Two ways, because a text that half of the sessions hold is found fastest by looking at the
//! newest, and a text that few hold by its trigrams.

use sqlx::{PgConnection, Postgres, QueryBuilder};

use super::list::OVERVIEW;
use super::{Count, Order, Page, SessionFilter, SessionOverview, Sort};
use crate::Error;

/// Newest documents that are looked at one by one.
const NEWEST: i64 = 2_000;
/// Documents that are fetched by their trigrams, at most.
const MOST: i64 = 10_000;

/// What was found.
#[derive(Clone, Debug)]
pub struct Hits {
    /// The page asked for.
    pub sessions: Vec<SessionOverview>,
    /// How many there are; a lower bound unless exact.
    pub count: Count,
}

/// A page of the sessions whose document holds `text`, in any case of letters.
///
/// A session is found a few seconds after it was accepted, when
/// [`index_for_search`](super::index_for_search) has read it.
///
/// # Errors
///
/// [`Error::Database`].
pub async fn search_sessions(
    conn: &mut PgConnection,
    text: &str,
    filter: &SessionFilter,
    page: &Page,
) -> Result<Hits, Error> {
    let pattern = pattern(text);
    if page.sort == Sort::StartedAt && page.order == Order::Descending {
        let newest = format!(
            "select session_id from (select session_id, document from session_search
             order by started_at_us desc, session_id desc limit {NEWEST}) newest"
        );
        let sessions = fetch(conn, &newest, &pattern, filter, page).await?;
        let seen = page.offset + i64::try_from(sessions.len()).unwrap_or(0);
        if i64::try_from(sessions.len()).is_ok_and(|found| found == page.limit) {
            return Ok(Hits {
                sessions,
                count: Count {
                    number: seen,
                    is_exact: false,
                },
            });
        }
    }
    let count = count(conn, &pattern, filter).await?;
    let sessions = fetch(
        conn,
        "select session_id from session_search",
        &pattern,
        filter,
        page,
    )
    .await?;
    Ok(Hits { sessions, count })
}

async fn fetch(
    conn: &mut PgConnection,
    documents: &str,
    pattern: &str,
    filter: &SessionFilter,
    page: &Page,
) -> Result<Vec<SessionOverview>, Error> {
    let (key, order) = (page.sort.key(), page.order.word());
    let mut query = QueryBuilder::<Postgres>::new("with hits as materialized (");
    query
        .push(documents)
        .push(" where document like ")
        .push_bind(pattern.to_owned());
    query
        .push(" limit ")
        .push_bind(MOST)
        .push("), ids as (select s.session_id, ")
        .push(key);
    query.push(" as key from hits join alert_sessions s using (session_id) where true");
    filter.push(&mut query);
    if let Some((started_at_us, session_id)) = page.after {
        let behind = if page.order == Order::Descending {
            "<"
        } else {
            ">"
        };
        query
            .push(" and (s.started_at_us, s.session_id) ")
            .push(behind)
            .push(" (");
        query
            .push_bind(started_at_us)
            .push(", ")
            .push_bind(session_id)
            .push(")");
    }
    query
        .push(" order by key ")
        .push(order)
        .push(" nulls last, s.session_id ")
        .push(order);
    query
        .push(" limit ")
        .push_bind(page.limit)
        .push(" offset ")
        .push_bind(page.offset)
        .push(")");
    query.push(OVERVIEW);
    query
        .push(" order by ids.key ")
        .push(order)
        .push(" nulls last, ids.session_id ")
        .push(order);
    Ok(query
        .build_query_as()
        .persistent(false)
        .fetch_all(conn)
        .await?)
}

async fn count(
    conn: &mut PgConnection,
    pattern: &str,
    filter: &SessionFilter,
) -> Result<Count, Error> {
    let mut query = QueryBuilder::<Postgres>::new(
        "with hits as materialized (select session_id from session_search where document like ",
    );
    query
        .push_bind(pattern.to_owned())
        .push(" limit ")
        .push_bind(MOST);
    query.push(") select (select count(*) from hits), count(*) from hits join alert_sessions s using (session_id) where true");
    filter.push(&mut query);
    let (hits, number): (i64, i64) = query
        .build_query_as()
        .persistent(false)
        .fetch_one(conn)
        .await?;
    Ok(Count {
        number,
        is_exact: hits < MOST,
    })
}

/// The `like` pattern of a text that may hold the pattern's own signs.
pub(crate) fn pattern(text: &str) -> String {
    let mut pattern = String::from("%");
    for c in text.to_ascii_lowercase().chars() {
        if matches!(c, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern.push('%');
    pattern
}
