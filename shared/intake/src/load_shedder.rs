//! Load shedding: database health and pending sessions.

mod backlog;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use sqlx::PgPool;
use tokio::sync::SetOnce;
use tokio_util::sync::CancellationToken;

use crate::Error;
pub(crate) use backlog::Admitted;
use backlog::Backlog;

const INTERVAL: Duration = Duration::from_secs(1);
/// Timeout of the database; beyond it the database counts as unavailable.
const PATIENCE: Duration = Duration::from_secs(2);

/// Admits alerts while the database responds and fewer sessions than the limit are pending.
#[derive(Debug)]
pub struct LoadShedder {
    database_away: AtomicBool,
    /// Set when the first poll has ended.
    first_poll: SetOnce<()>,
    backlog: Backlog,
    limit: u64,
}

impl LoadShedder {
    /// Creates a load shedder that admits alerts until `limit` sessions are pending; 0: no limit.
    #[must_use]
    pub fn new(limit: u64) -> Arc<Self> {
        let limit = if limit == 0 { u64::MAX } else { limit };
        Arc::new(Self {
            database_away: AtomicBool::new(false),
            first_poll: SetOnce::new(),
            backlog: Backlog::default(),
            limit,
        })
    }

    /// Admits one more alert. This process alone never exceeds the limit of pending sessions.
    /// Alerts that other processes accept are counted up to a second later.
    ///
    /// # Errors
    ///
    /// [`Error::DatabaseAway`] if the database did not respond to the last poll;
    /// [`Error::Overloaded`] if too many sessions are pending.
    pub(crate) async fn admit(&self) -> Result<Admitted, Error> {
        // Waits for the first poll, because the number of pending sessions is not known before. It
        // is running or about to start.
        self.first_poll.wait().await;
        if self.database_away.load(Ordering::Relaxed) {
            return Err(Error::DatabaseAway);
        }
        let admitted = self.backlog.admit(self.limit);
        admitted.ok_or(Error::Overloaded { limit: self.limit })
    }

    /// Polls until `stop`.
    pub async fn run(&self, pool: &PgPool, stop: &CancellationToken) {
        loop {
            let pause = self.poll(pool).await;
            tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(pause) => {}
            }
        }
    }

    /// Polls once. Returns the pause until the next poll.
    async fn poll(&self, pool: &PgPool) -> Duration {
        let counting = self.backlog.counting();
        let counted = tokio::time::timeout(PATIENCE, self.count(pool)).await;
        let away = match counted {
            Ok(Ok(counted)) => {
                self.backlog.counted(counting, counted);
                false
            }
            Ok(Err(error)) => {
                tracing::debug!(?error, "the database did not respond");
                true
            }
            Err(_) => true,
        };
        if self.database_away.swap(away, Ordering::Relaxed) != away {
            match away {
                true => tracing::warn!("database unavailable; alerts are rejected with 503"),
                false => tracing::info!("database available again"),
            }
        }
        let _ = self.first_poll.set(());
        INTERVAL
    }

    async fn count(&self, pool: &PgPool) -> Result<u64, tarsy_store::Error> {
        let mut conn = pool.acquire().await?;
        if self.limit == u64::MAX {
            tarsy_store::overload::ping(&mut conn).await?;
            return Ok(0);
        }
        tarsy_store::overload::waiting_sessions(&mut conn, self.limit).await
    }
}
