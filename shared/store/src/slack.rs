//! State of Slack channels: sessions of threads, and hints that were posted.

use sqlx::PgConnection;
use tarsy_model::SessionId;

use crate::Error;

/// Returns the session that a thread of a target's channel is about: the newest, if there are several. Questions about
/// the session don't count.
pub async fn session_of_thread(
    conn: &mut PgConnection,
    target: &str,
    thread: &str,
) -> Result<Option<SessionId>, Error> {
    Ok(sqlx::query_scalar!(
        r#"select s.session_id as "session_id: SessionId"
           from slack_threads t join alert_sessions s using (session_id)
           where t.target = $1 and t.thread_ts = $2 and s.conversation_id is null
           order by s.started_at_us desc limit 1"#,
        target,
        thread,
    )
    .fetch_optional(conn)
    .await?)
}

/// Records that a hint is posted. Returns false if it was already posted before. Deletes records older than a week.
pub async fn note_hint(
    conn: &mut PgConnection,
    target: &str,
    given_for: &str,
) -> Result<bool, Error> {
    let noted = sqlx::query!(
        "with forgotten as (
             delete from slack_hints
             where target = $1 and given_for <> $2 and given_at < now() - interval '7 days'
         )
         insert into slack_hints (target, given_for) values ($1, $2) on conflict do nothing",
        target,
        given_for,
    )
    .execute(conn)
    .await?;
    Ok(noted.rows_affected() > 0)
}
