//! What the process knows about its surroundings without asking for each request.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use sqlx::PgPool;
use tokio_util::sync::CancellationToken;

use crate::problem::Problem;

/// Time between two looks.
const INTERVAL: Duration = Duration::from_secs(1);
/// Longest wait for an answer of the database; beyond it the database counts as away.
const PATIENCE: Duration = Duration::from_secs(2);

/// Whether the database answers and how many sessions wait, a second old at most.
#[derive(Debug)]
pub struct Watch {
    database_away: AtomicBool,
    /// Sessions that waited at the last look, plus those accepted here since.
    waiting: AtomicU64,
    limit: u64,
}

impl Watch {
    /// A watch that admits alerts until `limit` sessions wait; 0: no limit.
    #[must_use]
    pub fn new(limit: u64) -> Arc<Self> {
        let limit = if limit == 0 { u64::MAX } else { limit };
        Arc::new(Self {
            database_away: AtomicBool::new(false),
            waiting: AtomicU64::new(0),
            limit,
        })
    }

    /// Let one more alert in.
    ///
    /// # Errors
    ///
    /// [`Problem::DatabaseAway`] when the database did not answer a moment ago, so that
    /// nobody waits in vain; [`Problem::Overloaded`] when too many sessions wait.
    pub fn admit(&self) -> Result<(), Problem> {
        if self.database_away.load(Ordering::Relaxed) {
            return Err(Problem::DatabaseAway);
        }
        if self.waiting.fetch_add(1, Ordering::Relaxed) >= self.limit {
            self.waiting.fetch_sub(1, Ordering::Relaxed);
            return Err(Problem::Overloaded { limit: self.limit });
        }
        Ok(())
    }

    /// Look again and again until `stop`.
    pub async fn run(self: Arc<Self>, pool: PgPool, stop: CancellationToken) {
        loop {
            let pause = self.look(&pool).await;
            tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(pause) => {}
            }
        }
    }

    /// One look; how long until the next.
    async fn look(&self, pool: &PgPool) -> Duration {
        let before = self.waiting.load(Ordering::Relaxed);
        let counted = tokio::time::timeout(PATIENCE, self.count(pool)).await;
        let away = match counted {
            Ok(Ok(counted)) => {
                // Accepted while we counted; some of them were counted too, which errs on the safe side.
                let since = self.waiting.load(Ordering::Relaxed).saturating_sub(before);
                self.waiting
                    .store(counted.saturating_add(since), Ordering::Relaxed);
                false
            }
            Ok(Err(error)) => {
                tracing::debug!(?error, "the database did not answer");
                true
            }
            Err(_) => true,
        };
        if self.database_away.swap(away, Ordering::Relaxed) != away {
            match away {
                true => tracing::warn!("the database is away; alerts are answered with 503"),
                false => tracing::info!("the database is back"),
            }
        }
        INTERVAL
    }

    async fn count(&self, pool: &PgPool) -> Result<u64, tarsy_store::Error> {
        let mut conn = pool.acquire().await?;
        if self.limit == u64::MAX {
            tarsy_store::ping(&mut conn).await?;
            return Ok(0);
        }
        tarsy_store::waiting_sessions(&mut conn, self.limit).await
    }
}
