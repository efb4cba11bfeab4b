//! `tarsy knowledge load`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use sqlx::PgPool;
use tarsy_knowledge::{Embedder, LoadOptions, Mapping, Progress};
use tarsy_masking::{DEFAULT_GROUP, Masker};

use super::embed;
use crate::output::json;

/// Shortest pause between two lines of progress.
const PAUSE: Duration = Duration::from_secs(1);

/// Files and where they go.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Files: .csv, .tsv, .jsonl
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Collection; created if it does not exist
    #[arg(long)]
    collection: String,
    /// Column mapping (YAML)
    #[arg(long, value_name = "FILE")]
    mapping: PathBuf,
    /// Folder for rejected rows, one `FILE.rejected.jsonl` per file
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    rejects: PathBuf,
    /// Reload files that were already loaded completely
    #[arg(long)]
    again: bool,
    /// Print JSON, one line per file
    #[arg(long)]
    json: bool,
}

pub(crate) async fn run(
    pool: &PgPool,
    embedder: Option<Embedder>,
    options: &Options,
) -> Result<ExitCode> {
    let mapping = Mapping::read(&options.mapping)?;
    let masker = Masker::group(DEFAULT_GROUP).context("the default group of masking is missing")?;
    let mut connection = pool.acquire().await?;
    for file in &options.files {
        let name = file
            .file_name()
            .unwrap_or(file.as_os_str())
            .to_string_lossy()
            .into_owned();
        let load = LoadOptions {
            collection: options.collection.clone(),
            mapping: mapping.clone(),
            rejects: options.rejects.join(format!("{name}.rejected.jsonl")),
            again: options.again,
            masker: masker.clone(),
        };
        let begun = Instant::now();
        let mut printed_at = begun;
        let shown = |progress: &Progress| {
            if printed_at.elapsed() >= PAUSE {
                printed_at = Instant::now();
                eprintln!("{name}: {}", line(progress, begun.elapsed()));
            }
        };
        let loading = tarsy_knowledge::load(&mut connection, file, &load, shown);
        let progress = loading
            .await
            .with_context(|| format!("failed to load {}", file.display()))?;
        print_report(
            &name,
            &progress,
            begun.elapsed(),
            &load.rejects,
            options.json,
        )?;
    }
    drop(connection);
    if let Some(embedder) = embedder {
        embed::compute(pool, &embedder, std::slice::from_ref(&options.collection)).await?;
    }
    Ok(ExitCode::SUCCESS)
}

fn line(progress: &Progress, elapsed: Duration) -> String {
    let rate = (progress.rows - progress.resumed_at) as f64 / elapsed.as_secs_f64().max(0.001);
    format!(
        "{} rows: {} added, {} replaced, {} unchanged, {} rejected, {} empty; {rate:.0} rows/s",
        progress.rows,
        progress.added,
        progress.replaced,
        progress.unchanged,
        progress.rejected,
        progress.empty
    )
}

fn print_report(
    name: &str,
    progress: &Progress,
    elapsed: Duration,
    rejects: &Path,
    as_json: bool,
) -> Result<()> {
    let was_there = progress.resumed_at == progress.rows && progress.rows > 0;
    if as_json {
        println!("{}", json(progress)?);
    } else if was_there {
        println!(
            "{name}: was loaded before: {} rows, {} rejected",
            progress.rows, progress.rejected
        );
    } else {
        println!("{name}: {}", line(progress, elapsed));
    }
    if progress.rejected > 0 && !was_there {
        eprintln!("{name}: rejected rows are in {}", rejects.display());
    }
    Ok(())
}
