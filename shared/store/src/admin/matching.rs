//! Sessions that a bulk action applies to.

use sqlx::{PgConnection, Postgres, QueryBuilder};
use tarsy_model::SessionId;

use crate::Error;
use crate::history::{Count, SessionFilter};
use crate::history::{Part, pattern, terms};

const EXACT: i64 = 10_000;

/// Kinds of sessions that an action applies to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Eligible {
    /// Running sessions, which can be cancelled.
    Live,
    /// Sessions that ended with a failed stage, which can be replayed.
    Replayable,
}

impl Eligible {
    /// Returns whether sessions in this part can be eligible.
    const fn can_be_in(self, part: &Part) -> bool {
        match self {
            Self::Live => !part.is_ended,
            Self::Replayable => part.is_ended,
        }
    }

    /// Returns the SQL condition in addition to that of the part, which an index covers.
    const fn more(self) -> &'static str {
        match self {
            Self::Live => "",
            Self::Replayable => {
                " and s.status in ('completed', 'failed') and exists (
                    select from current_stages(s.session_id) current where current.status = 'failed')"
            }
        }
    }
}

/// Filter of a bulk action: sessions that match it and that the action applies to.
#[derive(Clone, Debug)]
pub struct Matching {
    /// Kind of sessions that the action applies to.
    pub eligible: Eligible,
    /// Filter of the session list.
    pub filter: SessionFilter,
    /// Text that the alert, errors or analysis must contain.
    pub search: Option<String>,
}

impl Matching {
    /// Writes `head` over the oldest `limit` matching sessions, as table `found`. Returns `None` if no session can
    /// match.
    async fn query(
        &self,
        conn: &mut PgConnection,
        head: &str,
        limit: i64,
    ) -> Result<Option<QueryBuilder<Postgres>>, Error> {
        let mut parts = self.filter.parts(conn).await?;
        parts.retain(|part| self.eligible.can_be_in(part));
        if parts.is_empty() {
            return Ok(None);
        }
        let mut query = QueryBuilder::new(head);
        query.push(" from (");
        for (number, part) in parts.iter().enumerate() {
            if number > 0 {
                query.push(" union all ");
            }
            self.push_part(&mut query, part);
            query
                .push(" order by s.started_at_us, s.session_id limit ")
                .push_bind(limit)
                .push(")");
        }
        query.push(") found");
        Ok(Some(query))
    }

    fn push_part(&self, query: &mut QueryBuilder<Postgres>, part: &Part) {
        query
            .push("(select s.session_id, s.started_at_us from alert_sessions s where ")
            .push(&part.condition)
            .push(self.eligible.more());
        self.filter.push(query, part.traits);
        if let Some(text) = &self.search {
            query.push(
                " and exists (select from session_search d where d.session_id = s.session_id",
            );
            for term in terms(text) {
                query
                    .push(" and d.document like fold_case(")
                    .push_bind(pattern(&term))
                    .push(")");
            }
            query.push(")");
        }
    }
}

/// Returns the first `limit` matching sessions, oldest first.
pub async fn matching_sessions(
    conn: &mut PgConnection,
    matching: &Matching,
    limit: i64,
) -> Result<Vec<SessionId>, Error> {
    let Some(mut query) = matching.query(conn, "select session_id", limit).await? else {
        return Ok(Vec::new());
    };
    query
        .push(" order by started_at_us, session_id limit ")
        .push_bind(limit);
    Ok(query
        .build_query_scalar()
        .persistent(false)
        .fetch_all(conn)
        .await?)
}

/// Counts matching sessions, exactly up to 10,000.
pub async fn count_matching(conn: &mut PgConnection, matching: &Matching) -> Result<Count, Error> {
    let number: i64 = match matching.query(conn, "select count(*)", EXACT + 1).await? {
        Some(mut query) => {
            let query = query.build_query_scalar().persistent(false);
            query.fetch_one(conn).await?
        }
        None => 0,
    };
    Ok(Count {
        number: number.min(EXACT),
        at_least: number.min(EXACT),
        is_exact: number <= EXACT,
    })
}
