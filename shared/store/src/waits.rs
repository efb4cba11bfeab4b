//! Waits of stages, as they are read. What opens and decides them is in `tarsy-transitions`.

use serde_json::Value;
use sqlx::PgConnection;
use tarsy_model::{
    ExecutionId, SessionId, UNKNOWN_SEVERITY_RANK, WaitDecision, WaitId, WaitSort, severity_rank,
    severity_words,
};
use uuid::Uuid;

use crate::Error;

/// A wait, with what is known of its session and stage.
#[derive(Clone, Debug)]
pub struct WaitRecord {
    /// Identifies the wait in the API and in its jobs.
    pub wait_id: WaitId,
    /// Session of the stage that waits.
    pub session_id: SessionId,
    /// Row of `stage_executions`.
    pub execution_id: ExecutionId,
    /// What it waits for.
    pub sort: WaitSort,
    /// What is asked, for people. Masked.
    pub question: String,
    /// Role that may decide; `None`: no person does.
    pub role: Option<String>,
    /// Signal that it waits for.
    pub signal: Option<String>,
    /// The tool call that is asked about. Masked.
    pub call: Option<Value>,
    /// Unix microseconds.
    pub asked_at_us: i64,
    /// Unix microseconds.
    pub expires_at_us: i64,
    /// How it ended; `None`: it is open.
    pub decision: Option<WaitDecision>,
    /// Unix microseconds.
    pub decided_at_us: Option<i64>,
    /// Who decided; `None`: nobody did, or it is open.
    pub decided_by: Option<String>,
    /// Role that the person had when they decided.
    pub decided_role: Option<String>,
    /// By what means they showed who they are.
    pub means: Option<String>,
    /// The key they asked with, if it was one.
    pub key_id: Option<Uuid>,
    /// Reason that was given with the decision.
    pub reason: Option<String>,
    /// Position in the chain.
    pub stage_index: i32,
    /// Name of the stage.
    pub stage_name: String,
    /// What runs it; see [`tarsy_model::Actor`].
    pub agent: String,
    /// Provider that is named for it.
    pub llm_provider: Option<String>,
    /// Pool whose workers may run it.
    pub pool: String,
    /// The chain.
    pub chain_id: String,
    /// Type of the session's alert.
    pub alert_type: String,
    /// Severity of the session's alert.
    pub severity: String,
    /// Who submitted the alert or asked the question; `None`: nobody is known.
    pub author: Option<String>,
    /// Whether the session is under way.
    pub is_live: bool,
}

/// Which waits are listed; all conditions must hold.
#[derive(Clone, Copy, Debug, Default)]
pub struct WaitFilter {
    /// `Some(true)`: those that are open; `Some(false)`: those that are decided.
    pub is_open: Option<bool>,
    /// Only waits with this decision.
    pub decision: Option<WaitDecision>,
    /// Only waits of this session.
    pub session_id: Option<SessionId>,
    /// Older than this one.
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
                      w.reason, e.stage_index, e.stage_name, e.agent, e.llm_provider, e.pool, s.chain_id, s.alert_type,
                      s.severity, s.author, s.completed_at_us is null as "is_live!"
               from waits w join stage_executions e using (execution_id)
               join alert_sessions s on s.session_id = w.session_id
               where "# + $where,
            $($argument),*
        )
    };
}

/// A wait, if there is one of this id.
pub async fn find_wait(conn: &mut PgConnection, id: WaitId) -> Result<Option<WaitRecord>, Error> {
    let found = read_waits!("w.wait_id = $1", id.as_uuid());
    Ok(found.fetch_optional(conn).await?)
}

/// The newest wait of a session for this signal.
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

/// Every wait of a session, oldest first.
pub async fn waits_of(
    conn: &mut PgConnection,
    session_id: SessionId,
) -> Result<Vec<WaitRecord>, Error> {
    let waits = read_waits!("w.session_id = $1 order by w.wait_id", session_id.as_uuid());
    Ok(waits.fetch_all(conn).await?)
}

/// A tool call that was decided about.
#[derive(Clone, Debug)]
pub struct DecidedCall {
    /// Its position among the interactions of the stage.
    pub sequence: i32,
    /// Whether the call was approved or denied, or the wait expired.
    pub decision: WaitDecision,
    /// Name of the caller who decided; `None`: the wait expired.
    pub decided_by: Option<String>,
    /// Reason that was given with the decision.
    pub reason: Option<String>,
}

/// What was decided about the tool calls of a stage execution.
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

/// Author of the message or question that a session answers, or that led to it by dispatch; `None` for alerts.
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

/// What is known of a stage that would begin beyond a spending limit.
#[derive(Clone, Debug)]
pub struct SpendingState {
    /// Whether it has asked a model: one that began goes on.
    pub has_asked: bool,
    /// Whether a person let its session, or one that dispatched it, go on beyond the limits.
    pub is_approved: bool,
    /// Error of a stage of the session that was refused more money in the same round; a replay asks again.
    pub refusal: Option<String>,
}

/// Read what decides whether a stage may go on beyond a spending limit.
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
                  (select asked.error_message
                   from stage_executions own join waits w using (session_id)
                   join stage_executions asked on asked.execution_id = w.execution_id and asked.round = own.round
                   where own.execution_id = $2 and w.sort = 'spending' and w.decision in ('denied', 'expired')
                   order by w.wait_id limit 1) as refusal"#,
        session_id.as_uuid(),
        execution_id.as_uuid(),
    )
    .fetch_one(conn)
    .await?)
}

/// Approvals that match, newest first: gates, tool calls and spending. One whose session has ended is not open.
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

/// Open approvals, the most urgent first: by severity, then the one that expires first. `before`: those that come after this one.
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
            // It was deleted with its session.
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
