//! `tarsy export`: exports a session.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use clap::builder::PossibleValuesParser;

use crate::client::Client;
use crate::printing;
use crate::server::Server;

/// Session, format and file.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Session id
    session_id: String,
    /// File format
    #[arg(long, default_value = "md", value_parser = PossibleValuesParser::new(["json", "csv", "md"]), conflicts_with = "json")]
    format: String,
    /// Same as `--format json`
    #[arg(long)]
    json: bool,
    /// Output file [default: standard output]
    #[arg(long, short)]
    output: Option<PathBuf>,
}

pub(crate) async fn run(server: &Server, options: &Options) -> Result<ExitCode> {
    let format = if options.json {
        "json"
    } else {
        &options.format
    };
    let path = format!("/api/v1/history/sessions/{}/export", options.session_id);
    let client = Client::new(server)?;
    let text = client.file(&path, &[("format", format)]).await?;
    match &options.output {
        Some(file) => std::fs::write(file, text)
            .with_context(|| format!("failed to write {}", file.display()))?,
        None => printing::out_bytes(text.as_bytes()),
    }
    Ok(ExitCode::SUCCESS)
}
