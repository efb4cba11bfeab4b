//! Decides which errors are temporary.

use sqlx::error::DatabaseError;
use sqlx::postgres::{PgDatabaseError, PgSeverity};

/// Classes of SQLSTATE that are temporary: connection exceptions, exhausted resources (connections, memory, disk),
/// deadlocks and serialisation failures, shutdowns and crashes.
/// <https://www.postgresql.org/docs/current/errcodes-appendix.html>
const CLASSES: [&str; 4] = ["08", "53", "40", "57P"];

/// Codes that are temporary: a read-only server (during a failover), an unavailable lock, a statement that exceeded
/// its time limit.
const CODES: [&str; 3] = ["25006", "55P03", "57014"];

/// Returns whether the same statement may succeed a moment later, because the problem is the connection or the server,
/// not the statement.
#[must_use]
pub fn is_transient(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Io(_)
        | sqlx::Error::PoolTimedOut
        | sqlx::Error::Protocol(_)
        | sqlx::Error::Tls(_)
        | sqlx::Error::WorkerCrashed
        | sqlx::Error::BeginFailed => true,
        sqlx::Error::Database(error) => passes(error.as_ref()),
        _ => false,
    }
}

fn passes(error: &dyn DatabaseError) -> bool {
    // The server has ended the session, so the code does not matter: on a full disk a new session can fail with XX000.
    let ended = error
        .try_downcast_ref::<PgDatabaseError>()
        .is_some_and(|error| matches!(error.severity(), PgSeverity::Fatal | PgSeverity::Panic));
    let by_code =
        |code: &str| CLASSES.iter().any(|class| code.starts_with(class)) || CODES.contains(&code);
    ended || error.code().is_some_and(|code| by_code(&code))
}

#[cfg(test)]
mod tests {
    use sqlx::{Connection as _, Executor as _, PgConnection};
    use tarsy_testing::TestDb;

    use super::*;

    #[tokio::test]
    async fn what_ends_a_session_passes_and_what_refuses_a_statement_does_not() {
        let db = TestDb::new().await;
        let mut conn = PgConnection::connect(db.url()).await.unwrap();
        for (statement, expected) in [
            ("select 1 / 0", false),
            ("select no_such_column", false),
            ("select '{'::jsonb", false),
            ("set statement_timeout = 1; select pg_sleep(5)", true),
            ("select pg_terminate_backend(pg_backend_pid())", true),
        ] {
            let error = conn.execute(statement).await.unwrap_err();
            assert_eq!(is_transient(&error), expected, "{statement}: {error}");
        }
        // A fatal error is transient, although its code does not show it.
        let elsewhere = format!("{}_that_is_not_there", db.url());
        let error = PgConnection::connect(&elsewhere).await.unwrap_err();
        assert!(is_transient(&error), "{error}");
    }
}
