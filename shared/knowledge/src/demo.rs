//! Demo data: test cases and hosts of a fictional laboratory, with questions whose answers are known.
//!
//! The output is always the same, byte for byte. Half of the questions name identifiers. The others are paraphrases.

mod hosts;
mod questions;
mod random;
mod test_cases;

use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::error::{Error, Result};

/// Host models. Each scenario is tested on each of them.
const MODELS: [&str; 10] = [
    "Kestrel 210",
    "Kestrel 220",
    "Kestrel 410",
    "Harrier X1",
    "Harrier X2",
    "Osprey 5",
    "Osprey 7",
    "Merlin S",
    "Merlin M",
    "Condor 9000",
];

#[derive(Debug, Deserialize)]
struct Scenario {
    title: String,
    component: String,
    steps: Vec<String>,
    expected: String,
    /// Paraphrased questions about the scenario.
    asks: Vec<String>,
}

/// Writes test cases (CSV), hosts (JSON lines), a mapping for each, and the questions. Returns the files.
///
/// # Errors
///
/// [`Error::File`].
pub fn write(folder: &Path) -> Result<Vec<PathBuf>> {
    std::fs::create_dir_all(folder).map_err(Error::file("create", folder))?;
    let scenarios = scenarios()?;
    let hosts = hosts::all();
    let files = [
        ("test_cases.csv", test_cases::csv(&scenarios)),
        ("test_cases.mapping.yaml", test_cases::MAPPING.to_owned()),
        ("system_logs.jsonl", hosts::jsonl(&hosts)),
        ("system_logs.mapping.yaml", hosts::MAPPING.to_owned()),
        ("questions.jsonl", questions::jsonl(&scenarios, &hosts)?),
    ];
    let mut written = Vec::new();
    for (name, text) in files {
        let path = folder.join(name);
        std::fs::write(&path, text).map_err(Error::file("write", &path))?;
        written.push(path);
    }
    Ok(written)
}

fn scenarios() -> Result<Vec<Scenario>> {
    let text = include_str!("../demo/scenarios.yaml");
    serde_saphyr::from_str(text)
        .map_err(|error| Error::invalid("scenarios.yaml", error.to_string()))
}
