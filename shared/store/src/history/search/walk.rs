//! Walks through the documents in the order of their start.

use std::time::{Duration, Instant};

use sqlx::{PgConnection, Postgres, QueryBuilder};
use tarsy_model::SessionId;
use uuid::Uuid;

use super::terms;
use super::trigrams::push_times;
use crate::Error;
use crate::history::filter::Traits;
use crate::history::{Order, SessionFilter};

/// Number of documents of the first step. Enough to fill a page if every document contains the text.
const FIRST_STEP: usize = 500;
/// Maximum and minimum number of documents of a step.
const LONGEST_STEP: usize = 8_000;
const SHORTEST_STEP: usize = 250;
/// Target duration of a step. A faster step doubles the size of the next one; a step of twice this duration halves it.
/// Documents that are read from disk take a hundred times as long as cached ones.
const STEP_TIME: Duration = Duration::from_millis(15);

/// Position of a search among the documents, and the matches so far.
#[derive(Debug)]
pub(super) struct Walk {
    order: Order,
    /// The last document that was searched. Before the first step, the position where the walk begins.
    pub(super) at: Option<(i64, SessionId)>,
    /// Matching sessions, in order.
    pub(super) found: Vec<Uuid>,
    /// Whether all documents were searched.
    pub(super) is_at_end: bool,
    step: usize,
}

#[derive(sqlx::FromRow)]
struct Step {
    found: Vec<Uuid>,
    scanned: i64,
    started_at_us: Option<i64>,
    session_id: Option<SessionId>,
}

impl Walk {
    pub(super) fn from(at: Option<(i64, SessionId)>, order: Order) -> Self {
        Self {
            order,
            at,
            found: Vec::new(),
            is_at_end: false,
            step: FIRST_STEP,
        }
    }

    /// Continues until `wanted` matches are found, `documents` documents were searched, or the time `then` is reached.
    /// Makes at least one step.
    pub(super) async fn on(
        &mut self,
        conn: &mut PgConnection,
        (text, filter): (&str, &SessionFilter),
        wanted: usize,
        documents: usize,
        then: Instant,
    ) -> Result<(), Error> {
        let mut left = documents;
        while left > 0 && !self.is_at_end && self.found.len() < wanted {
            let step = self.step.min(left);
            self.go(conn, text, filter, step).await?;
            left -= step;
            if Instant::now() >= then {
                break;
            }
        }
        Ok(())
    }

    async fn go(
        &mut self,
        conn: &mut PgConnection,
        text: &str,
        filter: &SessionFilter,
        documents: usize,
    ) -> Result<(), Error> {
        let (order, back, operator) = match self.order {
            Order::Descending => ("desc", "asc", "<"),
            Order::Ascending => ("asc", "desc", ">"),
        };
        // `strpos` checks each term as the recheck of a `like` would, but three times as fast.
        let mut query = QueryBuilder::<Postgres>::new(
            "with scanned as materialized (
                 select d.session_id, d.started_at_us, true",
        );
        for term in terms(text) {
            query
                .push(" and strpos(d.document, fold_case(")
                .push_bind(term)
                .push(")) > 0");
        }
        query.push(" as holds from session_search d where true");
        push_times(&mut query, filter);
        if let Some((started_at_us, session_id)) = self.at {
            query
                .push(" and (d.started_at_us, d.session_id) ")
                .push(operator)
                .push(" (")
                .push_bind(started_at_us)
                .push(", ")
                .push_bind(session_id)
                .push(")");
        }
        query
            .push(" order by d.started_at_us ")
            .push(order)
            .push(", d.session_id ")
            .push(order)
            .push(" limit ")
            .push_bind(i64::try_from(documents).unwrap_or(i64::MAX))
            .push(") select array(select l.session_id from scanned l");
        if !filter.is_empty() {
            query.push(" join alert_sessions s using (session_id)");
        }
        query.push(" where l.holds");
        filter.push(&mut query, Traits::Row);
        query
            .push(" order by l.started_at_us ")
            .push(order)
            .push(", l.session_id ")
            .push(order)
            .push(") as found, (select count(*) from scanned) as scanned, last.* from (select 1) one left join (select started_at_us, session_id from scanned order by started_at_us ")
            .push(back)
            .push(", session_id ")
            .push(back)
            .push(" limit 1) last on true");
        let begun = Instant::now();
        let step: Step = query
            .build_query_as()
            .persistent(false)
            .fetch_one(conn)
            .await?;
        self.found.extend(step.found);
        self.at = step.started_at_us.zip(step.session_id).or(self.at);
        self.is_at_end = usize::try_from(step.scanned).is_ok_and(|scanned| scanned < documents);
        self.step = match begun.elapsed() {
            took if took < STEP_TIME => (self.step * 2).min(LONGEST_STEP),
            took if took > STEP_TIME * 2 => (self.step / 2).max(SHORTEST_STEP),
            _ => self.step,
        };
        Ok(())
    }
}

/// Returns those of `session_ids` whose document contains each term of the text.
pub(super) async fn among(
    conn: &mut PgConnection,
    text: &str,
    session_ids: Vec<Uuid>,
) -> Result<Vec<Uuid>, Error> {
    Ok(sqlx::query_scalar!(
        "select session_id from session_search
         where session_id = any($1)
           and not exists (select from unnest($2::text[]) term where strpos(document, fold_case(term)) = 0)",
        &session_ids,
        &terms(text)
    )
    .fetch_all(conn)
    .await?)
}
