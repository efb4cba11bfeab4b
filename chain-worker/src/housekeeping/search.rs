//! Indexes sessions for search.

use std::time::Duration;

use sqlx::PgPool;
use tarsy_config::AlertMasker;
use tarsy_failpoint::reached;
use tarsy_store::SearchText;
use uuid::Uuid;

use crate::Error;
use crate::housekeeping::background_throttle::BackgroundThrottle;
use crate::housekeeping::{Duty, begin};

/// Sessions read in one transaction.
const BATCH: i64 = 200;
/// Transactions of one look, so that another worker gets a turn.
const MOST: usize = 50;
/// What is younger is left for the next look.
const SETTLE: Duration = Duration::from_secs(1);

/// Indexes new and newly ended sessions.
pub(crate) async fn index(
    pool: &PgPool,
    masker: &AlertMasker,
    throttle: &BackgroundThrottle,
) -> Result<(), Error> {
    for _ in 0..MOST {
        let batch = throttle.start_batch();
        let Some(mut tx) = begin(pool, Duty::Index).await? else {
            return Ok(());
        };
        let (read, texts) = tarsy_store::search_texts(&mut tx, BATCH, SETTLE).await?;
        let texts = masked(masker, texts).await;
        tarsy_store::write_search_documents(&mut tx, &texts).await?;
        reached("housekeeping.index.before_commit");
        tx.commit().await?;
        reached("housekeeping.index.after_commit");
        if read < BATCH.unsigned_abs() {
            return Ok(());
        }
        batch.pause().await;
    }
    Ok(())
}

/// Masks secrets: a search must not reveal one, word by word. What can't be masked is left
/// out; a later look finds it again when its session has just ended.
async fn masked(masker: &AlertMasker, texts: Vec<SearchText>) -> Vec<SearchText> {
    let masker = masker.clone();
    let masking = tokio::task::spawn_blocking(move || {
        let mut texts = texts;
        for text in &mut texts {
            text.text = masker.text(&text.text);
        }
        texts
    });
    masking
        .await
        .inspect_err(|error| tracing::error!(%error, "failed to mask search texts"))
        .unwrap_or_default()
}

/// Indexes sessions that committed after [`index`] had passed them.
pub(crate) async fn index_late(pool: &PgPool, masker: &AlertMasker) -> Result<(), Error> {
    if let Some(mut tx) = begin(pool, Duty::Index).await? {
        let texts = tarsy_store::late_search_texts(&mut tx, BATCH).await?;
        let late = texts.len();
        let texts = masked(masker, texts).await;
        tarsy_store::write_search_documents(&mut tx, &texts).await?;
        reached("housekeeping.index_late.before_commit");
        tx.commit().await?;
        reached("housekeeping.index_late.after_commit");
        tracing::debug!(late, "indexed late sessions for search");
    }
    Ok(())
}

/// Writes documents of older versions again, from the session after `after` on. Returns where the next look goes on;
/// `None`: every document has been looked at.
pub(crate) async fn rewrite_outdated(
    pool: &PgPool,
    masker: &AlertMasker,
    throttle: &BackgroundThrottle,
    mut after: Uuid,
) -> Result<Option<Uuid>, Error> {
    for _ in 0..MOST {
        let batch = throttle.start_batch();
        let Some(mut tx) = begin(pool, Duty::Index).await? else {
            break;
        };
        let (texts, next) = tarsy_store::outdated_search_texts(&mut tx, after, BATCH).await?;
        let texts = masked(masker, texts).await;
        tarsy_store::write_search_documents(&mut tx, &texts).await?;
        reached("housekeeping.rewrite_outdated.before_commit");
        tx.commit().await?;
        reached("housekeeping.rewrite_outdated.after_commit");
        let Some(next) = next else {
            return Ok(None);
        };
        after = next;
        batch.pause().await;
    }
    Ok(Some(after))
}
