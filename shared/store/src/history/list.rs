//! Pages of sessions.

use sqlx::{PgConnection, Postgres, QueryBuilder};
use tarsy_model::{SessionId, SessionOutcome, SessionStatus};
use uuid::Uuid;

use super::{Page, SessionFilter, Sort};
use crate::Error;

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
    /// Cluster, namespace and what in it, as far as the alert names them.
    pub target: String,
    /// The first 400 characters of the analysis.
    pub analysis_start: Option<String>,
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

/// What a page shows of its sessions, by an `ids (session_id, key)` before it.
const OVERVIEW: &str = "
    select s.session_id, s.alert_id, s.alert_type, s.agent_type, s.status::text, coalesce(s.outcome::text, '') as outcome, s.severity, s.source, s.author,
           s.duplicate_count, s.resolved_at_us, s.started_at_us, s.completed_at_us, s.error_message, s.chain_id,
           e.current_stage_index, e.current_stage_id,
           coalesce(jsonb_array_length(s.chain_definition -> 'stages'), 0) as total_stages,
           coalesce(e.completed, 0) as completed_stages, coalesce(e.failed, 0) as failed_stages,
           l.number as llm_interaction_count, m.number as mcp_communication_count,
           l.input_tokens, l.output_tokens, l.cost_usd, left(s.final_analysis, 400) as analysis_start,
           left(concat_ws(' / ',
               coalesce(a.data ->> 'cluster', a.labels ->> 'cluster'),
               coalesce(a.data ->> 'namespace', a.labels ->> 'namespace'),
               coalesce(a.data ->> 'pod', a.labels ->> 'pod', a.data ->> 'host', a.labels ->> 'host', a.data ->> 'instance',
                        a.labels ->> 'instance', a.data ->> 'service', a.labels ->> 'service')), 160) as target
    from ids join alert_sessions s using (session_id)
    cross join lateral (
        select count(*) filter (where status = 'completed') as completed, count(*) filter (where status = 'failed') as failed,
               max(stage_index) as current_stage_index, (array_agg(stage_id order by stage_index desc))[1] as current_stage_id
        from (select stage_index, stage_id, status, round, max(round) over (order by stage_index) as newest
              from (select distinct on (stage_index) stage_index, stage_id, status, round from stage_executions
                    where session_id = ids.session_id order by stage_index, attempt desc) attempts) current
        where round = newest
    ) e
    cross join lateral (
        select count(*) as number, sum(input_tokens)::bigint as input_tokens, sum(output_tokens)::bigint as output_tokens,
               sum(cost_usd) as cost_usd
        from llm_interactions where session_id = ids.session_id
    ) l
    cross join lateral (select count(*) as number from mcp_interactions where session_id = ids.session_id) m
    cross join lateral (
        -- A hundred large alerts are not unpacked for a line each.
        select data, coalesce(data -> 'labels', data -> 'commonLabels') as labels
        from (select case when pg_column_size(s.alert_data) < 32768 then s.alert_data end as data) fair
    ) a
";

/// So many matches are fetched and sorted. More are looked for in the order of the index that
/// the list is sorted by, which takes long only where few match.
const FEW: usize = 2_000;

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
    let arms = page.arms(filter);
    if arms.is_empty() {
        return Ok(Vec::new());
    }
    if page.sort != Sort::StartedAt
        && !filter.is_empty()
        && let Some(few) = few(conn, filter).await?
    {
        return of_these(conn, few, page).await;
    }
    let mut query = QueryBuilder::<Postgres>::new("with ids as (select * from (");
    for (number, arm) in arms.iter().enumerate() {
        if number > 0 {
            query.push(" union all ");
        }
        page.push_arm(&mut query, arm, filter);
    }
    let order = page.order.word();
    query
        .push(") arms order by key ")
        .push(order)
        .push(" nulls last, session_id ")
        .push(order);
    page.push_limit(&mut query);
    query.push(")");
    page.show(query, conn).await
}

/// All that match, unless they are many; found by when they started, as the filters' indexes are.
pub(super) async fn few(
    conn: &mut PgConnection,
    filter: &SessionFilter,
) -> Result<Option<Vec<Uuid>>, Error> {
    let by_start = Page {
        limit: i64::try_from(FEW).unwrap_or(i64::MAX) + 1,
        ..Page::default()
    };
    let arms = by_start.arms(filter);
    if arms.is_empty() {
        return Ok(Some(Vec::new()));
    }
    let mut query = QueryBuilder::<Postgres>::new("select session_id from (");
    for (number, arm) in arms.iter().enumerate() {
        if number > 0 {
            query.push(" union all ");
        }
        by_start.push_arm(&mut query, arm, filter);
    }
    query.push(") arms");
    let found: Vec<Uuid> = query
        .build_query_scalar()
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
    let (key, order) = (page.sort.key(), page.order.word());
    let mut query = QueryBuilder::<Postgres>::new("with ids as (select s.session_id, ");
    query
        .push(key)
        .push(" as key from alert_sessions s where s.session_id = any(")
        .push_bind(session_ids)
        .push(")");
    page.push_after(&mut query);
    query
        .push(" order by key ")
        .push(order)
        .push(" nulls last, s.session_id ")
        .push(order);
    page.push_limit(&mut query);
    query.push(")");
    page.show(query, conn).await
}

impl Page {
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
