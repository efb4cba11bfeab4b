//! `tarsy migrate`: applies migrations, forward only.

use std::process::ExitCode;

use anyhow::{Context as _, Result};
use tarsy_config::{Environment, Settings};

use crate::database;

/// Options of the command.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) async fn run(options: &Options) -> Result<ExitCode> {
    let settings = Settings::read(&Environment::of_process())?;
    let pool = tarsy_boot::connect(&settings.database, "tarsy-migrate")?;
    database::reach(&pool).await?;
    tarsy_store::MIGRATOR
        .run(&pool)
        .await
        .context("failed to migrate the database")?;
    let version = tarsy_store::MIGRATOR.iter().map(|m| m.version).max();
    if options.json {
        println!("{}", serde_json::json!({ "version": version }));
    } else {
        println!(
            "the database is at version {}",
            version.map_or_else(|| "-".to_owned(), |v| v.to_string())
        );
    }
    Ok(ExitCode::SUCCESS)
}
