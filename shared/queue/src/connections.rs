//! Connections that go from one short transaction straight to the next.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use sqlx::PgPool;
use sqlx::pool::PoolConnection;
use sqlx::postgres::Postgres;

/// A connection that was not used for longer goes back to its pool, which looks at it first.
const TRUSTED: Duration = Duration::from_secs(1);
/// Of a pool that is used by itself too, one connection in so many is kept from it at most.
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
    most: usize,
}

#[derive(Debug)]
struct Kept {
    connection: PoolConnection<Postgres>,
    since: Instant,
}

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
    pub async fn acquire(&self) -> Result<PoolConnection<Postgres>, sqlx::Error> {
        match self.take() {
            Some(connection) => Ok(connection),
            None => self.pool.acquire().await,
        }
    }

    /// Keep a connection whose last statement went through; one that failed is to be dropped.
    pub fn keep(&self, connection: PoolConnection<Postgres>) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() < self.most && !self.pool.is_closed() {
            let since = Instant::now();
            kept.push(Kept { connection, since });
        }
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
