//! Cache of a document of the issuer.

use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use tokio::sync::Mutex;

use crate::access::bucket::{Bucket, Rate};
use crate::access::oidc::error::Error;

/// Age at which a document is fetched again.
const FRESH: Duration = Duration::from_secs(300);
/// Maximum age of a document that can't be fetched again.
const BELIEVED: Duration = Duration::from_secs(3600);
/// Rate limit for fetching a document, because any client can cause a fetch.
const FETCHES: Rate = Rate {
    interval: Duration::from_secs(10),
    burst: 4,
};

/// A document, with the time when it was fetched.
type Known<T> = Option<(Arc<T>, Instant)>;

#[derive(Debug)]
pub(super) struct Cached<T> {
    known: RwLock<Known<T>>,
    /// Rate limit of fetches. The lock allows one fetch at a time.
    fetches: Mutex<Bucket>,
}

impl<T> Cached<T> {
    pub(super) fn new() -> Self {
        Self {
            known: RwLock::default(),
            fetches: Mutex::new(Bucket::full(Instant::now())),
        }
    }

    /// Returns the document, which is at most 5 minutes old and fits. If it can't be fetched again, one of up to an
    /// hour is returned. A document that was fetched just now may not fit either.
    pub(super) async fn get<F: Future<Output = Result<T, Error>>>(
        &self,
        fits: impl Fn(&T) -> bool,
        fetch: impl FnOnce() -> F,
    ) -> Result<Arc<T>, Error> {
        let known = self.known();
        if let Some((document, at)) = &known
            && at.elapsed() < FRESH
            && fits(document)
        {
            return Ok(Arc::clone(document));
        }
        // Boxed, because otherwise the future of every request would reserve space for this rare case.
        let fetched = Box::pin(self.fetch(known.map(|(_, at)| at), fetch)).await;
        match self.known() {
            Some((document, at)) if at.elapsed() < BELIEVED => Ok(document),
            _ => Err(fetched.err().unwrap_or(Error::TooManyFetches)),
        }
    }

    fn known(&self) -> Known<T> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        known
            .as_ref()
            .map(|(document, at)| (Arc::clone(document), *at))
    }

    /// Fetches the document, unless another request did so since `seen`, or the rate limit is reached.
    async fn fetch<F: Future<Output = Result<T, Error>>>(
        &self,
        seen: Option<Instant>,
        fetch: impl FnOnce() -> F,
    ) -> Result<(), Error> {
        let mut fetches = self.fetches.lock().await;
        if self.known().map(|(_, at)| at) != seen {
            return Ok(());
        }
        let now = Instant::now();
        let turn = fetches.take(FETCHES, now);
        turn.map_err(|_| Error::TooManyFetches)?;
        let document = Arc::new(fetch().await?);
        *self.known.write().unwrap_or_else(PoisonError::into_inner) = Some((document, now));
        Ok(())
    }
}
