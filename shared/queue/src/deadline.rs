//! Statement deadlines: Postgres may vanish without closing the connection.

use std::time::Duration;

use futures::FutureExt as _;
use sqlx::Connection as _;
use sqlx::postgres::{PgConnectOptions, PgConnection, PgPool, PgPoolOptions};
use tarsy_postgres::Primary;

use crate::process::is_of_this_process;

/// Longest time a short transaction may take; one that takes longer is on a dead connection.
pub const STATEMENT_DEADLINE: Duration = Duration::from_secs(5);
/// A connection that was idle for longer is looked at before it is used.
const TRUSTED: Duration = Duration::from_secs(1);
/// Longest wait for the sign of life of a connection.
const PING: Duration = Duration::from_secs(2);

/// Sessions that a pool may have left behind in Postgres beyond its size.
const SPARE: i64 = 4;

/// Carry out `work` within [`STATEMENT_DEADLINE`]. Work whose time is up is dropped with its connection.
///
/// # Errors
///
/// Those of `work`; [`sqlx::Error::PoolTimedOut`] when its time is up.
pub fn within_deadline<T, E: From<sqlx::Error>>(
    work: impl Future<Output = Result<T, E>>,
) -> impl Future<Output = Result<T, E>> {
    within(STATEMENT_DEADLINE, work)
}

/// As [`within_deadline`], with a limit of the caller's own. An `async fn` would hold `work` three times: as its
/// argument, and while it is moved on.
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

/// A pool that connects to `primary` with `options` and bounds the wait for a silent connection.
///
/// A restart of Postgres, or a lost host, leaves dead connections behind. Looking at each before it is used
/// costs a round trip, a tenth of a short transaction; one that was used just now is trusted, and whoever
/// meets a dead one tries again, as after any lost connection. What sqlx does with a connection that is given
/// back has no limit of its own, and a statement may have been dropped in its middle: it is looked at here
/// first, and left in no transaction. Where Postgres has several hosts, a connection to one that was left takes no
/// part any more, and one that takes no writes is refused.
///
/// Commits can hang in Postgres, e.g. while the only synchronous standby is away. A statement that is given up leaves its
/// session there, so that each try would take another connection until Postgres has none left. A pool whose sessions name
/// this process ([`session_name`](crate::session_name)) has `SPARE` more of them than its size, and gets no others
/// until Postgres has ended some.
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
            let left_behind = before.is_left_behind(of.age);
            Box::pin(async move {
                if left_behind {
                    return Ok(false);
                }
                if of.idle_for > TRUSTED {
                    within(PING, connection.ping()).await?;
                }
                Ok(true)
            })
        })
        .after_release(move |connection, of| {
            let left_behind = after.is_left_behind(of.age);
            Box::pin(async move {
                if left_behind {
                    return Ok(false);
                }
                within(PING, leave_transaction(connection)).await?;
                Ok(true)
            })
        });
    primary.pool(pool, options)
}

/// Refuses a connection while Postgres has more sessions of this name than `most`, this one among them.
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

/// Ends the transaction of a `BEGIN` whose future was dropped before its answer was there.
///
/// sqlx 0.9 counts a transaction when it has read that answer, so it rolls back only what was counted. The next
/// statement on the connection would be part of that transaction: acknowledged, holding its locks, and not committed.
///
/// An empty statement costs as much as a ping. sqlx takes it for a `BEGIN` that failed where Postgres says, with its
/// answer, that there is no transaction.
async fn leave_transaction(connection: &mut PgConnection) -> Result<(), sqlx::Error> {
    match connection.begin_with("").await {
        Err(sqlx::Error::BeginFailed) => Ok(()),
        Err(error) => Err(error),
        // Sent when the pool looks at the connection, right after this.
        Ok(left) => {
            tracing::debug!("a transaction that was begun and given up is rolled back");
            drop(left);
            Ok(())
        }
    }
}

/// Session settings by which Postgres notices that this process is gone, and lets go of what it held: a
/// transaction that nobody goes on with, a client that acknowledges nothing.
///
/// They travel as start-up options, as those of [`steady_plans`](crate::steady_plans).
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
