//! Indexes sessions for search.

use std::time::Duration;

use sqlx::PgPool;
use tarsy_config::AlertMasker;
use tarsy_failpoint::reached;
use tarsy_store::history::SearchText;
use uuid::Uuid;

use crate::Error;
use crate::housekeeping::duty::Step;
use crate::housekeeping::{Turn, begin};

/// Sessions read in one transaction.
const BATCH: i64 = 200;
/// Younger sessions are left for the next run.
const MIN_AGE: Duration = Duration::from_secs(1);

/// Indexes new and newly ended sessions.
pub(super) async fn index(pool: &PgPool, masker: &AlertMasker) -> Result<Step, Error> {
    let Some(mut tx) = begin(pool, Turn::Index).await? else {
        return Ok(Step::TakenElsewhere);
    };
    let (read, texts) = tarsy_store::history::search_texts(&mut tx, BATCH, MIN_AGE).await?;
    let texts = masked(masker, texts).await;
    tarsy_store::history::write_search_documents(&mut tx, &texts).await?;
    reached("housekeeping.index.before_commit");
    tx.commit().await?;
    reached("housekeeping.index.after_commit");
    Ok(Step::after(read, BATCH))
}

/// Masks secrets, because otherwise a search could reveal one word by word. If masking fails, returns no texts;
/// [`index_late`] finds the sessions again if they have just ended.
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
pub(super) async fn index_late(pool: &PgPool, masker: &AlertMasker) -> Result<Step, Error> {
    let Some(mut tx) = begin(pool, Turn::Index).await? else {
        return Ok(Step::TakenElsewhere);
    };
    let texts = tarsy_store::history::late_search_texts(&mut tx, BATCH).await?;
    let late = texts.len();
    let texts = masked(masker, texts).await;
    tarsy_store::history::write_search_documents(&mut tx, &texts).await?;
    reached("housekeeping.index_late.before_commit");
    tx.commit().await?;
    reached("housekeeping.index_late.after_commit");
    tracing::debug!(late, "indexed late sessions for search");
    // Texts that can't be masked stay late forever, so this does not repeat at once.
    Ok(Step::Done)
}

/// Rewrites documents of older versions, starting after the session `after`. Returns the position of the next step,
/// which is the start once every document was checked.
pub(super) async fn rewrite_outdated(
    pool: &PgPool,
    masker: &AlertMasker,
    after: Uuid,
) -> Result<(Step, Uuid), Error> {
    let Some(mut tx) = begin(pool, Turn::Index).await? else {
        return Ok((Step::TakenElsewhere, after));
    };
    let (texts, next) = tarsy_store::history::outdated_search_texts(&mut tx, after, BATCH).await?;
    let texts = masked(masker, texts).await;
    tarsy_store::history::write_search_documents(&mut tx, &texts).await?;
    reached("housekeeping.rewrite_outdated.before_commit");
    tx.commit().await?;
    reached("housekeeping.rewrite_outdated.after_commit");
    Ok(match next {
        Some(next) => (Step::More, next),
        None => (Step::Done, Uuid::nil()),
    })
}
