//! Totals of long lists, cached for a few seconds.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use sqlx::PgConnection;
use tarsy_store::history::{Count, SessionFilter, count_within};

use crate::problem::Problem;

/// Timeout for counting a list.
const PATIENCE: Duration = Duration::from_millis(200);
/// Lifetime of a cached total. Screens read the newest page with each burst of events.
const FRESH: Duration = Duration::from_secs(3);
/// Time after which a list that could not be counted in time is counted again.
const PAUSE: Duration = Duration::from_secs(60);
/// Maximum number of cached lists.
const KEPT: usize = 256;

/// Cache of the totals of lists that are too long to be counted with each page.
#[derive(Debug, Default)]
pub(crate) struct RecentTotals(Mutex<HashMap<String, (Instant, Option<Count>)>>);

impl RecentTotals {
    /// Returns the exact total of a list, or `None` if it can't be counted in time.
    ///
    /// # Errors
    ///
    /// If the database is unavailable.
    pub(crate) async fn count(
        &self,
        conn: &mut PgConnection,
        filter: &SessionFilter,
    ) -> Result<Option<Count>, Problem> {
        let filter_key = format!("{filter:?}");
        if let Some(known) = self.known(&filter_key) {
            return Ok(known);
        }
        let count = count_within(conn, filter, PATIENCE).await?;
        self.keep(filter_key, count);
        Ok(count)
    }

    fn known(&self, filter_key: &str) -> Option<Option<Count>> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (at, count) = kept.get(filter_key)?;
        is_fresh(*at, count.as_ref()).then_some(*count)
    }

    fn keep(&self, filter_key: String, count: Option<Count>) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|_, (at, count)| is_fresh(*at, count.as_ref()));
        if kept.len() >= KEPT {
            kept.clear();
        }
        kept.insert(filter_key, (Instant::now(), count));
    }
}

fn is_fresh(at: Instant, count: Option<&Count>) -> bool {
    at.elapsed() < if count.is_some() { FRESH } else { PAUSE }
}
