//! Which LLM providers refuse everybody: known to the process without asking for each alert.

use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use serde::Serialize;
use sqlx::PgPool;
use tarsy_store::refusing_providers;
use tokio_util::sync::CancellationToken;
use utoipa::ToSchema;

use crate::clock;

/// Poll interval.
const INTERVAL: Duration = Duration::from_secs(5);
/// Longest wait for an answer of the database; what was known stays known.
const PATIENCE: Duration = Duration::from_secs(2);
/// A provider that nobody has asked for so long may work again.
const SPAN_US: i64 = 15 * 60 * 1_000_000;

/// A provider that refuses everybody.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct RefusingProvider {
    #[schema(example = "openai")]
    provider: String,
    /// What its newest call failed with: `auth`, `rate_limited`, `connection`, ..
    #[schema(example = "auth")]
    class: String,
    /// Model calls that failed since it last answered.
    failed_calls: i64,
    /// When the first of them began, Unix microseconds.
    since_us: i64,
}

/// The providers that refuse everybody, some seconds old.
#[derive(Debug, Default)]
pub(crate) struct ProviderHealth {
    refusing: RwLock<Arc<[RefusingProvider]>>,
}

impl ProviderHealth {
    /// Those that refused lately.
    pub(crate) fn refusing(&self) -> Arc<[RefusingProvider]> {
        let refusing = self.refusing.read();
        refusing.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What somebody who submits an alert should know.
    pub(crate) fn warnings(&self) -> Vec<String> {
        let refusing = self.refusing();
        refusing.iter().map(RefusingProvider::warning).collect()
    }

    /// Polls until `stop`.
    pub(crate) async fn run(&self, pool: &PgPool, stop: &CancellationToken) {
        loop {
            match tokio::time::timeout(PATIENCE, look(pool)).await {
                Ok(Ok(found)) => self.note(found),
                Ok(Err(error)) => tracing::debug!(?error, "failed to read the newest model calls"),
                Err(_) => tracing::debug!("timed out reading the newest model calls"),
            }
            tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(INTERVAL) => {}
            }
        }
    }

    fn note(&self, found: Vec<RefusingProvider>) {
        let before = self.refusing();
        for one in &found {
            if before.iter().all(|known| known.provider != one.provider) {
                tracing::warn!(
                    llm.provider = %one.provider,
                    error.class = %one.class,
                    "an LLM provider refuses every call"
                );
            }
        }
        let mut refusing = self
            .refusing
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        *refusing = found.into();
    }
}

impl RefusingProvider {
    fn warning(&self) -> String {
        let since = clock::text_of(self.since_us);
        format!(
            "LLM provider `{}` refuses every call since {since} ({}): the analysis may fail",
            self.provider, self.class
        )
    }
}

async fn look(pool: &PgPool) -> Result<Vec<RefusingProvider>, tarsy_store::Error> {
    let mut conn = pool.acquire().await?;
    let found = refusing_providers(&mut conn, clock::now_us() - SPAN_US).await?;
    let shown = found.into_iter().map(|one| RefusingProvider {
        provider: one.provider,
        class: one.class,
        failed_calls: one.calls,
        since_us: one.since_us,
    });
    Ok(shown.collect())
}
