//! `tarsy probe`: calls `/livez` or `/readyz` of a process, because images contain neither a shell nor curl.

use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use crate::server::Server;

/// Longest wait for the response.
const PATIENCE: Duration = Duration::from_secs(3);

/// Options of the command.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Probe
    #[arg(value_enum, default_value_t = Probe::Readyz)]
    probe: Probe,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// A probe that every process answers without a key.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Probe {
    /// The process is alive
    Livez,
    /// The process can do its work
    Readyz,
}

pub(crate) async fn run(server: &Server, options: &Options) -> Result<ExitCode> {
    tarsy_telemetry::install_crypto();
    let path = match options.probe {
        Probe::Livez => "livez",
        Probe::Readyz => "readyz",
    };
    let url = format!("{}/{path}", server.url.trim_end_matches('/'));
    let http = reqwest::Client::builder()
        .no_proxy()
        .timeout(PATIENCE)
        .build()
        .context("failed to set up the HTTP client")?;
    let response = http.get(&url).send().await;
    let response = response.with_context(|| format!("no response from {url}"))?;
    let status = response.status();
    let body = response.text().await;
    let body = body.with_context(|| format!("failed to read the response of {url}"))?;
    if options.json {
        // The body of `/readyz` is JSON itself.
        let body = serde_json::from_str(&body).unwrap_or(Value::String(body));
        println!("{}", json!({"status": status.as_u16(), "body": body}));
    } else {
        println!("{status} {body}");
    }
    Ok(match status.is_success() {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    })
}
