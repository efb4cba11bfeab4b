//! Creates a child session in one statement: the fence, the limits, rows, event and chain job.

use serde_json::value::RawValue;
use sqlx::PgConnection;
use sqlx::types::Json;
use tarsy_model::{
    CHAIN_JOB, CHILDREN_JOB, DISPATCH_REQUIREMENT, InteractionId, SUB_AGENT_CHAIN, SessionId,
    chain_queue, job_requirement, priority_of,
};
use tarsy_store::Error;
use tarsy_store::interactions::StageFence;
use uuid::Uuid;

/// A child session to create.
#[derive(Clone, Debug)]
pub struct Dispatch {
    /// The stage whose agent dispatches the child, and the claim under which it runs.
    pub fence: StageFence,
    /// The tool call that dispatches the child.
    pub interaction_id: InteractionId,
    /// Agent that runs the child session.
    pub agent: String,
    /// Task of the sub-agent, without secrets.
    pub task: String,
    /// Definition of its chain, which has one stage.
    pub chain_definition: Box<RawValue>,
    /// Severity of the alert, which determines the priority.
    pub severity: String,
    /// Maximum depth of child sessions below the alert's session.
    pub max_depth: i32,
    /// Maximum number of children of a stage execution.
    pub max_children: i64,
}

/// Result of a [`Dispatch`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dispatched {
    /// The child of this call, created now or before a crash.
    Child(SessionId),
    /// The child would be deeper than allowed.
    TooDeep,
    /// The stage already has the maximum number of children.
    TooMany,
    /// Another worker holds the stage, or its session has ended. Nothing was changed.
    ClaimLost,
}

/// Creates a child session under the claim of its parent's stage.
///
/// Each call creates at most one child: a call that was already made before a crash finds its child. The parent's
/// session is locked first, as cancelling does, so no child is created for a session that has ended. From then on the
/// stage's job requires a worker that supports sub-agents.
pub async fn dispatch(conn: &mut PgConnection, request: &Dispatch) -> Result<Dispatched, Error> {
    let row = sqlx::query!(
        r#"
        with parent as materialized (
            select s.* from alert_sessions s where s.session_id = $1 for no key update
        ),
        -- The fence. From here on, the job requires a worker that knows child sessions.
        held as materialized (
            update jobs set requires = array_remove(requires, $2) || $2::text
            where (select count(*) from parent where completed_at_us is null) = 1
              and id = $3 and owner is not distinct from $4 and epoch = $5
            returning id
        ),
        -- The child that this call created before a crash.
        known as materialized (
            select session_id from child_sessions where interaction_id = $6
        ),
        -- The depth that the child would have, and the number of children that its stage has.
        place as materialized (
            select coalesce((select depth from child_sessions where session_id = $1), 0) + 1 as depth,
                   (select chain_id from child_sessions where session_id = $1) as root_chain_id,
                   (select count(*) from child_sessions where parent_execution_id = $7) as children
        ),
        allowed as materialized (
            select depth, root_chain_id from place
            where depth <= $8 and children < $9 and exists (select from held) and not exists (select from known)
        ),
        -- The child inherits the alert and the runbook.
        child as (
            insert into alert_sessions
                (session_id, alert_id, alert_type, alert_data, severity, alert_timestamp_us, source, author, fingerprint,
                 chain_id, chain_definition, runbook_url, runbook_content, runbook_error, traceparent, parent_session_id)
            select $10, $11, p.alert_type, p.alert_data, p.severity, p.alert_timestamp_us, 'sub-agent', p.author,
                   'child:' || $6::uuid, $12, $13, p.runbook_url, p.runbook_content, p.runbook_error, p.traceparent, p.session_id
            from parent p, allowed
            returning session_id, traceparent
        ),
        linked as (
            insert into child_sessions (session_id, parent_execution_id, interaction_id, agent, task, depth, chain_id)
            select c.session_id, $7, $6, $14, $15, a.depth, coalesce(a.root_chain_id, p.chain_id) from child c, allowed a, parent p
        ),
        new_events as (
            insert into events (session_id, kind, payload)
            select session_id, 'session_status_change', jsonb_build_object(
                'type', 'session_status_change', 'session_id', session_id, 'status', 'pending')
            from child
        ),
        queued as (
            insert into jobs (id, queue, kind, subject, priority, rank, traceparent, requires)
            select $16, $17, $18, c.session_id, $19::smallint, job_rank($19, clock_timestamp()), c.traceparent, $20::text[]
            from child c
        )
        select exists (select from held) as "held!", (select session_id from known) as "known: SessionId",
               (select session_id from child) as "made: SessionId", depth > $8 as "too_deep!"
        from place
        "#,
        request.fence.session_id.as_uuid(),
        DISPATCH_REQUIREMENT,
        request.fence.claim.job_id,
        request.fence.claim.owner,
        request.fence.claim.epoch,
        request.interaction_id.as_uuid(),
        request.fence.execution_id.as_uuid(),
        request.max_depth,
        request.max_children,
        SessionId::generate().as_uuid(),
        Uuid::now_v7(),
        SUB_AGENT_CHAIN,
        Json(&request.chain_definition) as Json<&Box<RawValue>>,
        request.agent,
        request.task,
        Uuid::now_v7(),
        chain_queue(),
        CHAIN_JOB,
        priority_of(&request.severity),
        &[job_requirement(CHILDREN_JOB)] as &[String],
    )
    .fetch_one(conn)
    .await?;
    Ok(match row.known.or(row.made) {
        _ if !row.held => Dispatched::ClaimLost,
        Some(child) => Dispatched::Child(child),
        None if row.too_deep => Dispatched::TooDeep,
        None => Dispatched::TooMany,
    })
}
