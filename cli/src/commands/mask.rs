//! `tarsy mask`: masks secrets in standard input.

use std::io::{BufRead as _, Read as _, Write as _};
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use serde::Deserialize;
use serde_json::json;
use tarsy_masking::{Masker, group_names};

use crate::bytes;

/// Options of the command.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Pattern group
    #[arg(long, default_value = tarsy_masking::DEFAULT_GROUP)]
    group: String,
    /// One JSON object per line: {"text"} in, {"text", "kinds"} out
    #[arg(long)]
    jsonl: bool,
}

#[derive(Deserialize)]
struct Line {
    text: String,
}

pub(crate) fn run(options: &Options) -> Result<ExitCode> {
    let Some(masker) = Masker::group(&options.group) else {
        bail!(
            "unknown group `{}`; known: {}",
            options.group,
            group_names().join(", ")
        );
    };
    let (input, mut output) = (std::io::stdin().lock(), std::io::stdout().lock());
    if !options.jsonl {
        let mut raw = Vec::new();
        let mut input = input;
        input
            .read_to_end(&mut raw)
            .context("failed to read standard input")?;
        // Bytes that are not text, and a missing newline at the end, are preserved.
        output.write_all(&bytes::to_bytes(&masker.mask(&bytes::to_text(&raw)).text))?;
        output.flush()?;
        return Ok(ExitCode::SUCCESS);
    }
    for (number, line) in input.lines().enumerate() {
        let line = line.with_context(|| format!("line {} is not UTF-8 text", number + 1))?;
        if line.trim().is_empty() {
            continue;
        }
        let line: Line = serde_json::from_str(&line)
            .with_context(|| format!("line {} is not {{\"text\": ..}}", number + 1))?;
        let masked = masker.mask(&line.text);
        writeln!(
            output,
            "{}",
            json!({"text": masked.text, "kinds": masked.kinds})
        )?;
    }
    Ok(ExitCode::SUCCESS)
}
