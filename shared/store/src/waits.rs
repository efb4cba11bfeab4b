//! Reads the waits of stages. `tarsy-transitions` opens and decides them.

use serde_json::Value;
use sqlx::PgConnection;
use tarsy_model::{
    ExecutionId, SessionId, UNKNOWN_SEVERITY_RANK, WaitDecision, WaitId, WaitSort, severity_rank,
    severity_words,
};
use uuid::Uuid;

use crate::Error;

/// A wait, with data of its session and stage.
#[derive(Clone, Debug)]
pub struct WaitRecord {
    /// Identifies the wait in the API and in its jobs.
    pub wait_id: WaitId,
    /// Session of the stage that waits.
    pub session_id: SessionId,
    /// Row of `stage_executions`.
    pub execution_id: ExecutionId,
    /// Kind of the wait.
    pub sort: WaitSort,
    /// Text of the question, for people. Masked.
    pub question: String,
    /// Lowest role that may decide; `None`: no person decides.
    pub role: Option<String>,
    /// Name of the signal, if it waits for one.
    pub signal: Option<String>,
    /// Tool call that needs approval. Masked.
    pub call: Option<Value>,
    /// Time when the wait was opened, in Unix microseconds.
    pub asked_at_us: i64,
    /// Time when it expires, in Unix microseconds.
    pub expires_at_us: i64,
    /// The decision; `None` while it is open.
    pub decision: Option<WaitDecision>,
    /// Time of the decision, in Unix microseconds.
    pub decided_at_us: Option<i64>,
    /// Name of the caller who decided; `None` if no caller did or the wait is open.
    pub decided_by: Option<String>,
    /// Role that the person had when they decided.
    pub decided_role: Option<String>,
    /// Method by which that caller was authenticated.
    pub means: Option<String>,
    /// API key of the request, if any.
    pub key_id: Option<Uuid>,
    /// Reason that was given with the decision.
    pub reason: Option<String>,
    /// Position in the chain.
    pub stage_index: i32,
    /// Name of the stage.
    pub stage_name: String,
    /// Actor that runs the stage; see [`tarsy_model::Actor`].
    pub agent: String,
    /// LLM provider configured for the stage.
    pub llm_provider: Option<String>,
    /// Pool whose workers may run it.
    pub pool: String,
    /// Chain of the session.
    pub chain_id: String,
    /// Type of the session's alert.
    pub alert_type: String,
    /// Severity of the session's alert.
    pub severity: String,
    /// Name of the caller who submitted the alert or asked the question; `None` if unknown.
    pub author: Option<String>,
    /// Whether the session is running.
    pub is_live: bool,
}

/// Filter of waits. All conditions must hold.
#[derive(Clone, Copy, Debug, Default)]
pub struct WaitFilter {
    /// `Some(true)`: only open waits; `Some(false)`: only decided waits.
    pub is_open: Option<bool>,
    /// Only waits with this decision.
    pub decision: Option<WaitDecision>,
    /// Only waits of this session.
    pub session_id: Option<SessionId>,
    /// Only waits older than this one.
    pub before: Option<WaitId>,
}

macro_rules! read_waits {
    ($where:tt $(, $argument:expr)* $(,)?) => {
        sqlx::query_as!(
            WaitRecord,
            r#"select w.wait_id as "wait_id: WaitId", w.session_id as "session_id: SessionId",
                      w.execution_id as "execution_id: ExecutionId", w.sort as "sort: WaitSort", w.question, w.role, w.signal,
                      w.call, w.asked_at_us, (extract(epoch from w.expires_at) * 1000000)::bigint as "expires_at_us!",
                      w.decision as "decision: WaitDecision", w.decided_at_us, w.decided_by, w.decided_role, w.means, w.key_id,
                      w.reason, e.stage_index, e.stage_name, concat_ws(':', e.requires, e.agent) as "agent!", e.llm_provider,
                      e.pool, s.chain_id, s.alert_type,
                      s.severity, s.author, s.completed_at_us is null as "is_live!"
               from waits w join stage_executions e using (execution_id)
               join alert_sessions s on s.session_id = w.session_id
               where "# + $where,
            $($argument),*
        )
    };
}

/// Returns a wait by its id.
pub async fn find_wait(conn: &mut PgConnection, id: WaitId) -> Result<Option<WaitRecord>, Error> {
    let found = read_waits!("w.wait_id = $1", id.as_uuid());
    Ok(found.fetch_optional(conn).await?)
}

/// Returns the newest wait of a session for this signal, with open waits first.
pub async fn find_signal_wait(
    conn: &mut PgConnection,
    session_id: SessionId,
    signal: &str,
) -> Result<Option<WaitRecord>, Error> {
    let found = read_waits!(
        "w.session_id = $1 and w.signal = $2 order by w.decision is not null, w.wait_id desc limit 1",
        session_id.as_uuid(),
        signal,
    );
    Ok(found.fetch_optional(conn).await?)
}

/// Returns all waits of a session, oldest first.
pub async fn waits_of(
    conn: &mut PgConnection,
    session_id: SessionId,
) -> Result<Vec<WaitRecord>, Error> {
    let waits = read_waits!("w.session_id = $1 order by w.wait_id", session_id.as_uuid());
    Ok(waits.fetch_all(conn).await?)
}

/// A tool call whose approval was decided.
#[derive(Clone, Debug)]
pub struct DecidedCall {
    /// Position among the interactions of the stage.
    pub sequence: i32,
    /// Whether the call was approved or denied, or the wait expired.
    pub decision: WaitDecision,
    /// Name of the caller who decided; `None`: the wait expired.
    pub decided_by: Option<String>,
    /// Reason that was given with the decision.
    pub reason: Option<String>,
}

/// Returns the decisions about the tool calls of a stage execution.
pub async fn decided_calls(
    conn: &mut PgConnection,
    execution_id: ExecutionId,
) -> Result<Vec<DecidedCall>, Error> {
    Ok(sqlx::query_as!(
        DecidedCall,
        r#"select (call ->> 'sequence')::int as "sequence!", decision as "decision!: WaitDecision", decided_by, reason
           from waits where execution_id = $1 and sort = 'tool_call' and decision is not null"#,
        execution_id.as_uuid(),
    )
    .fetch_all(conn)
    .await?)
}

/// Returns the author of the question that a session answers, or of the one whose session dispatched it; `None` for
/// alerts.
pub async fn questioner_of(
    conn: &mut PgConnection,
    session_id: SessionId,
) -> Result<Option<String>, Error> {
    Ok(sqlx::query_scalar!(
        r#"with recursive above as (
               select session_id, parent_session_id, conversation_id, author from alert_sessions where session_id = $1
               union all
               select s.session_id, s.parent_session_id, s.conversation_id, s.author
               from above join alert_sessions s on s.session_id = above.parent_session_id
               where above.conversation_id is null
           )
           select author as "author!" from above where conversation_id is not null and author is not null"#,
        session_id.as_uuid(),
    )
    .fetch_optional(conn)
    .await?)
}

/// State of a stage that would begin beyond a spending limit.
#[derive(Clone, Debug)]
pub struct SpendingState {
    /// Whether the stage has already called a model. If so, it continues.
    pub has_asked: bool,
    /// Whether a person allowed its session, or one that dispatched it, to continue beyond the limits.
    pub is_approved: bool,
    /// Error of a stage of the session that was not allowed to spend more in the same round. A replay asks again.
    pub refusal: Option<String>,
}

/// Reads the state that decides whether a stage may continue beyond a spending limit.
pub async fn spending_state(
    conn: &mut PgConnection,
    session_id: SessionId,
    execution_id: ExecutionId,
) -> Result<SpendingState, Error> {
    Ok(sqlx::query_as!(
        SpendingState,
        r#"with recursive above as (
               select $1::uuid as session_id
               union all
               select s.parent_session_id
               from above join child_sessions c using (session_id) join alert_sessions s using (session_id)
           )
           select exists (select from llm_interactions where stage_execution_id = $2) as "has_asked!",
                  exists (select from waits w join above using (session_id)
                          where w.sort = 'spending' and w.decision = 'approved') as "is_approved!",
                  (select asking.error_message
                   from stage_executions own join waits w using (session_id)
                   join stage_executions asking on asking.execution_id = w.execution_id and asking.round = own.round
                   where own.execution_id = $2 and w.sort = 'spending' and w.decision in ('denied', 'expired')
                   order by w.wait_id limit 1) as refusal"#,
        session_id.as_uuid(),
        execution_id.as_uuid(),
    )
    .fetch_one(conn)
    .await?)
}

/// Returns matching approvals (gates, tool calls and spending), newest first. A wait of a session that has ended is
/// not open.
pub async fn list_approvals(
    conn: &mut PgConnection,
    filter: WaitFilter,
    limit: i64,
) -> Result<Vec<WaitRecord>, Error> {
    let session = filter.session_id.map(SessionId::as_uuid);
    let before = filter.before.map(WaitId::as_uuid);
    let waits = match filter.is_open {
        Some(true) => read_waits!(
            "w.role is not null and w.decision is null and s.completed_at_us is null
             and ($1::uuid is null or w.session_id = $1) and ($2::uuid is null or w.wait_id < $2)
             order by w.wait_id desc limit $3",
            session,
            before,
            limit,
        )
        .fetch_all(conn)
        .await?,
        decided => read_waits!(
            "w.role is not null and ($1::uuid is null or w.session_id = $1)
             and ($2::uuid is null or w.wait_id < $2) and ($3::bool is null or w.decision is not null)
             and ($4::wait_decision is null or w.decision = $4)
             order by w.wait_id desc limit $5",
            session,
            before,
            decided,
            filter.decision as Option<WaitDecision>,
            limit,
        )
        .fetch_all(conn)
        .await?,
    };
    Ok(waits)
}

/// Returns open approvals, the most urgent first: by severity, then by expiry. With `before`, starts after that
/// approval.
pub async fn list_urgent_approvals(
    conn: &mut PgConnection,
    session_id: Option<SessionId>,
    before: Option<WaitId>,
    limit: i64,
) -> Result<Vec<WaitRecord>, Error> {
    let after = match before {
        None => None,
        Some(id) => match find_wait(conn, id).await? {
            Some(wait) => Some(wait),
            // The approval was deleted with its session.
            None => return Ok(Vec::new()),
        },
    };
    let words = severity_words()
        .flat_map(|(rank, words)| words.iter().map(move |word| (*word, sql_rank(rank))));
    let (words, ranks): (Vec<&str>, Vec<i32>) = words.unzip();
    let waits = read_waits!(
        "w.role is not null and w.decision is null and s.completed_at_us is null and ($1::uuid is null or w.session_id = $1)
         and ($2::uuid is null or
              (-coalesce((select k.rank from unnest($3::text[], $4::int[]) k (word, rank) where k.word = lower(btrim(s.severity))), $5),
               (extract(epoch from w.expires_at) * 1000000)::bigint, w.wait_id) > ($6, $7, $2))
         order by -coalesce((select k.rank from unnest($3::text[], $4::int[]) k (word, rank) where k.word = lower(btrim(s.severity))), $5),
                  (extract(epoch from w.expires_at) * 1000000)::bigint, w.wait_id limit $8",
        session_id.map(SessionId::as_uuid),
        after.as_ref().map(|wait| wait.wait_id.as_uuid()),
        &words as &[&str],
        &ranks,
        sql_rank(UNKNOWN_SEVERITY_RANK),
        after.as_ref().map(|wait| -sql_rank(severity_rank(&wait.severity))),
        after.as_ref().map(|wait| wait.expires_at_us),
        limit,
    );
    Ok(waits.fetch_all(conn).await?)
}

fn sql_rank(rank: usize) -> i32 {
    i32::try_from(rank).unwrap_or(i32::MAX)
}
