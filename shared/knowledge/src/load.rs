//! Loads files into collections. Each row is loaded exactly once, even if a load is repeated or interrupted.
//!
//! A thread reads, checks and indexes batches of rows. The caller's task writes each batch with COPY. The same
//! transaction records how far the file was read. An interrupted load resumes after its last batch.

mod batch;
mod content;
mod copy;
mod masked;
mod progress;
mod rejects;
mod replace;
mod target;
mod write;

use std::path::{Path, PathBuf};
use std::time::Duration;

use sqlx::{Connection as _, PgConnection};
use tarsy_masking::Masker;
use tokio::sync::mpsc;
use tokio::time::Instant;

use crate::error::{Error, Result};
use crate::mapping::Mapping;
use crate::store;
use batch::{Batch, Batches};
use rejects::Rejects;

pub use progress::Progress;

/// How long to wait for another load into the same collection. It may be the session of a killed process that the
/// server has not ended yet.
const PATIENCE: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(100);

/// Options of a load.
#[derive(Clone, Debug)]
pub struct LoadOptions {
    /// Target collection; created if missing.
    pub collection: String,
    /// Mapping of the file's columns.
    pub mapping: Mapping,
    /// File for rejected rows, one JSON object each. It is created with the first rejected row.
    pub rejects: PathBuf,
    /// Whether to load a file again that was already loaded completely. Default: false.
    pub again: bool,
    /// Masks secrets in fields and chunks.
    pub masker: Masker,
}

/// Loads a file. `connection` must not be used for anything else meanwhile. `on_progress` is called after each batch.
///
/// # Errors
///
/// [`Error::Invalid`] for a file that doesn't fit the mapping, [`Error::Busy`], [`Error::File`] or [`Error::Database`].
/// Batches that were written before the error stay, and the same call resumes after them.
pub async fn load(
    connection: &mut PgConnection,
    file: &Path,
    options: &LoadOptions,
    mut on_progress: impl FnMut(&Progress),
) -> Result<Progress> {
    store::check(connection).await?;
    let name = &options.collection;
    lock(connection, name).await?;
    let loaded = load_locked(connection, file, options, &mut on_progress).await;
    let unlock =
        sqlx::query("select pg_advisory_unlock(hashtextextended('tarsy knowledge ' || $1, 0))");
    let unlocked = unlock.bind(name).execute(connection).await;
    let progress = loaded?;
    unlocked?;
    Ok(progress)
}

async fn lock(connection: &mut PgConnection, collection: &str) -> Result<()> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let lock = "select pg_try_advisory_lock(hashtextextended('tarsy knowledge ' || $1, 0))";
        let locked: bool = sqlx::query_scalar(lock)
            .bind(collection)
            .fetch_one(&mut *connection)
            .await?;
        if locked {
            return Ok(());
        }
        if Instant::now() >= deadline {
            return Err(Error::Busy(collection.to_owned()));
        }
        tokio::time::sleep(PAUSE).await;
    }
}

async fn load_locked(
    connection: &mut PgConnection,
    file: &Path,
    options: &LoadOptions,
    on_progress: &mut impl FnMut(&Progress),
) -> Result<Progress> {
    let path = file.to_owned();
    let hashing = tokio::task::spawn_blocking(move || content::hash(&path));
    let (content_hash, bytes) = hashing.await.map_err(|_| Error::Interrupted)??;
    let collection = store::declare(connection, &options.collection, &options.mapping).await?;
    let source = file
        .file_name()
        .unwrap_or(file.as_os_str())
        .to_string_lossy()
        .into_owned();
    let begun = begin(
        connection,
        collection.collection_id,
        &source,
        &content_hash,
        options,
    )
    .await?;
    let mut progress = Progress { bytes, ..begun };
    if progress.is_complete {
        return Ok(progress);
    }
    let mut rejects = Rejects::resume(&options.rejects, &source, progress.rejected)?;

    let (sender, mut receiver) = mpsc::channel::<Result<Batch>>(1);
    let (path, mapping, skipped) = (file.to_owned(), options.mapping.clone(), progress.rows);
    let masker = options.masker.clone();
    let reader = tokio::task::spawn_blocking(move || {
        let send = |batch| sender.blocking_send(batch).is_ok();
        match Batches::open(&path, mapping, masker, skipped) {
            Err(error) => _ = send(Err(error)),
            Ok(batches) => _ = batches.into_iter().all(send),
        }
    });
    while let Some(batch) = receiver.recv().await {
        let batch = batch?;
        let target = target::Target {
            collection_id: collection.collection_id,
            load_id: progress.load_id,
        };
        // Written before the commit, so that no rejected row is lost. Rows that a crash left over are truncated when
        // the load is resumed.
        let mut tx = connection.begin().await?;
        let written = write::write(&mut tx, &target, batch).await?;
        rejects.add(&written.rejections)?;
        progress.add(&written);
        progress::record(&mut tx, &target, &progress).await?;
        tx.commit().await?;
        on_progress(&progress);
    }
    reader.await.map_err(|_| Error::Interrupted)?;
    sqlx::query(
        "update knowledge.loads set state = 'completed', finished_at = now() where load_id = $1",
    )
    .bind(progress.load_id)
    .execute(&mut *connection)
    .await?;
    sqlx::raw_sql(
        "analyze knowledge.records, knowledge.chunks, knowledge.segments, knowledge.postings",
    )
    .execute(connection)
    .await?;
    progress.is_complete = true;
    Ok(progress)
}

/// Starts the load of a file or resumes it. If the same content was loaded completely, it returns that load.
async fn begin(
    connection: &mut PgConnection,
    collection_id: i32,
    source: &str,
    content_hash: &[u8],
    options: &LoadOptions,
) -> Result<Progress> {
    let found: Option<progress::Row> = sqlx::query_as(
        "select load_id, state, rows_read, added, replaced, unchanged, rejected, empty from knowledge.loads
          where collection_id = $1 and content_hash = $2 and mapping_hash = $3
          order by load_id desc limit 1",
    )
    .bind(collection_id)
    .bind(content_hash)
    .bind(&options.mapping.hash()[..])
    .fetch_optional(&mut *connection)
    .await?;
    if let Some(row) = found
        && !(row.state == "completed" && options.again)
    {
        return Ok(Progress::resumed(&row));
    }
    let load_id = sqlx::query_scalar(
        "insert into knowledge.loads (collection_id, source, content_hash, mapping_hash) values ($1, $2, $3, $4)
         returning load_id",
    )
    .bind(collection_id)
    .bind(source)
    .bind(content_hash)
    .bind(&options.mapping.hash()[..])
    .fetch_one(connection)
    .await?;
    Ok(Progress {
        load_id,
        ..Progress::default()
    })
}
