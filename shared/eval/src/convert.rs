//! Converts cases of other projects.

use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::case::{Case, Fact, Record, Truth};
use crate::{Error, text};

/// A case of HolmesGPT (`expected`) or OpenSRE (`facts`), in one JSON file.
#[derive(Deserialize)]
struct Foreign {
    id: String,
    source: Option<String>,
    alert: Option<Value>,
    question: Option<Value>,
    #[serde(default)]
    healthy: bool,
    category: Option<String>,
    #[serde(default)]
    facts: Option<Vec<String>>,
    #[serde(default)]
    expected: Option<Vec<String>>,
    forbidden: Option<Forbidden>,
    path: Option<Vec<String>>,
    records: Vec<ForeignRecord>,
}

#[derive(Deserialize)]
struct Forbidden {
    words: Option<Vec<String>>,
}

#[derive(Deserialize)]
struct ForeignRecord {
    tool: String,
    args: Option<Map<String, Value>>,
    result: Option<String>,
    error: Option<String>,
}

/// Converts a case of HolmesGPT or OpenSRE, written as one JSON file. Facts that the alert already states are kept,
/// but do not count.
///
/// # Errors
///
/// [`Error::Case`] if the file is not a case of either project.
pub fn convert(path: &Path, json: &str) -> Result<Case, Error> {
    let bad = |reason: &str| Error::case(path, reason);
    let foreign: Foreign = serde_json::from_str(json).map_err(|error| Error::case(path, error))?;
    let alert = foreign.alert.or(foreign.question);
    let alert = alert.ok_or_else(|| bad("it has neither `alert` nor `question`"))?;
    let facts = foreign.facts.or(foreign.expected);
    let facts = facts.ok_or_else(|| bad("it has neither `facts` nor `expected`"))?;
    let records = foreign.records.into_iter().map(|record| Record {
        tool: record.tool,
        args: record.args.unwrap_or_default(),
        result: record.result,
        error: record.error,
    });
    let mut kept: Vec<Record> = Vec::new();
    for record in records {
        // If a call is recorded twice, the first record answers.
        if !kept.iter().any(|other| other.is_same_call(&record)) {
            kept.push(record);
        }
    }
    let healthy = foreign.healthy;
    Ok(Case {
        id: text::words(&foreign.id)
            .join("-")
            .replace(['/', ':', '%'], "-"),
        source: foreign.source,
        licence: Some("Apache-2.0".to_owned()),
        tags: foreign.category.into_iter().collect(),
        alert: match alert {
            Value::Object(_) => alert,
            other => serde_json::json!({ "question": other }),
        },
        severity: None,
        tools: Vec::new(),
        // An expert's path may name tools that were not recorded; those are left out.
        truth: Truth {
            cause: None,
            healthy,
            facts: match healthy {
                true => Vec::new(),
                false => facts.into_iter().map(|fact| Fact(vec![fact])).collect(),
            },
            forbidden: foreign.forbidden.and_then(|f| f.words).unwrap_or_default(),
            path: foreign
                .path
                .unwrap_or_default()
                .into_iter()
                .filter(|tool| kept.iter().any(|record| record.tool == *tool))
                .collect(),
            origin: None,
        },
        records: kept,
    })
}
