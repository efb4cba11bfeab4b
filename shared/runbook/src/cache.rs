//! The cache of fetched runbooks.

use std::error::Error;

use async_trait::async_trait;

/// A runbook as it was when its server last described it by `etag`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CachedRunbook {
    /// The server's name for this content, quotes included.
    pub etag: String,
    /// The text.
    pub content: String,
}

/// Where fetched runbooks are kept between sessions and processes, by the URL that was
/// really asked. A cache that fails costs a fetch and nothing else.
#[async_trait]
pub trait RunbookCache: Send + Sync + 'static {
    /// What is kept for a URL.
    async fn get(&self, url: &str) -> Result<Option<CachedRunbook>, Box<dyn Error + Send + Sync>>;

    /// Keep this for a URL, instead of what was there.
    async fn put(
        &self,
        url: &str,
        runbook: &CachedRunbook,
    ) -> Result<(), Box<dyn Error + Send + Sync>>;
}

/// Keeps nothing.
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
