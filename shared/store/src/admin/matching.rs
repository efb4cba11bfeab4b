//! The sessions that an action on many is about.

use sqlx::{PgConnection, Postgres, QueryBuilder};
use tarsy_model::SessionId;

use crate::history::{ENDED, LIVE, pattern};
use crate::{Count, Error, SessionFilter};

/// Up to here sessions are counted exactly.
const EXACT: i64 = 10_000;

/// What an action concerns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Concerned {
    /// Sessions under way, which can be cancelled.
    Live,
    /// Sessions that ended with a failed stage, which can be replayed.
    Replayable,
}

impl Concerned {
    const fn condition(self) -> &'static str {
        match self {
            Self::Live => LIVE,
            Self::Replayable => ENDED,
        }
    }

    /// Beside the condition, which an index knows.
    const fn more(self) -> &'static str {
        match self {
            Self::Live => "",
            Self::Replayable => {
                " and s.status in ('completed', 'failed') and exists (
                    select from (select distinct on (stage_index) status from stage_executions
                                 where session_id = s.session_id order by stage_index, attempt desc) current
                    where current.status = 'failed')"
            }
        }
    }
}

/// Sessions that match a filter and are concerned.
#[derive(Clone, Debug)]
pub struct Matching {
    /// Which of them can be acted on.
    pub concerned: Concerned,
    /// As in the list of the history.
    pub filter: SessionFilter,
    /// Text in alert, errors or analysis.
    pub search: Option<String>,
}

impl Matching {
    fn query(&self, head: &str) -> QueryBuilder<Postgres> {
        let mut query = QueryBuilder::new(head);
        query
            .push(" from alert_sessions s where ")
            .push(self.concerned.condition())
            .push(self.concerned.more());
        self.filter.push(&mut query);
        if let Some(text) = &self.search {
            query
                .push(" and exists (select from session_search d where d.session_id = s.session_id and d.document like fold_case(")
                .push_bind(pattern(text))
                .push("))");
        }
        query
    }
}

/// The first `limit` of them, oldest first, behind a start and id.
///
/// # Errors
///
/// [`Error::Database`].
pub async fn matching_sessions(
    conn: &mut PgConnection,
    matching: &Matching,
    limit: i64,
) -> Result<Vec<SessionId>, Error> {
    let mut query = matching.query("select s.session_id");
    query
        .push(" order by s.started_at_us, s.session_id limit ")
        .push_bind(limit);
    Ok(query
        .build_query_scalar()
        .persistent(false)
        .fetch_all(conn)
        .await?)
}

/// How many there are, exactly up to 10,000.
///
/// # Errors
///
/// [`Error::Database`].
pub async fn count_matching(conn: &mut PgConnection, matching: &Matching) -> Result<Count, Error> {
    let mut query = matching.query("select count(*) from (select 1");
    query.push(" limit ").push_bind(EXACT + 1).push(") bounded");
    let number: i64 = query
        .build_query_scalar()
        .persistent(false)
        .fetch_one(conn)
        .await?;
    Ok(Count {
        number: number.min(EXACT),
        is_exact: number <= EXACT,
    })
}
