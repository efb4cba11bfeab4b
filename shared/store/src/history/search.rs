//! Finding sessions by a text in their alert, errors or analysis.
//!
//! Two ways, because a text that half of the sessions hold is found fastest by looking at the
//! newest, and a text that few hold by its trigrams.

use sqlx::{PgConnection, Postgres, QueryBuilder};
use uuid::Uuid;

use super::list::few;
use super::{Count, Order, Page, SessionFilter, SessionOverview, Sort};
use crate::Error;

/// Newest documents that are looked at one by one.
const NEWEST: i64 = 5_000;
/// Documents that are fetched by their trigrams, at most.
pub(super) const MOST: i64 = 2_000;

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
    let by_time = page.sort == Sort::StartedAt && page.order == Order::Descending;
    if by_time {
        let newest = Documents::Newest(NEWEST);
        let sessions = fetch(conn, &newest, &pattern, filter, page).await?;
        if i64::try_from(sessions.len()).is_ok_and(|found| found == page.limit) {
            let number = page.offset + page.limit;
            return Ok(Hits {
                sessions,
                count: Count {
                    number,
                    is_exact: false,
                },
            });
        }
    }
    // Where the filter leaves few, these are looked at; else where the text does.
    let few = match filter.is_empty() {
        true => None,
        false => few(conn, filter).await?,
    };
    let mut query = QueryBuilder::<Postgres>::new(
        "select session_id from session_search where document like fold_case(",
    );
    query.push_bind(pattern.clone()).push(")");
    if let Some(few) = few {
        query
            .push(" and session_id = any(")
            .push_bind(few)
            .push(")");
    }
    let hits: Vec<Uuid> = query
        .push(" limit ")
        .push_bind(MOST)
        .build_query_scalar()
        // Planned for this text: a plan for any would read the table.
        .persistent(false)
        .fetch_all(&mut *conn)
        .await?;
    let all = i64::try_from(hits.len()).is_ok_and(|found| found < MOST);
    let count = Count {
        number: count(conn, &hits, filter).await?,
        is_exact: all,
    };
    let documents = if all || !by_time {
        Documents::These(hits)
    } else {
        Documents::Ordered
    };
    let sessions = fetch(conn, &documents, &pattern, filter, page).await?;
    Ok(Hits { sessions, count })
}

/// Where matching sessions are looked for.
enum Documents {
    /// Among so many of the newest.
    Newest(i64),
    /// These match.
    These(Vec<Uuid>),
    /// From the newest on until the page is full: for a text that many hold.
    Ordered,
}

async fn fetch(
    conn: &mut PgConnection,
    documents: &Documents,
    pattern: &str,
    filter: &SessionFilter,
    page: &Page,
) -> Result<Vec<SessionOverview>, Error> {
    let (key, order) = (page.sort.key(), page.order.word());
    let mut query = QueryBuilder::<Postgres>::new("with ids as (select s.session_id, ");
    query.push(key).push(" as key from ");
    match documents {
        Documents::Newest(most) => {
            query
                .push("(select session_id from (select session_id, document from session_search order by started_at_us desc, session_id desc limit ")
                .push_bind(*most)
                .push(") newest where document like fold_case(")
                .push_bind(pattern.to_owned())
                .push(")) hits join alert_sessions s using (session_id) where true");
        }
        Documents::These(hits) => {
            query
                .push("alert_sessions s where s.session_id = any(")
                .push_bind(hits.clone())
                .push(")");
        }
        Documents::Ordered => {
            query
                .push("session_search d join alert_sessions s using (session_id) where d.document like fold_case(")
                .push_bind(pattern.to_owned())
                .push(")");
        }
    }
    filter.push(&mut query);
    page.push_after(&mut query);
    match documents {
        // The same values as those of the session, in the order of an index.
        Documents::Ordered => {
            query.push(" order by d.started_at_us desc, d.session_id desc");
        }
        _ => {
            query
                .push(" order by key ")
                .push(order)
                .push(" nulls last, s.session_id ")
                .push(order);
        }
    }
    page.push_limit(&mut query);
    query.push(")");
    page.show(query, conn).await
}

/// How many of the hits pass the filter.
async fn count(
    conn: &mut PgConnection,
    hits: &[Uuid],
    filter: &SessionFilter,
) -> Result<i64, Error> {
    if filter.is_empty() {
        return Ok(i64::try_from(hits.len()).unwrap_or(i64::MAX));
    }
    let mut query = QueryBuilder::<Postgres>::new(
        "select count(*) from alert_sessions s where s.session_id = any(",
    );
    query.push_bind(hits.to_vec()).push(")");
    filter.push(&mut query);
    Ok(query
        .build_query_scalar()
        .persistent(false)
        .fetch_one(conn)
        .await?)
}

/// The `like` pattern of a text that may hold the pattern's own signs.
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
