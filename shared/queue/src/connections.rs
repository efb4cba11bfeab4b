//! Reuses connections for consecutive short transactions.

use std::error::Error as StdError;
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use sqlx::pool::PoolConnection;
use sqlx::postgres::{PgConnection, Postgres};
use sqlx::{Connection as _, PgPool};

use crate::deadline::within_deadline;

/// Connections unused for longer go back to the pool, which tests them first.
const TRUSTED: Duration = Duration::from_secs(1);
/// If other code uses the pool directly too, at most 1 in this many of its connections is kept here.
const SHARE: u32 = 2;

/// Some connections of a pool, kept between uses.
///
/// sqlx's pool makes a round trip and spawns a task for every connection that is returned. That costs as much as a
/// short statement, and a chain of three stages runs two dozen of those. Connections that are [kept](Self::keep) here
/// are reused without a test. Cheap to clone; clones share the kept connections.
///
/// A process creates one of these per pool, so that enough connections are left for code that uses the pool directly.
/// Drop it before closing the pool, which waits for the kept connections.
#[derive(Clone, Debug)]
pub struct Connections {
    pool: PgPool,
    kept: Arc<Mutex<Vec<Kept>>>,
    /// Time of the first request for a connection since a statement last succeeded.
    unanswered: Arc<Mutex<Option<Instant>>>,
    most: usize,
}

#[derive(Debug)]
struct Kept {
    connection: PoolConnection<Postgres>,
    since: Instant,
}

/// A connection of [`Connections`]. Dropping it closes the connection, because a statement may be unfinished.
/// [`Connections::keep`] keeps it open.
#[derive(Debug)]
pub struct ConnectionGuard(Option<PoolConnection<Postgres>>);

impl Connections {
    /// Wraps a pool that other code uses directly too. Keeps at most half of its connections, so none of a pool of
    /// one.
    #[must_use]
    pub fn shared(pool: PgPool) -> Self {
        let most = pool.options().get_max_connections() / SHARE;
        Self::keeping(most, pool)
    }

    /// Wraps a pool that no other code uses. May keep all of its connections.
    #[must_use]
    pub fn own(pool: PgPool) -> Self {
        Self::keeping(pool.options().get_max_connections(), pool)
    }

    fn keeping(most: u32, pool: PgPool) -> Self {
        Self {
            pool,
            kept: Arc::default(),
            unanswered: Arc::default(),
            most: usize::try_from(most).unwrap_or(usize::MAX),
        }
    }

    /// Returns the pool itself, for work that is rare or long.
    #[must_use]
    pub fn pool(&self) -> &PgPool {
        &self.pool
    }

    /// Returns a recently kept connection, or else one from the pool.
    ///
    /// The connection may be dead, e.g. after a restart of Postgres. In that case the caller drops it and tries again.
    ///
    /// # Errors
    ///
    /// The same as [`sqlx::Pool::acquire`].
    pub async fn acquire(&self) -> Result<ConnectionGuard, sqlx::Error> {
        self.unanswered().get_or_insert_with(Instant::now);
        let connection = match self.take() {
            Some(connection) => connection,
            // Boxed: otherwise each future that asks for a connection would be 4 kB larger, and it is copied a few
            // times.
            None => Box::pin(self.pool.acquire()).await?,
        };
        Ok(ConnectionGuard(Some(connection)))
    }

    /// Keeps a connection whose last statement succeeded.
    pub fn keep(&self, mut connection: ConnectionGuard) {
        *self.unanswered() = None;
        let Some(connection) = connection.0.take() else {
            return;
        };
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() < self.most && !self.pool.is_closed() {
            let since = Instant::now();
            kept.push(Kept { connection, since });
        }
    }

    /// Keeps a connection after a statement, unless the result shows that the connection may be broken. A statement
    /// that Postgres refused does not break it.
    pub fn give_back<T, E: StdError + 'static>(
        &self,
        connection: ConnectionGuard,
        result: &Result<T, E>,
    ) {
        match result {
            Err(error) if !is_refusal(error) => drop(connection),
            _ => self.keep(connection),
        }
    }

    /// Runs `work` on a connection, with a time limit of [`STATEMENT_DEADLINE`](crate::STATEMENT_DEADLINE), and keeps the
    /// connection unless the result shows that it may be broken.
    ///
    /// # Errors
    ///
    /// Those of `work`; [`sqlx::Error::PoolTimedOut`] if the time is up.
    pub async fn run<T, E: From<sqlx::Error> + StdError + 'static>(
        &self,
        work: impl AsyncFnOnce(&mut PgConnection) -> Result<T, E>,
    ) -> Result<T, E> {
        within_deadline(async {
            let mut connection = self.acquire().await?;
            let result = work(&mut connection).await;
            self.give_back(connection, &result);
            result
        })
        .await
    }

    /// Returns the time since which statements were tried and none succeeded; `None` if the last one did.
    pub(crate) fn unanswered_since(&self) -> Option<Instant> {
        *self.unanswered()
    }

    /// Pings Postgres over a connection from the pool, not one of the kept connections.
    pub(crate) async fn probe(&self) -> Result<(), sqlx::Error> {
        let ping = async {
            let mut connection = ConnectionGuard(Some(self.pool.acquire().await?));
            connection.ping().await?;
            Ok::<_, sqlx::Error>(connection)
        };
        self.keep(within_deadline(ping).await?);
        Ok(())
    }

    fn unanswered(&self) -> std::sync::MutexGuard<'_, Option<Instant>> {
        self.unanswered
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self) -> Option<PoolConnection<Postgres>> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|kept| kept.since.elapsed() < TRUSTED);
        kept.pop().map(|kept| kept.connection)
    }
}

impl From<PgPool> for Connections {
    fn from(pool: PgPool) -> Self {
        Self::shared(pool)
    }
}

impl Deref for ConnectionGuard {
    type Target = PgConnection;

    fn deref(&self) -> &PgConnection {
        self.0.as_ref().expect("held until it is kept or dropped")
    }
}

impl DerefMut for ConnectionGuard {
    fn deref_mut(&mut self) -> &mut PgConnection {
        self.0.as_mut().expect("held until it is kept or dropped")
    }
}

impl Drop for ConnectionGuard {
    fn drop(&mut self) {
        if let Some(connection) = &mut self.0 {
            // The pool would test a returned connection first. If Postgres is gone without closing it, that test never
            // ends.
            connection.close_on_drop();
        }
    }
}

/// Returns whether an error is a refusal by Postgres, or an answer that can't be decoded. Such an error is the fault
/// of a row, not of the connection.
#[must_use]
pub fn is_refusal(error: &(dyn StdError + 'static)) -> bool {
    std::iter::successors(Some(error), |error| (*error).source()).any(|error| {
        // A batch shares its error, in an `Arc`, among its requests.
        let shared = || error.downcast_ref::<Arc<sqlx::Error>>().map(Arc::as_ref);
        match error.downcast_ref().or_else(shared) {
            Some(error @ sqlx::Error::Database(_)) => !tarsy_postgres::is_transient(error),
            Some(
                sqlx::Error::ColumnDecode { .. } | sqlx::Error::Decode(_) | sqlx::Error::Encode(_),
            ) => true,
            _ => error.is::<serde_json::Error>(),
        }
    })
}
