//! Child sessions, which agents dispatched to sub-agents. `tarsy-transitions` creates and cancels them.

use sqlx::PgConnection;
use tarsy_model::{ExecutionId, SessionId, SessionOutcome, SessionStatus, WaitId};

use crate::Error;

/// A child session and its state.
#[derive(Clone, Debug)]
pub struct ChildRecord {
    /// Id of the child session.
    pub session_id: SessionId,
    /// Stage whose agent dispatched it.
    pub parent_execution_id: ExecutionId,
    /// Agent that runs it.
    pub agent: String,
    /// Task of the sub-agent. Masked.
    pub task: String,
    /// Current status of the session.
    pub status: SessionStatus,
    /// Outcome; `None` while the session is live.
    pub outcome: Option<SessionOutcome>,
    /// Verdict of the check of its answer, as a value of `SessionVerdict`.
    pub verdict: Option<String>,
    /// Answer of the child session.
    pub final_analysis: Option<String>,
    /// Reason why it failed.
    pub error_message: Option<String>,
    /// Time when it was created, in Unix microseconds.
    pub started_at_us: i64,
    /// Time when it ended, in Unix microseconds.
    pub completed_at_us: Option<i64>,
    /// Cost of its stages so far, in dollars; `None` if no stage has a price.
    pub cost_usd: Option<f64>,
}

macro_rules! read_children {
    ($where:tt, $argument:expr) => {
        sqlx::query_as!(
            ChildRecord,
            r#"select s.session_id as "session_id: SessionId", c.parent_execution_id as "parent_execution_id: ExecutionId",
                      c.agent, c.task, s.status as "status: SessionStatus", s.outcome as "outcome: SessionOutcome", s.verdict,
                      s.final_analysis, s.error_message, s.started_at_us, s.completed_at_us,
                      (select sum(e.cost_usd) from stage_executions e where e.session_id = s.session_id)::float8 as "cost_usd?"
               from child_sessions c join alert_sessions s using (session_id)
               where "# + $where + " order by s.started_at_us, s.session_id",
            $argument,
        )
    };
}

/// Returns the children that a stage execution dispatched, oldest first.
pub async fn children_of_stage(
    conn: &mut PgConnection,
    execution_id: ExecutionId,
) -> Result<Vec<ChildRecord>, Error> {
    let children = read_children!("c.parent_execution_id = $1", execution_id.as_uuid());
    Ok(children.fetch_all(conn).await?)
}

/// Returns the children of all stages of a session, oldest first.
pub async fn children_of_session(
    conn: &mut PgConnection,
    session_id: SessionId,
) -> Result<Vec<ChildRecord>, Error> {
    let children = read_children!("s.parent_session_id = $1", session_id.as_uuid());
    Ok(children.fetch_all(conn).await?)
}

/// Returns the task of a child session; `None` if the session is not a child.
pub async fn task_of_child(
    conn: &mut PgConnection,
    session_id: SessionId,
) -> Result<Option<String>, Error> {
    Ok(sqlx::query_scalar!(
        "select task from child_sessions where session_id = $1",
        session_id.as_uuid()
    )
    .fetch_optional(conn)
    .await?)
}

/// Returns the chain of the topmost ancestor of a child session; `None` if the session is not a child.
pub async fn chain_of_child(
    conn: &mut PgConnection,
    session_id: SessionId,
) -> Result<Option<String>, Error> {
    Ok(sqlx::query_scalar!(
        "select chain_id from child_sessions where session_id = $1",
        session_id.as_uuid()
    )
    .fetch_optional(conn)
    .await?)
}

/// Returns the children of a session that have not ended.
pub async fn live_children(
    conn: &mut PgConnection,
    session_id: SessionId,
) -> Result<Vec<SessionId>, Error> {
    Ok(sqlx::query_scalar!(
        r#"select s.session_id as "session_id: SessionId"
           from alert_sessions s join child_sessions c using (session_id)
           where s.parent_session_id = $1 and s.completed_at_us is null order by s.session_id"#,
        session_id.as_uuid()
    )
    .fetch_all(conn)
    .await?)
}

/// Returns the open waits of a session's stages whose children have all ended.
pub async fn waits_whose_children_ended(
    conn: &mut PgConnection,
    session_id: SessionId,
) -> Result<Vec<WaitId>, Error> {
    Ok(sqlx::query_scalar!(
        r#"select w.wait_id as "wait_id: WaitId" from waits w
           where w.session_id = $1 and w.sort = 'children' and w.decision is null
             and not exists (select from child_sessions c join alert_sessions s using (session_id)
                             where c.parent_execution_id = w.execution_id and s.completed_at_us is null)"#,
        session_id.as_uuid()
    )
    .fetch_all(conn)
    .await?)
}
