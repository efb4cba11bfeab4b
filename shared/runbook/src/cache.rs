//! The cache of fetched runbooks.

use std::error::Error;

use async_trait::async_trait;

/// A cached runbook with its `ETag`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CachedRunbook {
    /// `ETag` of the content, including the quotes.
    pub etag: String,
    /// The text.
    pub content: String,
}

/// Cache of fetched runbooks, shared by sessions and processes. The key is the requested URL. If the cache fails, the
/// runbook is fetched again.
#[async_trait]
pub trait RunbookCache: Send + Sync + 'static {
    /// Returns the cached runbook of a URL.
    async fn get(&self, url: &str) -> Result<Option<CachedRunbook>, Box<dyn Error + Send + Sync>>;

    /// Stores the runbook of a URL, replacing an older one.
    async fn put(
        &self,
        url: &str,
        runbook: &CachedRunbook,
    ) -> Result<(), Box<dyn Error + Send + Sync>>;
}

/// A cache that stores nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoCache;

#[async_trait]
impl RunbookCache for NoCache {
    async fn get(&self, _: &str) -> Result<Option<CachedRunbook>, Box<dyn Error + Send + Sync>> {
        Ok(None)
    }

    async fn put(&self, _: &str, _: &CachedRunbook) -> Result<(), Box<dyn Error + Send + Sync>> {
        Ok(())
    }
}
