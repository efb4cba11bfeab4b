//! `tarsy knowledge embed`.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use serde_json::json;
use sqlx::PgPool;
use tarsy_knowledge::{EmbedProgress, Embedder, embed, store};

/// Time between two lines of progress.
const PAUSE: Duration = Duration::from_secs(5);

/// What to compute.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Collections [default: all]
    collections: Vec<String>,
    /// Delete the vectors of other models once this model's are complete
    #[arg(long, conflicts_with = "collections")]
    drop_others: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) async fn run(
    pool: &PgPool,
    embedder: Option<Embedder>,
    options: &Options,
) -> Result<ExitCode> {
    let embedder = embedder.context(
        "no model: set TARSY_KNOWLEDGE_EMBED_PATH, or TARSY_KNOWLEDGE_EMBED_URL and TARSY_KNOWLEDGE_EMBED_MODEL",
    )?;
    let progress = compute(pool, &embedder, &options.collections).await?;
    let deleted = if options.drop_others {
        let mut connection = pool.acquire().await?;
        Some(store::drop_other_embeddings(&mut connection, embedder.model()).await?)
    } else {
        None
    };
    if options.json {
        let done =
            json!({"model": embedder.model(), "computed": progress.computed, "deleted": deleted});
        println!("{done}");
    } else if let Some(deleted) = deleted {
        println!("deleted {deleted} vectors of other models");
    }
    Ok(ExitCode::SUCCESS)
}

/// Computes the missing vectors, with progress on standard error.
pub(crate) async fn compute(
    pool: &PgPool,
    embedder: &Embedder,
    collections: &[String],
) -> Result<EmbedProgress> {
    let mut connection = pool.acquire().await?;
    let mut printed_at = Instant::now();
    let shown = |progress: &EmbedProgress| {
        if printed_at.elapsed() >= PAUSE {
            printed_at = Instant::now();
            eprintln!("{} of {} vectors", progress.computed, progress.pending);
        }
    };
    let progress = embed(&mut connection, embedder, collections, shown).await;
    let progress = progress.context("failed to compute vectors; the same command goes on")?;
    eprintln!("{} vectors of {}", progress.computed, embedder.model());
    Ok(progress)
}
