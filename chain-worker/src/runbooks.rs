//! Fetches the runbook of a session, once per chain, before its first stage.

use std::sync::Arc;

use async_trait::async_trait;
use sqlx::PgPool;
use tarsy_config::RunbookConfig;
use tarsy_failpoint::reached;
use tarsy_model::{SessionId, Shortage};
use tarsy_queue::{BoxError, within_deadline};
use tarsy_runbook::{CachedRunbook, Freshness, RunbookCache, RunbookFetcher};

use crate::Error;

/// Fetches runbooks and records them with their sessions. Cheap to clone.
#[derive(Clone)]
pub struct Runbooks {
    pool: PgPool,
    fetcher: Arc<RunbookFetcher>,
}

impl Runbooks {
    /// Creates a fetcher for the runbooks that the configuration allows, cached in the database.
    ///
    /// # Errors
    ///
    /// [`tarsy_runbook::Error`] if TLS can't be set up.
    pub fn new(pool: PgPool, config: &RunbookConfig) -> Result<Self, tarsy_runbook::Error> {
        let cache = Arc::new(DatabaseCache(pool.clone()));
        Ok(Self {
            fetcher: Arc::new(RunbookFetcher::new(config, cache)?),
            pool,
        })
    }

    /// Fetches a session's runbook and records its text, or the error.
    ///
    /// # Errors
    ///
    /// [`Error`] if the result could not be recorded. Fetching again later is harmless.
    pub async fn fetch_and_record(
        &self,
        session: SessionId,
        named: &str,
    ) -> Result<Result<(), String>, Error> {
        let fetched = match self.fetcher.fetch(named).await {
            Ok(runbook) => {
                if let Freshness::Stale(reason) = &runbook.freshness {
                    tracing::warn!(session.id = %session, reason, "using a stale copy of the runbook");
                }
                Ok(runbook.content)
            }
            Err(error) => {
                if let Some(shortage) = Shortage::find(&error) {
                    return Err(shortage.into());
                }
                let reason = error.full_message();
                tracing::warn!(session.id = %session, reason, "failed to fetch the runbook");
                Err(reason)
            }
        };
        let text = fetched.as_deref().map_err(String::as_str);
        within_deadline(async {
            let mut conn = self.pool.acquire().await?;
            reached("runbook.settle.before_commit");
            tarsy_store::runbooks::set_runbook(&mut conn, session, text).await?;
            reached("runbook.settle.after_commit");
            Ok::<_, tarsy_store::Error>(())
        })
        .await?;
        Ok(fetched.map(drop))
    }
}

/// Runbooks by URL, in the table `runbook_cache`.
struct DatabaseCache(PgPool);

#[async_trait]
impl RunbookCache for DatabaseCache {
    async fn get(&self, url: &str) -> Result<Option<CachedRunbook>, BoxError> {
        let kept = within_deadline(async {
            let mut conn = self.0.acquire().await?;
            tarsy_store::runbooks::cached_runbook(&mut conn, url).await
        })
        .await?;
        Ok(kept.map(|kept| CachedRunbook {
            etag: kept.etag,
            content: kept.content,
        }))
    }

    async fn put(&self, url: &str, runbook: &CachedRunbook) -> Result<(), BoxError> {
        let kept = tarsy_store::runbooks::CachedRunbook {
            etag: runbook.etag.clone(),
            content: runbook.content.clone(),
        };
        within_deadline(async {
            let mut conn = self.0.acquire().await?;
            reached("lone.save_cached_runbook.before_commit");
            tarsy_store::runbooks::save_cached_runbook(&mut conn, url, &kept).await?;
            reached("lone.save_cached_runbook.after_commit");
            Ok::<_, tarsy_store::Error>(())
        })
        .await?;
        Ok(())
    }
}
