//! Pages of sessions.

use sqlx::{PgConnection, Postgres, QueryBuilder};
use tarsy_model::{SessionId, SessionOutcome, SessionStatus};
use uuid::Uuid;

use super::SessionFilter;
use crate::Error;

/// What a list is sorted by; the id decides between equals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Sort {
    /// When it was accepted.
    #[default]
    StartedAt,
    /// When it ended; those that have not come last.
    CompletedAt,
    /// How long it took; those that have not ended come last.
    Duration,
}

/// Which way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Order {
    /// Smallest first.
    Ascending,
    /// Largest first.
    #[default]
    Descending,
}

/// Which part of a list.
#[derive(Clone, Copy, Debug, Default)]
pub struct Page {
    /// Sorted by this.
    pub sort: Sort,
    /// In this direction.
    pub order: Order,
    /// At most this many.
    pub limit: i64,
    /// Leave out so many; grows dear with depth, `after` does not.
    pub offset: i64,
    /// Only sessions behind this start and id; needs [`Sort::StartedAt`].
    pub after: Option<(i64, SessionId)>,
}

impl Page {
    /// Write the condition of `after`, behind others.
    pub(super) fn push_after(&self, query: &mut QueryBuilder<Postgres>) {
        let Some((started_at_us, session_id)) = self.after else {
            return;
        };
        let behind = match self.order {
            Order::Descending => "<",
            Order::Ascending => ">",
        };
        query
            .push(" and (s.started_at_us, s.session_id) ")
            .push(behind)
            .push(" (")
            .push_bind(started_at_us)
            .push(", ")
            .push_bind(session_id)
            .push(")");
    }

    /// Write which part is wanted.
    pub(super) fn push_limit(&self, query: &mut QueryBuilder<Postgres>) {
        query
            .push(" limit ")
            .push_bind(self.limit)
            .push(" offset ")
            .push_bind(self.offset);
    }

    /// Run a query that begins with the `ids` of the page, and show these.
    pub(super) async fn show(
        &self,
        mut query: QueryBuilder<Postgres>,
        conn: &mut PgConnection,
    ) -> Result<Vec<SessionOverview>, Error> {
        let order = self.order.word();
        query
            .push(OVERVIEW)
            .push(" order by ids.key ")
            .push(order)
            .push(" nulls last, ids.session_id ")
            .push(order);
        // Not kept: a plan for these values, not for any.
        Ok(query
            .build_query_as()
            .persistent(false)
            .fetch_all(conn)
            .await?)
    }
}

/// One line of a list.
#[derive(Clone, Debug, sqlx::FromRow)]
#[expect(
    missing_docs,
    reason = "the columns of alert_sessions, and counts named after what they count"
)]
pub struct SessionOverview {
    pub session_id: SessionId,
    pub alert_id: Uuid,
    pub alert_type: String,
    pub agent_type: String,
    #[sqlx(try_from = "Word")]
    pub status: SessionStatus,
    #[sqlx(try_from = "Word")]
    pub outcome: Option<SessionOutcome>,
    pub severity: String,
    pub source: String,
    pub author: Option<String>,
    pub duplicate_count: i32,
    pub resolved_at_us: Option<i64>,
    pub started_at_us: i64,
    pub completed_at_us: Option<i64>,
    pub error_message: Option<String>,
    pub chain_id: String,
    pub current_stage_index: Option<i32>,
    pub current_stage_id: Option<String>,
    pub total_stages: i32,
    pub completed_stages: i64,
    pub failed_stages: i64,
    pub llm_interaction_count: i64,
    pub mcp_communication_count: i64,
    pub input_tokens: Option<i64>,
    pub output_tokens: Option<i64>,
    pub cost_usd: Option<f64>,
}

/// An enum's word. These queries are planned for their values each time, unnamed, and sqlx
/// loses an unnamed statement when it has to look up a type of ours on the way.
#[derive(sqlx::Type)]
#[sqlx(transparent)]
struct Word(String);

impl TryFrom<Word> for SessionStatus {
    type Error = Error;

    fn try_from(Word(word): Word) -> Result<Self, Error> {
        Self::from_word(&word).ok_or_else(|| unknown(&word))
    }
}

impl TryFrom<Word> for Option<SessionOutcome> {
    type Error = Error;

    fn try_from(Word(word): Word) -> Result<Self, Error> {
        if word.is_empty() {
            return Ok(None);
        }
        SessionOutcome::from_word(&word)
            .map(Some)
            .ok_or_else(|| unknown(&word))
    }
}

fn unknown(word: &str) -> Error {
    Error::Database(sqlx::Error::Decode(
        format!("`{word}` is not a word of this version").into(),
    ))
}

impl Sort {
    /// The expression, as the indexes have it.
    pub(super) const fn key(self) -> &'static str {
        match self {
            Self::StartedAt => "s.started_at_us",
            Self::CompletedAt => "s.completed_at_us",
            Self::Duration => "(s.completed_at_us - s.started_at_us)",
        }
    }
}

impl Order {
    /// The direction. Without words on nulls, as the indexes have it: they hold none.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Ascending => "asc",
            Self::Descending => "desc",
        }
    }
}

/// What a page shows of its sessions, by an `ids (session_id, key)` before it.
const OVERVIEW: &str = "
    select s.session_id, s.alert_id, s.alert_type, s.agent_type, s.status::text, coalesce(s.outcome::text, '') as outcome, s.severity, s.source, s.author,
           s.duplicate_count, s.resolved_at_us, s.started_at_us, s.completed_at_us, s.error_message, s.chain_id,
           s.current_stage_index, s.current_stage_id,
           coalesce(jsonb_array_length(s.chain_definition -> 'stages'), 0) as total_stages,
           coalesce(e.completed, 0) as completed_stages, coalesce(e.failed, 0) as failed_stages,
           l.number as llm_interaction_count, m.number as mcp_communication_count,
           l.input_tokens, l.output_tokens, l.cost_usd
    from ids join alert_sessions s using (session_id)
    cross join lateral (
        select count(*) filter (where status = 'completed') as completed, count(*) filter (where status = 'failed') as failed
        from (select status, round, max(round) over (order by stage_index) as newest
              from (select distinct on (stage_index) stage_index, status, round from stage_executions
                    where session_id = ids.session_id order by stage_index, attempt desc) attempts) current
        where round = newest
    ) e
    cross join lateral (
        select count(*) as number, sum(input_tokens)::bigint as input_tokens, sum(output_tokens)::bigint as output_tokens,
               sum(cost_usd) as cost_usd
        from llm_interactions where session_id = ids.session_id
    ) l
    cross join lateral (select count(*) as number from mcp_interactions where session_id = ids.session_id) m
";

/// A page of the sessions that match.
///
/// # Errors
///
/// [`Error::Database`].
pub async fn list_sessions(
    conn: &mut PgConnection,
    filter: &SessionFilter,
    page: &Page,
) -> Result<Vec<SessionOverview>, Error> {
    let arms = filter.arms();
    if arms.is_empty() {
        return Ok(Vec::new());
    }
    let (key, order) = (page.sort.key(), page.order.word());
    let mut query = QueryBuilder::<Postgres>::new("with ids as (select * from (");
    for (number, arm) in arms.into_iter().enumerate() {
        if number > 0 {
            query.push(" union all ");
        }
        query
            .push("(select s.session_id, ")
            .push(key)
            .push(" as key from alert_sessions s where ")
            .push(arm);
        filter.push(&mut query);
        page.push_after(&mut query);
        query
            .push(" order by ")
            .push(key)
            .push(" ")
            .push(order)
            .push(", s.session_id ")
            .push(order);
        query
            .push(" limit ")
            .push_bind(page.limit.saturating_add(page.offset))
            .push(")");
    }
    query
        .push(") arms order by key ")
        .push(order)
        .push(" nulls last, session_id ")
        .push(order);
    page.push_limit(&mut query);
    query.push(")");
    page.show(query, conn).await
}
