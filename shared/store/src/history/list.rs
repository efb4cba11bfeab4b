//! Pages of sessions: which they are, from indexes alone; then what is shown of these.

use sqlx::{PgConnection, Postgres, QueryBuilder};
use uuid::Uuid;

use super::counts::count_sessions;
use super::overview::overviews;
use super::{Count, Hits, Order, Page, SessionFilter, SessionOverview, Sort};
use crate::Error;

/// So many matches are fetched and sorted. More are looked for in the order of the index that
/// the list is sorted by, which takes long only where few match.
const FEW: usize = 2_000;

/// A match, and what the list is sorted by.
#[derive(sqlx::FromRow)]
pub(super) struct Match {
    pub(super) session_id: Uuid,
    key: Option<i64>,
}

/// A page of the sessions that match, and how many these are.
///
/// # Errors
///
/// [`Error::Database`].
pub async fn list_sessions(
    conn: &mut PgConnection,
    filter: &SessionFilter,
    page: &Page,
) -> Result<Hits, Error> {
    let few = match page.sort != Sort::StartedAt && filter.narrows() {
        true => few(conn, filter, page.sort).await?,
        false => None,
    };
    let (ids, all) = match few {
        Some(few) => {
            let all = few.len();
            (page.of(few), Some(all))
        }
        None => {
            let ids = walked(conn, filter, page).await?;
            let all = page.tells_all(ids.len());
            (ids, all)
        }
    };
    let count = match all {
        Some(number) => Count::exact(number),
        None => count_sessions(conn, filter).await?,
    };
    Ok(Hits {
        sessions: overviews(conn, &ids).await?,
        count,
        reached: None,
    })
}

/// The page's sessions in its order, each arm read in it.
async fn walked(
    conn: &mut PgConnection,
    filter: &SessionFilter,
    page: &Page,
) -> Result<Vec<Uuid>, Error> {
    let parts = filter.parts(conn).await?;
    let arms = page.arms(filter, &parts);
    if arms.is_empty() {
        return Ok(Vec::new());
    }
    let mut query = QueryBuilder::<Postgres>::new("select session_id from (");
    for (number, arm) in arms.iter().enumerate() {
        if number > 0 {
            query.push(" union all ");
        }
        page.push_arm(&mut query, arm, filter, page.sort);
    }
    let order = page.order.word();
    query
        .push(") arms order by key ")
        .push(order)
        .push(" nulls last, session_id ")
        .push(order);
    page.push_limit(&mut query);
    // Not kept: a plan for these values, not for any.
    Ok(query
        .build_query_scalar()
        .persistent(false)
        .fetch_all(conn)
        .await?)
}

/// All that match, unless they are many; found by when they started, as the filters' indexes are.
pub(super) async fn few(
    conn: &mut PgConnection,
    filter: &SessionFilter,
    sort: Sort,
) -> Result<Option<Vec<Match>>, Error> {
    let by_start = Page {
        limit: i64::try_from(FEW).unwrap_or(i64::MAX) + 1,
        ..Page::default()
    };
    let parts = filter.parts(conn).await?;
    let arms = by_start.arms(filter, &parts);
    if arms.is_empty() {
        return Ok(Some(Vec::new()));
    }
    let mut query = QueryBuilder::<Postgres>::new("select session_id, key from (");
    for (number, arm) in arms.iter().enumerate() {
        if number > 0 {
            query.push(" union all ");
        }
        by_start.push_arm(&mut query, arm, filter, sort);
    }
    query.push(") arms");
    let found: Vec<Match> = query
        .build_query_as()
        .persistent(false)
        .fetch_all(conn)
        .await?;
    Ok((found.len() <= FEW).then_some(found))
}

/// A page of these sessions.
pub(super) async fn of_these(
    conn: &mut PgConnection,
    session_ids: Vec<Uuid>,
    page: &Page,
) -> Result<Vec<SessionOverview>, Error> {
    let order = page.order.word();
    let mut query = QueryBuilder::<Postgres>::new(
        "select s.session_id from alert_sessions s where s.session_id = any(",
    );
    query.push_bind(session_ids).push(")");
    page.push_after(&mut query);
    query
        .push(" order by ")
        .push(page.sort.key())
        .push(" ")
        .push(order)
        .push(" nulls last, s.session_id ")
        .push(order);
    page.push_limit(&mut query);
    let ids: Vec<Uuid> = query
        .build_query_scalar()
        .persistent(false)
        .fetch_all(&mut *conn)
        .await?;
    overviews(conn, &ids).await
}

impl Page {
    /// The part of all matches that this page is.
    fn of(&self, mut all: Vec<Match>) -> Vec<Uuid> {
        all.sort_by(|a, b| {
            // Those without a key come last in either direction.
            let by_key = a.key.is_none().cmp(&b.key.is_none());
            let rest = (a.key, a.session_id).cmp(&(b.key, b.session_id));
            by_key.then(match self.order {
                Order::Ascending => rest,
                Order::Descending => rest.reverse(),
            })
        });
        let (offset, limit) = (usize::try_from(self.offset), usize::try_from(self.limit));
        all.into_iter()
            .skip(offset.unwrap_or(usize::MAX))
            .take(limit.unwrap_or(usize::MAX))
            .map(|found| found.session_id)
            .collect()
    }

    /// How many match, where a page of so many sessions tells it: it is the last one.
    fn tells_all(&self, shown: usize) -> Option<usize> {
        let (offset, limit) = (
            usize::try_from(self.offset).ok()?,
            usize::try_from(self.limit).ok()?,
        );
        let is_last = shown < limit && (shown > 0 || offset == 0);
        (is_last && self.after.is_none()).then_some(offset + shown)
    }
}

#[cfg(test)]
mod tests {
    use tarsy_model::SessionId;

    use super::*;

    fn page(order: Order, offset: i64, limit: i64) -> Page {
        Page {
            sort: Sort::Duration,
            order,
            limit,
            offset,
            after: None,
        }
    }

    #[test]
    fn few_matches_are_sorted_as_the_database_sorts() {
        let all = || {
            [
                (1, Some(20)),
                (2, None),
                (3, Some(10)),
                (4, Some(20)),
                (5, None),
            ]
            .map(|(id, key)| Match {
                session_id: Uuid::from_u128(id),
                key,
            })
            .into()
        };
        let of = |order, offset, limit| -> Vec<u128> {
            let ids = page(order, offset, limit).of(all()).into_iter();
            ids.map(|id| id.as_u128()).collect()
        };
        assert_eq!(of(Order::Ascending, 0, 9), [3, 1, 4, 2, 5]);
        assert_eq!(of(Order::Descending, 0, 9), [4, 1, 3, 5, 2]);
        assert_eq!(of(Order::Descending, 1, 2), [1, 3]);
        assert_eq!(of(Order::Descending, 5, 2), []);
    }

    #[test]
    fn the_last_page_tells_how_many_there_are() {
        let order = Order::Descending;
        assert_eq!(page(order, 0, 10).tells_all(3), Some(3));
        assert_eq!(page(order, 0, 10).tells_all(0), Some(0));
        assert_eq!(page(order, 20, 10).tells_all(9), Some(29));
        // A full page may not be the last, one behind the end says nothing, nor one behind a cursor.
        assert_eq!(page(order, 0, 10).tells_all(10), None);
        assert_eq!(page(order, 20, 10).tells_all(0), None);
        let after = Some((0, SessionId::generate()));
        assert_eq!(
            Page {
                after,
                ..page(order, 0, 10)
            }
            .tells_all(3),
            None
        );
    }
}
