//! Decides a wait in one statement: the fence, rows, event, audit entry and the job that continues.

use serde_json::Value;
use sqlx::PgConnection;
use tarsy_model::{
    CHAIN_JOB, DISPATCH_REQUIREMENT, OperatorAction, Pool, Role, STAGE_JOB, WAIT_JOB,
    WAIT_NOTICE_JOB, WaitDecision, WaitSort, chain_queue, job_requirement, priority_of,
    stage_requires, wait_requirement,
};
use tarsy_store::Error;
use tarsy_store::waits::WaitRecord;
use uuid::Uuid;

/// The caller who decides, as recorded in the audit log.
#[derive(Clone, Debug)]
pub struct Decider {
    /// Name of the API key or person.
    pub name: String,
    /// Role of the caller.
    pub role: Role,
    /// Method of authentication.
    pub means: &'static str,
    /// API key of the request, if any.
    pub key_id: Option<Uuid>,
}

/// Decision of a person or another system about a wait.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// The time is up: a timer has elapsed, or any other wait has expired.
    TimeIsUp,
    /// The child sessions that the stage waits for have ended.
    ChildrenEnded,
    /// A person approves or denies.
    Answer {
        /// `false`: denied.
        is_approved: bool,
        /// The person who decides, with their role.
        by: Decider,
        /// Their reason, without secrets.
        reason: String,
    },
    /// The signal has arrived.
    Signal {
        /// Payload of the signal, without secrets. It becomes the stage's data.
        payload: Value,
        /// Sender of the signal.
        by: Decider,
    },
}

impl Verdict {
    fn decision(&self) -> Option<WaitDecision> {
        match self {
            Self::TimeIsUp => None,
            Self::ChildrenEnded => Some(WaitDecision::ChildrenEnded),
            Self::Answer { is_approved, .. } => Some(match is_approved {
                true => WaitDecision::Approved,
                false => WaitDecision::Denied,
            }),
            Self::Signal { .. } => Some(WaitDecision::Signalled),
        }
    }

    const fn action(&self) -> Option<OperatorAction> {
        match self {
            Self::TimeIsUp | Self::ChildrenEnded => None,
            Self::Answer {
                is_approved: true, ..
            } => Some(OperatorAction::Approve),
            Self::Answer { .. } => Some(OperatorAction::Deny),
            Self::Signal { .. } => Some(OperatorAction::SendSignal),
        }
    }

    const fn by(&self) -> Option<&Decider> {
        match self {
            Self::TimeIsUp | Self::ChildrenEnded => None,
            Self::Answer { by, .. } | Self::Signal { by, .. } => Some(by),
        }
    }

    fn reason(&self) -> Option<&str> {
        match self {
            Self::Answer { reason, .. } => Some(reason),
            _ => None,
        }
    }

    const fn payload(&self) -> Option<&Value> {
        match self {
            Self::Signal { payload, .. } => Some(payload),
            _ => None,
        }
    }
}

/// A wait that was decided by this call.
#[derive(Clone, Debug)]
pub struct Decided {
    /// The decision. If the time was already up, it is `expired`, or `elapsed` for a timer.
    pub decision: WaitDecision,
    /// The queue that got a job.
    pub queue: String,
}

/// Decides a wait. Returns `None` if it is already decided, its session has ended, or its time is not up yet; then
/// nothing was changed.
///
/// The session is locked first, as cancelling does. If several callers decide at the same time, the first transaction
/// to commit wins.
///
/// A gate's stage ends with the decision as its output, and a chain job decides the next step. A stage becomes due
/// again if its agent asked about a tool call, if it waited for its children, or if it may continue beyond a spending
/// limit. Its new epochs are above the one under which it asked, and its deadline moves by the time it waited. A stage
/// that may not spend more fails.
pub async fn decide_wait(
    conn: &mut PgConnection,
    wait: &WaitRecord,
    verdict: &Verdict,
) -> Result<Option<Decided>, Error> {
    let by = verdict.by();
    let decided = sqlx::query_as!(
        Decided,
        r#"
        with candidate as materialized (
            -- A late decision finds the wait expired, even if the expiry is not recorded yet.
            select wait_id, session_id, execution_id, sort, asked_at_us,
                   case when expires_at > clock_timestamp() then $1::wait_decision
                        when sort = 'timer' then 'elapsed' else 'expired' end as decision
            from waits where wait_id = $2
        ),
        -- Waits of a session that has ended are not decided.
        live as materialized (
            select s.session_id, s.traceparent, jsonb_array_length(s.chain_definition -> 'stages') as stage_count
            from alert_sessions s join candidate using (session_id)
            where s.completed_at_us is null
            for no key update of s
        ),
        -- The referee: the first decision stays.
        decided as (
            update waits w
            set decision = f.decision, decided_at_us = now_us(),
                (decided_by, decided_role, means, key_id, reason) =
                    (select $3::text, $4::text, $5::text, $6::uuid, $7::text where f.decision = $1::wait_decision)
            from candidate f join live l using (session_id)
            where w.wait_id = f.wait_id and w.decision is null and f.decision is not null
            returning w.*, l.traceparent, l.stage_count
        ),
        -- The stage ends or is due again. The time that it waited is added to its deadline.
        settled as (
            update stage_executions e
            set status = d.status, completed_at_us = case when d.status <> 'pending' then now_us() end,
                deadline_at = e.deadline_at + (now_us() - d.asked_at_us) * interval '1 microsecond',
                error_class = case when d.status = 'failed' then case d.sort when 'spending' then 'budget' else 'expired' end end,
                error_message = case
                    when d.status <> 'failed' then null
                    when d.sort = 'signal' then 'signal `' || d.signal || '` did not come in time'
                    when d.decision = 'denied' then d.question || ' Denied by ' || d.decided_by || ': ' || d.reason
                    else d.question || ' Nobody decided in time.' end,
                stage_output = case
                    when d.status <> 'completed' then null
                    when d.sort = 'signal' then jsonb_build_object(
                        'result', 'Signal `' || d.signal || '` came from ' || d.decided_by || '.', 'data', $8::jsonb)
                    when d.sort = 'timer' then jsonb_build_object(
                        'result', 'The time is over.', 'data', jsonb_build_object('decision', d.decision))
                    else jsonb_build_object(
                        'result', case d.decision
                            when 'approved' then 'Approved by ' || d.decided_by || ': ' || d.reason
                            when 'denied' then 'Denied by ' || d.decided_by || ': ' || d.reason
                            else 'Nobody decided in time: not approved.' end,
                        'data', jsonb_build_object('approved', d.decision = 'approved', 'decision', d.decision,
                                                   'by', d.decided_by, 'reason', d.reason))
                end
            from (
                select *, case
                    when sort in ('tool_call', 'children') or sort = 'spending' and decision = 'approved' then 'pending'
                    when sort = 'spending' or sort = 'signal' and decision = 'expired' then 'failed'
                    else 'completed' end::stage_status as status
                from decided
            ) d
            where e.execution_id = d.execution_id and e.status = 'waiting'
            returning e.execution_id, e.session_id, e.stage_index, e.stage_name, e.agent, e.attempt, e.branch, e.branch_name,
                e.status, e.error_message, e.claim_epoch, d.wait_id, d.sort, d.decision, d.decided_by, d.reason, d.traceparent,
                d.stage_count
        ),
        new_events as (
            insert into events (session_id, kind, payload)
            select session_id, 'stage_progress', stage_event(
                session_id, execution_id, stage_index, stage_count, stage_name, agent, attempt, branch, branch_name,
                status, error_message)
            from settled
            union all
            select session_id, 'wait_update', jsonb_build_object(
                'type', 'wait_update', 'session_id', session_id, 'execution_id', execution_id, 'wait_id', wait_id,
                'stage_name', stage_name, 'sort', sort, 'status', decision, 'decided_by', decided_by)
            from settled
        ),
        audited as (
            insert into audit_log (actor, role, action, subject_kind, subject, reason, details, means, key_id)
            select $3, $4, $9, $10, session_id::text, coalesce($7, 'not stated'),
                   jsonb_build_object('wait_id', wait_id, 'execution_id', execution_id, 'stage_name', stage_name, 'sort', sort),
                   $5, $6
            from settled where decision = $1::wait_decision and $9::text is not null
        ),
        -- Deletes the jobs that would end the wait or announce it, unless a worker runs them.
        deleted as (
            delete from jobs where id = any(array(
                select id from jobs
                where unique_key = any(select k || ':' || wait_id from settled, unnest(array[$11, $12]) k) and owner is null
                for update skip locked))
        ),
        queued as (
            insert into jobs (id, queue, kind, subject, priority, rank, traceparent, epoch, requires)
            select $13, g.queue, g.kind, g.subject, $14::smallint, job_rank($14, clock_timestamp()), s.traceparent, g.epoch,
                   g.requires
            from settled s, lateral (
                -- The stage continues, or a chain job decides what comes next.
                select $15::text as queue, $16::text as kind, s.execution_id as subject, coalesce(s.claim_epoch, 0) as epoch,
                       $17::text[] || case when exists (select from child_sessions c where c.parent_execution_id = s.execution_id)
                                           then array[$18::text] end as requires
                where s.status = 'pending'
                union all
                select $19, $20, s.session_id, 0, null where s.status <> 'pending'
            ) g
            returning queue
        ),
        -- Notifies the people who were asked.
        notices as (
            insert into jobs (id, queue, kind, subject, priority, rank, traceparent, requires)
            select $21, $19, $12, s.wait_id, $14::smallint, job_rank($14, clock_timestamp()), s.traceparent,
                   -- Older chain workers can't read waits about spending.
                   array[$22::text] || case when s.sort = 'spending' then array[$23::text] end
            from settled s where s.sort in ('approval', 'tool_call', 'spending')
        )
        select s.decision as "decision!: WaitDecision", q.queue as "queue!" from settled s, queued q
        "#,
        verdict.decision() as Option<WaitDecision>,
        wait.wait_id.as_uuid(),
        by.map(|by| by.name.as_str()),
        by.map(|by| by.role.as_str()),
        by.map(|by| by.means),
        by.and_then(|by| by.key_id),
        verdict.reason(),
        verdict.payload(),
        verdict.action().map(OperatorAction::as_str),
        verdict.action().map(OperatorAction::subject_kind),
        WAIT_JOB,
        WAIT_NOTICE_JOB,
        Uuid::now_v7(),
        priority_of(&wait.severity),
        Pool::from(wait.pool.as_str()).queue(),
        STAGE_JOB,
        &stage_requires(&wait.agent, wait.llm_provider.as_deref()),
        DISPATCH_REQUIREMENT,
        chain_queue(),
        CHAIN_JOB,
        Uuid::now_v7(),
        job_requirement(WAIT_NOTICE_JOB),
        wait_requirement(WaitSort::Spending),
    )
    .fetch_optional(conn)
    .await?;
    Ok(decided)
}
