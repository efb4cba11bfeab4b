//! Deadlines for statements. They are needed because Postgres may disappear without closing the connection.

use std::time::Duration;

use futures::FutureExt as _;
use sqlx::Connection as _;
use sqlx::postgres::{PgConnectOptions, PgConnection, PgPool, PgPoolOptions};
use tarsy_postgres::Primary;

use crate::process::is_of_this_process;

/// Time limit of a short transaction. If one takes longer, its connection is considered dead.
pub const STATEMENT_DEADLINE: Duration = Duration::from_secs(5);
/// A connection that was idle for longer is tested before it is used.
const TRUSTED: Duration = Duration::from_secs(1);
/// Time limit of that test.
const PING: Duration = Duration::from_secs(2);

/// Sessions that a pool may have in Postgres beyond its size, left over from abandoned statements.
const SPARE: i64 = 4;

/// Runs `work` with a time limit of [`STATEMENT_DEADLINE`]. After that, the work is dropped together with its
/// connection.
///
/// # Errors
///
/// Those of `work`; [`sqlx::Error::PoolTimedOut`] if the time is up.
pub fn within_deadline<T, E: From<sqlx::Error>>(
    work: impl Future<Output = Result<T, E>>,
) -> impl Future<Output = Result<T, E>> {
    within(STATEMENT_DEADLINE, work)
}

/// Runs `work` like [`within_deadline`], with a time limit given by the caller. Not an `async fn`, because that would
/// hold `work` three times: as its argument and while it is moved.
///
/// # Errors
///
/// As [`within_deadline`].
pub fn within<T, E: From<sqlx::Error>>(
    limit: Duration,
    work: impl Future<Output = Result<T, E>>,
) -> impl Future<Output = Result<T, E>> {
    tokio::time::timeout(limit, work)
        .map(|ended| ended.unwrap_or_else(|_| Err(sqlx::Error::PoolTimedOut.into())))
}

/// Creates a pool that connects to `primary` with `options` and never waits indefinitely for a silent connection.
///
/// A restart of Postgres or a lost host leaves dead connections. Testing each connection before use costs a round
/// trip, a tenth of a short transaction. The pool therefore trusts a connection that was used within the last second.
/// A caller that gets a dead one tries again, as after any lost connection.
///
/// sqlx has no time limit for its work on a connection that is returned, and a statement on it may have been dropped
/// halfway. The pool therefore tests each returned connection first and ends any open transaction. If Postgres has
/// several hosts, the pool closes connections to a former primary, and refuses a connection to a host that accepts no
/// writes.
///
/// Commits can hang in Postgres, e.g. while the only synchronous standby is away. An abandoned statement leaves its
/// session there, so every retry would take another connection until Postgres has none left. If the sessions of the
/// pool name this process ([`session_name`](crate::session_name)), the pool may have at most `SPARE` sessions more
/// than its size. It opens no others until Postgres has ended some.
#[must_use]
pub fn wary_pool(primary: &Primary, pool: PgPoolOptions, options: PgConnectOptions) -> PgPool {
    let (opened, before, after) = (primary.clone(), primary.clone(), primary.clone());
    let is_own = options
        .get_application_name()
        .is_some_and(is_of_this_process);
    let most = i64::from(pool.get_max_connections()) + SPARE;
    let pool = pool
        .test_before_acquire(false)
        .after_connect(move |connection, _| {
            let opened = opened.clone();
            Box::pin(async move {
                opened.admit(&mut *connection).await?;
                match is_own {
                    true => refuse_beyond(connection, most).await,
                    false => Ok(()),
                }
            })
        })
        .before_acquire(move |connection, of| {
            let is_outdated = before.predates_move(of.age);
            Box::pin(async move {
                if is_outdated {
                    return Ok(false);
                }
                if of.idle_for > TRUSTED {
                    within(PING, connection.ping()).await?;
                }
                Ok(true)
            })
        })
        .after_release(move |connection, of| {
            let is_outdated = after.predates_move(of.age);
            Box::pin(async move {
                if is_outdated {
                    return Ok(false);
                }
                within(PING, leave_transaction(connection)).await?;
                Ok(true)
            })
        });
    primary.pool(pool, options)
}

/// Refuses a connection if Postgres has more than `most` sessions of this name, including this one.
async fn refuse_beyond(connection: &mut PgConnection, most: i64) -> Result<(), sqlx::Error> {
    let sessions = sqlx::query_scalar!(
        r#"select count(*) as "sessions!" from pg_stat_activity
           where datname = current_database() and application_name = current_setting('application_name')"#
    )
    .fetch_one(connection)
    .await?;
    match sessions > most {
        true => Err(sqlx::Error::Io(std::io::Error::other(format!(
            "Postgres still has {sessions} sessions of this pool, of which {most} are allowed: commits may hang"
        )))),
        false => Ok(()),
    }
}

/// Ends the transaction of a `BEGIN` whose future was dropped before the reply arrived.
///
/// sqlx 0.9 counts a transaction only once it has read that reply, and rolls back only transactions that it counted.
/// The next statement on the connection would be part of the open transaction: acknowledged, holding its locks, and
/// not committed.
///
/// The empty statement costs as much as a ping. If the reply shows that no transaction is open, sqlx reports it as a
/// `BEGIN` that failed.
async fn leave_transaction(connection: &mut PgConnection) -> Result<(), sqlx::Error> {
    match connection.begin_with("").await {
        Err(sqlx::Error::BeginFailed) => Ok(()),
        Err(error) => Err(error),
        // The pool sends the rollback when it tests the connection, right after this.
        Ok(left) => {
            tracing::debug!("a transaction that was begun and given up is rolled back");
            drop(left);
            Ok(())
        }
    }
}

/// Adds session settings that make Postgres notice when this process is gone. Postgres then ends an abandoned
/// transaction, and closes the connection of a client that acknowledges nothing.
///
/// They are sent as start-up options, like those of [`steady_plans`](crate::steady_plans).
#[must_use]
pub(crate) fn noticing_dead_clients(options: PgConnectOptions) -> PgConnectOptions {
    options.options([
        ("tcp_keepalives_idle", "5"),
        ("tcp_keepalives_interval", "2"),
        ("tcp_keepalives_count", "3"),
        ("tcp_user_timeout", "10000"),
        ("client_connection_check_interval", "250"),
        ("idle_in_transaction_session_timeout", "15000"),
    ])
}
