//! `tarsy check-config`: validates the configuration.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use serde_json::json;
use tarsy_config::{Config, Environment, Problem, Problems, Settings, Source, strict_findings};

/// Options of the command.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Configuration file [default: `$AGENT_CONFIG_FILE`, config/agents.yaml, or the built-in configuration]
    file: Option<PathBuf>,
    /// Configuration file, as an option like in other commands
    #[arg(long = "config", value_name = "FILE", conflicts_with = "file")]
    config: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Fail on warnings, too: unset secrets, unusable providers, unknown variables
    #[arg(long)]
    strict: bool,
    /// List every environment variable with its default
    #[arg(long)]
    variables: bool,
}

pub(crate) fn run(options: &Options) -> Result<ExitCode> {
    if options.variables {
        for variable in Settings::describe() {
            println!("{variable}");
        }
        return Ok(ExitCode::SUCCESS);
    }
    match check(options) {
        Ok(config) => {
            let findings = strict_findings(&config, &Environment::of_process());
            report(&config, &findings, options.json)?;
            Ok(match options.strict && !findings.is_empty() {
                true => ExitCode::FAILURE,
                false => ExitCode::SUCCESS,
            })
        }
        Err(problems) => {
            if options.json {
                println!(
                    "{}",
                    json!({"ok": false, "problems": problems.iter().map(ToString::to_string).collect::<Vec<_>>()})
                );
            } else {
                eprintln!("{problems}");
            }
            Ok(ExitCode::FAILURE)
        }
    }
}

fn check(options: &Options) -> Result<Config, Problems> {
    let environment = Environment::of_process();
    let settings = Settings::read(&environment)?;
    let source = match options.file.as_ref().or(options.config.as_ref()) {
        Some(path) => Source::File(path.clone()),
        None => Source::chosen_by(&settings),
    };
    Config::load(&source, &environment)
}

fn report(config: &Config, findings: &[Problem], as_json: bool) -> Result<()> {
    if as_json {
        println!(
            "{}",
            json!({"ok": true, "warnings": findings.iter().map(ToString::to_string).collect::<Vec<_>>(), "notes": config.refusal_notes().collect::<Vec<_>>(), "config": serde_json::to_value(config)?})
        );
        return Ok(());
    }
    for warning in findings {
        println!("warning: {warning}");
    }
    for note in config.refusal_notes() {
        println!("note: {note}");
    }
    println!("{}: valid", config.source);
    println!("  chains:    {}", names(config.chains.keys()));
    println!("  agents:    {}", names(config.agents.keys()));
    let servers = config.servers.values().map(|server| match server.preset {
        Some(preset) => format!("{} (preset {preset})", server.server_id),
        None => server.server_id.clone(),
    });
    println!("  servers:   {}", names(servers));
    let usable = config
        .providers
        .values()
        .filter(|p| p.available)
        .map(|p| &p.name);
    println!(
        "  providers: {} (usable: {})",
        names(config.providers.keys()),
        names(usable)
    );
    Ok(())
}

fn names(names: impl Iterator<Item = impl Into<String>>) -> String {
    let names: Vec<String> = names.map(Into::into).collect();
    if names.is_empty() {
        "none".to_owned()
    } else {
        names.join(", ")
    }
}
