//! Computes the vectors of chunks that have none. An interrupted run is resumed where it stopped.

use std::time::Duration;

use sqlx::PgConnection;

use crate::error::{Error, Result};
use crate::models::{Embedder, EndpointError};
use crate::store;

/// Number of texts per request.
const BATCH: usize = 32;
/// Number of attempts at a request that fails for a temporary reason.
const ATTEMPTS: u32 = 4;
const FIRST_PAUSE: Duration = Duration::from_millis(500);

/// Progress of computing vectors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct EmbedProgress {
    /// Vectors computed by this run.
    pub computed: u64,
    /// Number of chunks without a vector when the run began.
    pub pending: u64,
}

/// Computes the missing vectors of collections (empty: all). Each transaction writes the vectors of one request. Then
/// it indexes them, if Postgres has pgvector.
///
/// # Errors
///
/// [`Error::Model`], [`Error::Busy`] if another process is doing the same, [`Error::UnknownCollection`] or
/// [`Error::Database`]. Vectors that were computed before the error stay.
pub async fn embed(
    connection: &mut PgConnection,
    embedder: &Embedder,
    collections: &[String],
    mut on_progress: impl FnMut(&EmbedProgress),
) -> Result<EmbedProgress> {
    store::check(connection).await?;
    let model = embedder.model();
    let locked: bool = sqlx::query_scalar(
        "select pg_try_advisory_lock(hashtextextended('tarsy embeddings ' || $1, 0))",
    )
    .bind(model)
    .fetch_one(&mut *connection)
    .await?;
    if !locked {
        return Err(Error::Busy(format!("vectors of {model}")));
    }
    let done = embed_locked(connection, embedder, collections, &mut on_progress).await;
    let unlock =
        sqlx::query("select pg_advisory_unlock(hashtextextended('tarsy embeddings ' || $1, 0))");
    let unlocked = unlock.bind(model).execute(connection).await;
    let progress = done?;
    unlocked?;
    Ok(progress)
}

async fn embed_locked(
    connection: &mut PgConnection,
    embedder: &Embedder,
    collections: &[String],
    on_progress: &mut impl FnMut(&EmbedProgress),
) -> Result<EmbedProgress> {
    let model = embedder.model();
    let collections = store::collections(connection, collections).await?;
    let ids: Vec<i32> = collections.iter().map(|one| one.collection_id).collect();
    let pending = store::count_pending(connection, model, &ids).await?;
    let mut progress = EmbedProgress {
        computed: 0,
        pending: u64::try_from(pending).unwrap_or(0),
    };
    let mut after = 0;
    loop {
        let limit = i64::try_from(BATCH).unwrap_or(i64::MAX);
        let chunks = store::pending(connection, model, &ids, after, limit).await?;
        let Some(last) = chunks.last() else {
            break;
        };
        after = last.chunk_id;
        let texts: Vec<&str> = chunks.iter().map(|chunk| chunk.text.as_str()).collect();
        let vectors = embed_with_retries(embedder, &texts).await?;
        let known = store::dimension(connection, model).await?;
        let found = vectors.first().map_or(0, Vec::len);
        if let Some(known) = known
            && usize::try_from(known).ok() != Some(found)
        {
            let reason = format!(
                "its vectors have {found} numbers, those of the store {known}: give the new model a name of its own"
            );
            return Err(Error::invalid(model, reason));
        }
        let vectors: Vec<_> = chunks
            .iter()
            .map(|chunk| chunk.chunk_id)
            .zip(vectors)
            .collect();
        store::put(connection, model, &vectors).await?;
        progress.computed += vectors.len() as u64;
        on_progress(&progress);
    }
    if let Some(dimension) = store::dimension(connection, model).await? {
        let dimension = usize::try_from(dimension).unwrap_or(0);
        store::index(connection, model, dimension).await?;
    }
    Ok(progress)
}

/// Requests vectors, and repeats the request after a temporary failure.
async fn embed_with_retries(
    embedder: &Embedder,
    texts: &[&str],
) -> Result<Vec<Vec<f32>>, EndpointError> {
    let (mut attempt, mut pause) = (1, FIRST_PAUSE);
    loop {
        match embedder.embed(texts).await {
            Err(error) if error.is_transient() && attempt < ATTEMPTS => {
                tokio::time::sleep(pause).await;
                (attempt, pause) = (attempt + 1, pause * 2);
            }
            other => return other,
        }
    }
}
