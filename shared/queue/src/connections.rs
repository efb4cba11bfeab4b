//! Reuses connections for one short transaction after another.

use std::error::Error as StdError;
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use sqlx::pool::PoolConnection;
use sqlx::postgres::{PgConnection, Postgres};
use sqlx::{Connection as _, PgPool};

use crate::deadline::within_deadline;

/// A connection that was not used for longer goes back to its pool, which looks at it first.
const TRUSTED: Duration = Duration::from_secs(1);
/// Of a pool that is used by itself too, one connection in this many is kept from it at most.
const SHARE: u32 = 2;

/// Some connections of a pool, kept between uses.
///
/// A pool of sqlx makes a round trip on every connection that is given back, and a task for it:
/// as much work as a short statement, and a chain of three stages has two dozen. What is
/// [kept](Self::keep) here is used as it is. Cheap to clone; clones share what they keep.
///
/// A process has one of these for a pool, so that enough is left for who uses the pool itself, and
/// ends it before it closes the pool, which waits for what is kept.
#[derive(Clone, Debug)]
pub struct Connections {
    pool: PgPool,
    kept: Arc<Mutex<Vec<Kept>>>,
    /// When somebody first asked for a connection since a statement last went through.
    unanswered: Arc<Mutex<Option<Instant>>>,
    most: usize,
}

#[derive(Debug)]
struct Kept {
    connection: PoolConnection<Postgres>,
    since: Instant,
}

/// A connection of [`Connections`]. It is closed when it is dropped, in the middle of a statement perhaps,
/// unless it was [kept](Connections::keep).
#[derive(Debug)]
pub struct ConnectionGuard(Option<PoolConnection<Postgres>>);

impl Connections {
    /// Of a pool that is used by itself too: at most half of it is kept, and so nothing of one.
    #[must_use]
    pub fn shared(pool: PgPool) -> Self {
        let most = pool.options().get_max_connections() / SHARE;
        Self::keeping(most, pool)
    }

    /// Of a pool that nobody else uses: all may be kept.
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

    /// The pool itself, for work that is rare or long.
    #[must_use]
    pub fn pool(&self) -> &PgPool {
        &self.pool
    }

    /// A connection that was kept just now, or else one of the pool.
    ///
    /// Postgres may have gone meanwhile: whoever meets a dead connection drops it and tries again.
    ///
    /// # Errors
    ///
    /// Those of [`sqlx::Pool::acquire`].
    pub async fn acquire(&self) -> Result<ConnectionGuard, sqlx::Error> {
        self.unanswered().get_or_insert_with(Instant::now);
        let connection = match self.take() {
            Some(connection) => connection,
            // Boxed: each future that asks for a connection would be 4 kB larger otherwise, and is copied a few times.
            None => Box::pin(self.pool.acquire()).await?,
        };
        Ok(ConnectionGuard(Some(connection)))
    }

    /// Keep a connection whose last statement went through.
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

    /// Keep a connection after a statement, unless its result says that the connection may be broken. One that
    /// Postgres refused leaves it as good as before.
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

    /// Since when statements have been tried and none went through; `None` if the last one did.
    pub(crate) fn unanswered_since(&self) -> Option<Instant> {
        *self.unanswered()
    }

    /// Ask Postgres for a sign of life, over a connection that is not one of those kept.
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
            // Back in the pool it would be waited for, which takes for ever if Postgres is gone without a word.
            connection.close_on_drop();
        }
    }
}

/// Whether an error is Postgres' answer to what was asked, or an answer that can't be understood: the
/// fault of a row, not of the connection.
#[must_use]
pub fn is_refusal(error: &(dyn StdError + 'static)) -> bool {
    std::iter::successors(Some(error), |error| (*error).source()).any(|error| {
        // A batch shares its cause among those it carried.
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
