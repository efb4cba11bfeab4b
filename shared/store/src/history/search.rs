//! Text search over alert, errors and analysis.
//!
//! There are three ways. If the filter leaves few sessions, the documents of these are searched. If few documents may
//! contain the text, the trigram index finds them. If many do, a walk through the documents in the order of the list
//! finds them.
//!
//! For some texts none of these is fast, because their trigrams occur everywhere but the text nowhere. The index
//! therefore gets part of the time and the walk the rest, and the result states how far the search came.

mod terms;
mod trigrams;
mod walk;

use std::time::{Duration, Instant};

use sqlx::{PgConnection, Postgres, QueryBuilder};
use uuid::Uuid;

use super::filter::Traits;
use super::hits::Hits;
use super::list::{few, of_these};
use super::{Count, Order, Page, SessionFilter, Sort};
use crate::Error;
pub(crate) use terms::terms;
use trigrams::by_trigrams;
pub(crate) use trigrams::pattern;
use walk::Walk;

/// Maximum number of sessions that are sorted by a key other than their start, and of those that facets count.
const MOST: usize = 2_000;

/// Limits of a search's work.
#[derive(Clone, Copy, Debug)]
pub struct SearchLimits {
    /// Number of documents to walk through before using the index, if the list is sorted by start. This finds texts
    /// that many documents contain.
    pub first: usize,
    /// Time limit for the index; `None`: don't use it, because this search continues an earlier one.
    pub index: Option<Duration>,
    /// Time limit for the whole search, except for reading the overviews of the page.
    pub all: Duration,
}

impl Default for SearchLimits {
    /// Less than a fifth of a second, half of it for the index.
    fn default() -> Self {
        Self {
            first: 5_000,
            index: Some(Duration::from_millis(90)),
            all: Duration::from_millis(180),
        }
    }
}

/// The newest sessions that contain a text.
#[derive(Clone, Debug)]
pub struct Holding {
    session_ids: Vec<Uuid>,
    is_all: bool,
}

/// Returns a page of the sessions whose document contains each word and quoted phrase of `text`, ignoring case.
///
/// A session is found a few seconds after it was accepted, once [`index_for_search`](super::index_for_search) has read
/// it. The work is limited; see [`Hits::reached`]. If the list is not sorted by start, it contains only the newest
/// 2,000 matches, or those found in time.
pub async fn search_sessions(
    conn: &mut PgConnection,
    text: &str,
    filter: &SessionFilter,
    page: &Page,
    limits: SearchLimits,
) -> Result<Hits, Error> {
    let until = Instant::now() + limits.all;
    if filter.narrows()
        && let Some(few) = few(conn, filter, Sort::StartedAt).await?
    {
        let few = few.into_iter().map(|found| found.session_id).collect();
        let ids = walk::among(conn, text, few).await?;
        return all_of(conn, ids, page).await;
    }
    let by_start = page.sort == Sort::StartedAt;
    let mut walk = match by_start {
        true => Walk::from(
            page.after
                .map(|after| (after.started_at_us, after.session_id)),
            page.order,
        ),
        false => Walk::from(None, Order::Descending),
    };
    let wanted = match by_start {
        true => usize::try_from(page.offset.saturating_add(page.limit)).unwrap_or(usize::MAX),
        false => MOST,
    };
    let sought = (text, filter);
    if by_start {
        walk.on(conn, sought, wanted, limits.first, until).await?;
    }
    let is_done = walk.found.len() >= wanted || (walk.is_at_end && page.after.is_none());
    if !is_done
        && let Some(patience) = limits.index
        && let Some(ids) = by_trigrams(conn, text, filter, MOST, patience).await?
    {
        let ids = passing(conn, ids, filter).await?;
        return all_of(conn, ids, page).await;
    }
    if Instant::now() < until || !by_start {
        walk.on(conn, sought, wanted, usize::MAX, until).await?;
    }
    shown(conn, walk, wanted, page).await
}

/// Returns a page of the sessions that a walk found.
async fn shown(
    conn: &mut PgConnection,
    mut walk: Walk,
    wanted: usize,
    page: &Page,
) -> Result<Hits, Error> {
    let is_full = walk.found.len() >= wanted;
    let found = i64::try_from(walk.found.len()).unwrap_or(i64::MAX);
    let count = Count {
        number: found,
        at_least: found,
        is_exact: walk.is_at_end && !is_full && page.after.is_none(),
    };
    let by_start = page.sort == Sort::StartedAt;
    let reached = walk.at.filter(|_| !(walk.is_at_end || is_full && by_start));
    let sessions = if by_start {
        let before = usize::try_from(page.offset).unwrap_or(usize::MAX);
        walk.found.truncate(wanted);
        let ids = walk.found.split_off(before.min(walk.found.len()));
        of_these(conn, ids, &Page { offset: 0, ..*page }).await?
    } else {
        of_these(conn, walk.found, page).await?
    };
    Ok(Hits {
        sessions,
        count,
        reached,
    })
}

/// Returns a page of these sessions, which are all matches.
async fn all_of(conn: &mut PgConnection, ids: Vec<Uuid>, page: &Page) -> Result<Hits, Error> {
    let count = Count::exact(ids.len());
    Ok(Hits {
        sessions: of_these(conn, ids, page).await?,
        count,
        reached: None,
    })
}

async fn passing(
    conn: &mut PgConnection,
    ids: Vec<Uuid>,
    filter: &SessionFilter,
) -> Result<Vec<Uuid>, Error> {
    if filter.is_empty() {
        return Ok(ids);
    }
    let mut query = QueryBuilder::<Postgres>::new(
        "select s.session_id from alert_sessions s where s.session_id = any(",
    );
    query.push_bind(ids).push(")");
    filter.push(&mut query, Traits::Row);
    Ok(query
        .build_query_scalar()
        .persistent(false)
        .fetch_all(conn)
        .await?)
}

/// Finds the sessions that contain a text: the newest 2,000 at most, as far as they are found in time.
pub async fn holding(conn: &mut PgConnection, text: &str) -> Result<Holding, Error> {
    let limits = SearchLimits::default();
    let until = Instant::now() + limits.all;
    let all = SessionFilter::default();
    if let Some(patience) = limits.index
        && let Some(session_ids) = by_trigrams(conn, text, &all, MOST, patience).await?
    {
        return Ok(Holding {
            session_ids,
            is_all: true,
        });
    }
    let mut walk = Walk::from(None, Order::Descending);
    walk.on(conn, (text, &all), MOST, usize::MAX, until).await?;
    Ok(Holding {
        is_all: walk.is_at_end,
        session_ids: walk.found,
    })
}

impl Holding {
    pub(super) fn session_ids(&self) -> &[Uuid] {
        &self.session_ids
    }

    /// Returns whether these are all such sessions.
    pub(super) const fn is_all(&self) -> bool {
        self.is_all
    }
}
