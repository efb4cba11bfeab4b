//! What the process knows about its surroundings without asking for each request.

mod backlog;
mod providers;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use sqlx::PgPool;
use tokio::sync::SetOnce;
use tokio_util::sync::CancellationToken;

use crate::problem::Problem;
pub(crate) use backlog::Admitted;
use backlog::Backlog;
pub(crate) use providers::{ProviderHealth, RefusingProvider};

/// Time between two looks.
const INTERVAL: Duration = Duration::from_secs(1);
/// Longest wait for an answer of the database; beyond it the database counts as away.
const PATIENCE: Duration = Duration::from_secs(2);

/// Whether the database answers, a second old at most, and how many sessions wait at most.
#[derive(Debug)]
pub struct LoadShedder {
    database_away: AtomicBool,
    /// Set by the first look.
    looked: SetOnce<()>,
    backlog: Backlog,
    limit: u64,
}

impl LoadShedder {
    /// A watch that admits alerts until `limit` sessions wait; 0: no limit.
    #[must_use]
    pub fn new(limit: u64) -> Arc<Self> {
        let limit = if limit == 0 { u64::MAX } else { limit };
        Arc::new(Self {
            database_away: AtomicBool::new(false),
            looked: SetOnce::new(),
            backlog: Backlog::default(),
            limit,
        })
    }

    /// Let one more alert in. What this process accepts never takes the sessions that wait past
    /// the limit; what others accept is known a second later.
    ///
    /// # Errors
    ///
    /// [`Problem::DatabaseAway`] when the database did not answer a moment ago, so that
    /// nobody waits in vain; [`Problem::Overloaded`] when too many sessions wait.
    pub(crate) async fn admit(&self) -> Result<Admitted, Problem> {
        // How many wait already is not known before; that look is under way or about to be.
        self.looked.wait().await;
        if self.database_away.load(Ordering::Relaxed) {
            return Err(Problem::DatabaseAway);
        }
        let admitted = self.backlog.admit(self.limit);
        admitted.ok_or(Problem::Overloaded { limit: self.limit })
    }

    /// Look again and again until `stop`.
    pub async fn run(&self, pool: &PgPool, stop: &CancellationToken) {
        loop {
            let pause = self.look(pool).await;
            tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(pause) => {}
            }
        }
    }

    /// One look; how long until the next.
    async fn look(&self, pool: &PgPool) -> Duration {
        let counting = self.backlog.counting();
        let counted = tokio::time::timeout(PATIENCE, self.count(pool)).await;
        let away = match counted {
            Ok(Ok(counted)) => {
                self.backlog.counted(counting, counted);
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
        let _ = self.looked.set(());
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
