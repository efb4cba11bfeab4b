//! `tarsy eval publish`: stores the figures of a run for the Quality page.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use serde_json::json;
use tarsy_eval::Summary;

use crate::client::Client;
use crate::output::text;
use crate::server::Server;

/// A run and its name.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Folder of the run
    run: PathBuf,
    /// Name of the run [default: the folder's name]
    #[arg(long)]
    name: Option<String>,
    /// Folder of an older run to compare with
    #[arg(long, value_name = "RUN")]
    against: Option<PathBuf>,
}

pub(super) async fn run(server: &Server, options: &Options, as_json: bool) -> Result<ExitCode> {
    let name = match &options.name {
        Some(name) => name.clone(),
        None => name_of(&options.run)?,
    };
    let report = super::read_report(&options.run)?;
    let old = match &options.against {
        Some(folder) => Some((name_of(folder)?, super::read_report(folder)?)),
        None => None,
    };
    let old = old.as_ref().map(|(name, report)| (name.as_str(), report));
    let wanted = json!({"name": name, "summary": Summary::new(&report, old)});
    let kept = Client::new(server)?.act("evaluations", &wanted).await?;
    if as_json {
        println!("{kept}");
    } else {
        println!("kept as `{name}` ({})", text(&kept, "evaluation_id"));
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the name of a folder.
fn name_of(folder: &Path) -> Result<String> {
    let whole = folder
        .canonicalize()
        .with_context(|| super::failed("read", folder))?;
    let name = whole.file_name().unwrap_or(whole.as_os_str());
    Ok(name.to_string_lossy().into_owned())
}
