//! Information for people who decide about a wait.

use sqlx::PgConnection;
use tarsy_model::{SessionId, StageStatus, WaitId};
use uuid::Uuid;

use crate::Error;

/// Maximum length of the part of a conclusion that is read, in characters.
const CONCLUSION_CHARS: i32 = 4_000;

/// The alert of a waiting session, and its findings so far. Alert and texts are not masked.
#[derive(Clone, Debug)]
pub struct WaitContext {
    /// Id of the wait.
    pub wait_id: WaitId,
    /// The alert's `alertname`, up to 160 characters.
    pub alert_name: Option<String>,
    /// The alert's cluster, in its data or labels.
    pub cluster: Option<String>,
    /// The alert's namespace.
    pub namespace: Option<String>,
    /// Pod, host, instance or service of the alert.
    pub object: Option<String>,
    /// Description from the alert: its summary, message or description.
    pub summary: Option<String>,
    /// The first 400 characters of the newest conclusion of the session.
    pub conclusion_start: Option<String>,
}

/// The conclusion of a stage, or of a branch of it.
#[derive(Clone, Debug)]
pub struct StageConclusion {
    /// Row of `alert_sessions`.
    pub session_id: SessionId,
    /// Position in the chain.
    pub stage_index: i32,
    /// Name of the stage.
    pub stage_name: String,
    /// Name of the branch; `None`: the stage has no branches.
    pub branch_name: Option<String>,
    /// Status with which it ended.
    pub status: StageStatus,
    /// Its result, up to 4,000 characters; `None` if it has none.
    pub conclusion: Option<String>,
}

/// Reads the context of these waits.
pub async fn wait_contexts(
    conn: &mut PgConnection,
    waits: &[WaitId],
) -> Result<Vec<WaitContext>, Error> {
    let ids: Vec<Uuid> = waits.iter().map(|id| id.as_uuid()).collect();
    Ok(sqlx::query_as!(
        WaitContext,
        r#"
        select w.wait_id as "wait_id: WaitId",
               left(coalesce(a.labels ->> 'alertname', a.data ->> 'alertname'), 160) as alert_name,
               left(coalesce(a.data ->> 'cluster', a.labels ->> 'cluster'), 160) as cluster,
               left(coalesce(a.data ->> 'namespace', a.labels ->> 'namespace'), 160) as namespace,
               left(coalesce(a.data ->> 'pod', a.labels ->> 'pod', a.data ->> 'host', a.labels ->> 'host', a.data ->> 'instance',
                             a.labels ->> 'instance', a.data ->> 'service', a.labels ->> 'service'), 160) as object,
               left(coalesce(a.data ->> 'summary', a.annotations ->> 'summary', a.data ->> 'message',
                             a.annotations ->> 'description', a.data ->> 'description'), 400) as summary,
               left(coalesce(s.final_analysis, newest.result), 400) as conclusion_start
        from waits w
        join alert_sessions s on s.session_id = any(array[w.session_id])
        cross join lateral (
            -- As in lists, this avoids decompressing large alerts for one line each.
            select data, coalesce(data -> 'labels', data -> 'commonLabels') as labels,
                   coalesce(data -> 'annotations', data -> 'commonAnnotations') as annotations
            from (select case when pg_column_size(s.alert_data) < 32768 then s.alert_data end as data) fair
        ) a
        left join lateral (
            -- The answer to a gate is not a conclusion.
            select e.stage_output ->> 'result' as result from stage_executions e
            where e.session_id = any(array[w.session_id]) and e.status = 'completed' and e.agent not like 'wait:%'
              and e.stage_output ->> 'result' <> ''
            order by e.stage_index desc, e.attempt desc limit 1
        ) newest on true
        where w.wait_id = any($1)
        "#,
        &ids,
    )
    .fetch_all(conn)
    .await?)
}

/// Reads the conclusions of the current attempts of these sessions' stages, by session, stage and branch. Stages of
/// kind `wait` have none.
pub async fn stage_conclusions(
    conn: &mut PgConnection,
    sessions: &[SessionId],
) -> Result<Vec<StageConclusion>, Error> {
    let ids: Vec<Uuid> = sessions.iter().map(|id| id.as_uuid()).collect();
    Ok(sqlx::query_as!(
        StageConclusion,
        r#"
        select e.session_id as "session_id!: SessionId", e.stage_index as "stage_index!", e.stage_name as "stage_name!", e.branch_name,
               e.status as "status!: StageStatus", left(e.stage_output ->> 'result', $1) as conclusion
        from unnest($2::uuid[]) as ids (session_id)
        cross join lateral current_stages(ids.session_id) e
        where e.status in ('completed', 'failed') and e.agent not like 'wait:%'
        order by e.session_id, e.stage_index, e.branch
        "#,
        CONCLUSION_CHARS,
        &ids,
    )
    .fetch_all(conn)
    .await?)
}
