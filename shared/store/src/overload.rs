//! Health check of the HTTP service, run every second.

use sqlx::{PgConnection, PgExecutor};

use crate::Error;

/// Checks that the database responds.
///
/// # Errors
///
/// [`Error::Database`] if it does not.
pub async fn ping(conn: &mut PgConnection) -> Result<(), Error> {
    sqlx::query!("select 1 as one").fetch_one(conn).await?;
    Ok(())
}

/// Does the same as [`ping`], over any executor of statements, e.g. a listener.
///
/// # Errors
///
/// [`Error::Database`] if it does not respond.
pub async fn ping_over(executor: impl PgExecutor<'_>) -> Result<(), Error> {
    sqlx::query!("select 1 as one").fetch_one(executor).await?;
    Ok(())
}

/// Counts the sessions that have not ended. Counting stops at `at_most`, so that a huge backlog costs no more than one
/// at the limit.
pub async fn waiting_sessions(conn: &mut PgConnection, at_most: u64) -> Result<u64, Error> {
    let count = sqlx::query_scalar!(
        r#"select count(*) as "count!" from (
               select 1 from alert_sessions where status in ('pending', 'in_progress') limit $1
           ) waiting"#,
        i64::try_from(at_most).unwrap_or(i64::MAX),
    )
    .fetch_one(conn)
    .await?;
    Ok(u64::try_from(count).unwrap_or_default())
}
