//! Pages of sessions. Finds the sessions of a page from indexes alone, then reads what the list shows.

use std::cmp::Ordering;

use sqlx::{PgConnection, Postgres, QueryBuilder};
use uuid::Uuid;

use super::counts::count_sessions;
use super::overview::overviews;
use super::{Count, Hits, ListPosition, Page, SessionFilter, SessionOverview, Sort};
use crate::Error;

/// Number of matches up to which all are read and sorted. If there are more, the list is read in the order of its sort
/// index, which is slow only if few sessions match.
const FEW: usize = 2_000;

/// A matching session with its position in the list.
#[derive(sqlx::FromRow)]
pub(super) struct Match {
    pub(super) session_id: Uuid,
    key: Option<f64>,
    started_at_us: i64,
}

impl Match {
    fn place(&self) -> ListPosition {
        ListPosition::new(self.session_id, self.key, self.started_at_us)
    }
}

/// Returns a page of the matching sessions, and their number.
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
            (page.session_ids(few), Some(all))
        }
        None => {
            let ids = walked(conn, filter, page).await?;
            let all = page.total(ids.len());
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

/// Returns the page's sessions in order, reading each arm in the order of its index.
async fn walked(
    conn: &mut PgConnection,
    filter: &SessionFilter,
    page: &Page,
) -> Result<Vec<Uuid>, Error> {
    let parts = filter.parts(conn).await?;
    let arms = page.arms(conn, filter, &parts).await?;
    if arms.is_empty() {
        return Ok(Vec::new());
    }
    let mut query = QueryBuilder::<Postgres>::new("select session_id from (");
    for (number, arm) in arms.iter().enumerate() {
        if number > 0 {
            query.push(" union all ");
        }
        page.push_arm(&mut query, arm, filter, None);
    }
    query.push(") arms");
    page.push_order(&mut query);
    // Not prepared, so that the plan fits these values.
    Ok(query
        .build_query_scalar()
        .persistent(false)
        .fetch_all(conn)
        .await?)
}

/// Returns all matching sessions, or `None` if they are many. Reads them in the order of their start, as the filters'
/// indexes are.
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
    let arms = by_start.arms(conn, filter, &parts).await?;
    if arms.is_empty() {
        return Ok(Some(Vec::new()));
    }
    let mut query = QueryBuilder::<Postgres>::new("select session_id, key, started_at_us from (");
    for (number, arm) in arms.iter().enumerate() {
        if number > 0 {
            query.push(" union all ");
        }
        by_start.push_arm(&mut query, arm, filter, Some(sort));
    }
    query.push(") arms");
    let found: Vec<Match> = query
        .build_query_as()
        .persistent(false)
        .fetch_all(conn)
        .await?;
    Ok((found.len() <= FEW).then_some(found))
}

/// Returns a page of the given sessions.
pub(super) async fn of_these(
    conn: &mut PgConnection,
    session_ids: Vec<Uuid>,
    page: &Page,
) -> Result<Vec<SessionOverview>, Error> {
    let mut query = QueryBuilder::<Postgres>::new("select session_id from (select s.session_id, ");
    query
        .push(page.sort.key())
        .push(" as key, s.started_at_us from alert_sessions s where s.session_id = any(")
        .push_bind(session_ids)
        .push(")")
        .push(page.after_cursor())
        .push(") these");
    page.push_order(&mut query);
    let ids: Vec<Uuid> = query
        .build_query_scalar()
        .persistent(false)
        .fetch_all(&mut *conn)
        .await?;
    overviews(conn, &ids).await
}

impl Page {
    /// Returns the sessions of this page, from all matches.
    fn session_ids(&self, mut all: Vec<Match>) -> Vec<Uuid> {
        if let Some(after) = &self.after {
            all.retain(|found| self.compare(&found.place(), after) == Ordering::Greater);
        }
        all.sort_by(|a, b| self.compare(&a.place(), &b.place()));
        let (offset, limit) = (usize::try_from(self.offset), usize::try_from(self.limit));
        all.into_iter()
            .skip(offset.unwrap_or(usize::MAX))
            .take(limit.unwrap_or(usize::MAX))
            .map(|found| found.session_id)
            .collect()
    }

    /// Returns the number of all matches if a page with `shown` sessions determines it, because it is the last page.
    fn total(&self, shown: usize) -> Option<usize> {
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
    use super::super::Order;
    use super::*;

    fn page(sort: Sort, order: Order, offset: i64, limit: i64) -> Page {
        Page {
            sort,
            order,
            limit,
            offset,
            after: None,
        }
    }

    fn all() -> Vec<Match> {
        let one = |(id, key, started_at_us)| Match {
            session_id: Uuid::from_u128(id),
            key,
            started_at_us,
        };
        [
            (1, Some(20.0), 7),
            (2, None, 7),
            (3, Some(10.0), 7),
            (4, Some(20.0), 5),
            (5, None, 7),
        ]
        .map(one)
        .into()
    }

    fn ids(page: Page) -> Vec<u128> {
        let ids = page.session_ids(all()).into_iter();
        ids.map(|id| id.as_u128()).collect()
    }

    #[test]
    fn few_matches_are_sorted_as_the_database_sorts() {
        let of = |order, offset, limit| ids(page(Sort::Duration, order, offset, limit));
        assert_eq!(of(Order::Ascending, 0, 9), [3, 1, 4, 2, 5]);
        assert_eq!(of(Order::Descending, 0, 9), [4, 1, 3, 5, 2]);
        assert_eq!(of(Order::Descending, 1, 2), [1, 3]);
        assert_eq!(of(Order::Descending, 5, 2), []);
        // Within a rank, the newest comes first.
        let of = |order| ids(page(Sort::Severity, order, 0, 9));
        assert_eq!(of(Order::Descending), [1, 4, 3, 5, 2]);
        assert_eq!(of(Order::Ascending), [3, 4, 1, 2, 5]);
    }

    #[test]
    fn few_matches_begin_after_the_cursor() {
        let after_cursor = |order, key, id| {
            let after = Some(ListPosition::new(Uuid::from_u128(id), key, 7));
            ids(Page {
                after,
                ..page(Sort::Cost, order, 0, 9)
            })
        };
        assert_eq!(after_cursor(Order::Descending, Some(20.0), 4), [1, 3, 5, 2]);
        assert_eq!(after_cursor(Order::Ascending, Some(20.0), 1), [4, 2, 5]);
        assert_eq!(after_cursor(Order::Descending, None, 5), [2]);
    }

    #[test]
    fn the_last_page_determines_the_total() {
        let page = |offset, limit| page(Sort::Duration, Order::Descending, offset, limit);
        assert_eq!(page(0, 10).total(3), Some(3));
        assert_eq!(page(0, 10).total(0), Some(0));
        assert_eq!(page(20, 10).total(9), Some(29));
        // The total is unknown after a full page, after a page beyond the end, and after a page with a cursor.
        assert_eq!(page(0, 10).total(10), None);
        assert_eq!(page(20, 10).total(0), None);
        let after = Some(ListPosition::new(Uuid::now_v7(), None, 0));
        let after_cursor = Page {
            after,
            ..page(0, 10)
        };
        assert_eq!(after_cursor.total(3), None);
    }
}
