//! Configuration file option.

use std::path::PathBuf;

use anyhow::{Context as _, Result};
use tarsy_config::{Config, Environment, Settings, Source, Variables};

/// Configuration file option.
#[derive(Debug, clap::Args)]
pub(crate) struct Configuration {
    /// Configuration file [default: `$AGENT_CONFIG_FILE`, config/agents.yaml, or the built-in configuration]
    #[arg(long = "config", value_name = "FILE")]
    configuration_file: Option<PathBuf>,
}

/// Reads the settings of the environment.
pub(crate) fn settings() -> Result<Settings> {
    Ok(Settings::read(&Environment::of_process())?)
}

impl Configuration {
    /// Returns the path of the configuration file, if one is used.
    pub(crate) fn file(&self) -> Result<Option<PathBuf>> {
        if let Some(path) = &self.configuration_file {
            return Ok(Some(path.clone()));
        }
        Ok(match Source::chosen_by(&settings()?) {
            Source::File(path) => Some(path),
            Source::BuiltIn | Source::Text { .. } => None,
        })
    }

    /// Returns the text of the configuration file, if one is used.
    pub(crate) fn text(&self) -> Result<Option<String>> {
        let Some(path) = self.file()? else {
            return Ok(None);
        };
        let text = std::fs::read_to_string(&path);
        let text = text.with_context(|| format!("failed to read {}", path.display()))?;
        Ok(Some(text))
    }

    /// Reads and checks the configuration. The error lists every mistake.
    pub(crate) fn load(&self, variables: Variables) -> Result<Config> {
        let environment = Environment::of_process();
        let settings = Settings::read(&environment)?;
        let source = match &self.configuration_file {
            Some(path) => Source::File(path.clone()),
            None => Source::chosen_by(&settings),
        };
        Ok(Config::load_with(&source, &environment, variables)?)
    }
}
