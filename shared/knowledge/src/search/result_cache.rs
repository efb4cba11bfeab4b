//! Short-lived cache of search results, because questions are often repeated after a moment.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use sha2::{Digest as _, Sha256};
use tokio::time::Instant;

use super::trace::Help;
use super::{Found, Query};
use crate::error::Result;
use crate::store::Collection;

/// How long results are cached. A load invalidates them at once; newly computed vectors take effect after this time.
const LIFETIME: Duration = Duration::from_secs(60);
/// Number of cached searches.
const KEPT: usize = 256;

/// Cached results by query, filters and state of the searched collections.
#[derive(Debug, Default)]
pub(super) struct ResultCache {
    kept: Mutex<HashMap<Key, (Instant, Found)>>,
}

/// Hash of everything that results depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key([u8; 32]);

impl Key {
    /// Returns the key of a query over collections. Each change to a collection changes the key.
    pub(super) fn new(query: &Query, collections: &[Collection]) -> Result<Self> {
        let mut hash = Sha256::new();
        for collection in collections {
            hash.update(collection.collection_id.to_le_bytes());
            hash.update(collection.generation.to_le_bytes());
        }
        hash.update(serde_json::to_vec(query)?);
        Ok(Self(hash.finalize().into()))
    }
}

impl ResultCache {
    /// Returns cached results, marked as such.
    pub(super) fn get(&self, key: &Key) -> Option<Found> {
        let kept = self.kept();
        let (_, found) = kept.get(key).filter(|(at, _)| at.elapsed() < LIFETIME)?;
        let mut found = found.clone();
        found.trace.cached = true;
        for help in [&mut found.trace.dense, &mut found.trace.rerank] {
            if *help == Help::Used {
                *help = Help::Cached;
            }
        }
        Some(found)
    }

    /// Caches results, unless a model failed, because it may succeed the next time.
    pub(super) fn put(&self, key: Key, found: &Found) {
        let has_failed = |help: &Help| matches!(help, Help::Failed(_));
        if has_failed(&found.trace.dense) || has_failed(&found.trace.rerank) {
            return;
        }
        let mut kept = self.kept();
        kept.retain(|_, (at, _)| at.elapsed() < LIFETIME);
        if kept.len() >= KEPT {
            kept.clear();
        }
        kept.insert(key, (Instant::now(), found.clone()));
    }

    fn kept(&self) -> MutexGuard<'_, HashMap<Key, (Instant, Found)>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
