//! `tarsy eval record`: creates a case from a session.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};
use tarsy_eval::{Case, Record, Session, Truth, lint};

use crate::client::Client;
use crate::server::Server;

/// Session and file.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Session id
    session_id: String,
    /// Output file for the case
    #[arg(long, short)]
    output: PathBuf,
}

pub(super) async fn run(server: &Server, options: &Options, as_json: bool) -> Result<ExitCode> {
    let path = format!("/api/v1/history/sessions/{}/export", options.session_id);
    let export = Client::new(server)?
        .file(&path, &[("format", "json")])
        .await?;
    let exported: Value = serde_json::from_str(&export).context("the API sent no JSON")?;
    if exported["completed_at_us"].is_null() {
        bail!("session {} has not ended", options.session_id);
    }
    let session = Session::read(&export)?;
    let mut records: Vec<Record> = Vec::new();
    for call in session.calls.iter().filter(|call| !call.refused) {
        let record = Record {
            tool: call.tool.clone(),
            args: call.arguments.clone(),
            result: call.success.then(|| call.result.clone()),
            error: (!call.success).then(|| "the call failed".to_owned()),
        };
        if !records.iter().any(|known| known.is_same_call(&record)) {
            records.push(record);
        }
    }
    let case = Case {
        id: options.session_id.clone(),
        source: Some("recorded".to_owned()),
        licence: None,
        tags: Vec::new(),
        alert: exported["alert_data"].clone(),
        severity: exported["severity"].as_str().map(str::to_owned),
        tools: Vec::new(),
        records,
        truth: match exported["care"]["right_cause"].as_str() {
            Some(cause) => Truth::from_cause(cause),
            None => Truth::default(),
        },
    };
    super::write_json(&options.output, &case)?;
    let findings = lint(&case);
    let (records, file) = (case.records.len(), options.output.display());
    if as_json {
        println!(
            "{}",
            json!({"case": options.output, "records": records, "findings": findings})
        );
        return Ok(ExitCode::SUCCESS);
    }
    println!("{records} records are in {file}");
    for finding in findings {
        println!("{finding}");
    }
    Ok(ExitCode::SUCCESS)
}
