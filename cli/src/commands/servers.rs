//! `tarsy servers`: presets of tool servers, and the servers of the configuration.

mod add;
mod check;
mod list;

use std::process::ExitCode;

use anyhow::{Result, bail};
use tarsy_config::{Preset, known_names, preset, presets};

use crate::configuration::Configuration;

/// List, add or check.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    #[command(subcommand)]
    action: Action,
    /// Print JSON
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// List the presets and the servers of the configuration
    List {
        #[command(flatten)]
        configuration: Configuration,
    },
    /// Print the lines of a preset for the configuration, and the variables to set
    Add {
        /// Preset, e.g. `grafana`
        preset: String,
        /// Name of the server in the configuration [default: the preset's]
        #[arg(long = "as", value_name = "NAME")]
        name: Option<String>,
        /// Insert the lines into the configuration file instead of printing them
        #[arg(long)]
        write: bool,
        #[command(flatten)]
        configuration: Configuration,
    },
    /// Start a configured server, or a preset with variables from the environment, and compare its tools with the preset
    Check {
        /// Server of the configuration, or a preset
        name: String,
        #[command(flatten)]
        configuration: Configuration,
    },
}

pub(crate) async fn run(options: &Options) -> Result<ExitCode> {
    match &options.action {
        Action::List { configuration } => list::run(configuration, options.json),
        Action::Add {
            preset,
            name,
            write,
            configuration,
        } => {
            let preset = expect(preset)?;
            let name = name.as_deref().unwrap_or(preset.name);
            add::run(configuration, preset, name, *write, options.json)
        }
        Action::Check {
            name,
            configuration,
        } => check::run(configuration, name, options.json).await,
    }
}

/// Returns a preset by its name.
fn expect(name: &str) -> Result<&'static Preset> {
    let names: Vec<&str> = presets().iter().map(|preset| preset.name).collect();
    match preset(name) {
        Some(preset) => Ok(preset),
        None => bail!("unknown preset `{name}`: {}", known_names(name, &names)),
    }
}
