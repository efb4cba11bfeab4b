//! Subjects of jobs: sessions and stages.

use std::collections::HashMap;

use sqlx::PgConnection;
use tarsy_model::SessionId;
use uuid::Uuid;

use crate::Error;

/// Session and stage that a job is about.
#[derive(Clone, Debug)]
pub struct Subject {
    /// Row of `alert_sessions`.
    pub session_id: SessionId,
    /// Whether the session is running.
    pub is_live: bool,
    /// Index and name of the stage, if the job is about one.
    pub stage: Option<(i32, String)>,
}

/// Finds the sessions and stages that jobs are about, by job subject. Omits deleted ones.
pub async fn subjects_of(
    conn: &mut PgConnection,
    subjects: &[Uuid],
) -> Result<HashMap<Uuid, Subject>, Error> {
    let rows = sqlx::query!(
        r#"
        select f.subject as "subject!", f.stage_index, f.stage_name, s.session_id as "session_id!: SessionId",
               s.status in ('pending', 'in_progress') as "is_live!"
        from (
            select session_id as subject, session_id, null::int as stage_index, null::text as stage_name
            from alert_sessions where session_id = any($1)
            union all
            select execution_id, session_id, stage_index, stage_name from stage_executions where execution_id = any($1)
            union all
            select wait_id, session_id, null, null from waits where wait_id = any($1)
            union all
            select delivery_id, session_id, null, null from webhook_deliveries where delivery_id = any($1)
        ) f join alert_sessions s using (session_id)
        "#,
        subjects,
    )
    .fetch_all(conn)
    .await?;
    let found = rows.into_iter().map(|row| {
        let subject = Subject {
            session_id: row.session_id,
            is_live: row.is_live,
            stage: row.stage_index.zip(row.stage_name),
        };
        (row.subject, subject)
    });
    Ok(found.collect())
}

/// Returns the possible subjects of a job that advances this session: the session itself, its live attempts and its
/// open waits.
pub async fn live_work(conn: &mut PgConnection, session_id: SessionId) -> Result<Vec<Uuid>, Error> {
    let mut work = sqlx::query_scalar!(
        r#"select execution_id as "id!" from stage_executions where session_id = $1 and status in ('pending', 'active')
           union all select wait_id from waits where session_id = $1 and decision is null"#,
        session_id.as_uuid(),
    )
    .fetch_all(conn)
    .await?;
    work.push(session_id.as_uuid());
    Ok(work)
}
