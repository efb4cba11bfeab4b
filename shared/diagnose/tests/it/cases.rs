//! Cases of the files in `cases`: the tool results of a cluster, and the finding that must come first.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::PathBuf;

use serde_json::{Map, Value};
use tarsy_diagnose::{Cause, Finding, Source, diagnose};

/// A case: tool results, the alert, and the expected first finding, `none` for a healthy cluster.
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) alert: Value,
    pub(crate) expected: String,
    pub(crate) sources: Vec<Source>,
}

pub(crate) fn all() -> Vec<Case> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/it/cases");
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    files
        .iter()
        .flat_map(|file| {
            let text = fs::read_to_string(file).unwrap();
            text.split("\n=== ").skip(1).map(read).collect::<Vec<_>>()
        })
        .collect()
}

/// Parses the lines `name`, `alert: {..}` and `first: Kind namespace/name cause`, then `--- tool key=value` and the
/// text of each result.
fn read(text: &str) -> Case {
    let mut parts = text.split("\n--- ");
    let mut head = parts.next().unwrap().lines();
    let name = head.next().unwrap().to_owned();
    let alert = head.next().unwrap().strip_prefix("alert: ").unwrap();
    let expected = head.next().unwrap().strip_prefix("first: ").unwrap();
    let source = |part: &str| {
        let (call, text) = part.split_once('\n').unwrap_or((part, ""));
        let mut words = call.split_whitespace();
        let tool = words.next().unwrap().to_owned();
        let arguments: Map<String, Value> = words
            .map(|word| {
                let (key, value) = word.split_once('=').unwrap();
                (key.to_owned(), value.into())
            })
            .collect();
        Source {
            tool,
            arguments: arguments.into(),
            text: format!("{text}\n"),
        }
    };
    Case {
        name,
        alert: serde_json::from_str(alert).unwrap(),
        expected: expected.to_owned(),
        sources: parts.map(source).collect(),
    }
}

fn line(finding: &Finding) -> String {
    format!("{} {}", finding.object, finding.cause.as_str())
}

#[test]
fn the_origin_comes_first_and_healthy_clusters_have_none() {
    let mut wrong = Vec::new();
    for case in all() {
        let findings = diagnose(case.sources.clone(), &case.alert);
        let first = findings.first().map_or("none".to_owned(), line);
        if first != case.expected {
            let others: Vec<String> = findings.iter().map(line).collect();
            wrong.push(format!(
                "{}: expected {}, found {others:?}",
                case.name, case.expected
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_cases_show_every_cause_and_a_sixth_of_them_is_healthy() {
    let all = all();
    let healthy = all.iter().filter(|case| case.expected == "none").count();
    assert!(healthy * 6 >= all.len(), "{healthy} of {}", all.len());
    let shown = |cause: &&Cause| {
        all.iter()
            .any(|case| case.expected.ends_with(cause.as_str()))
    };
    let missing: Vec<_> = Cause::ALL.iter().filter(|cause| !shown(cause)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn every_finding_shows_lines_of_the_results() {
    for case in all() {
        for finding in diagnose(case.sources.clone(), &case.alert) {
            assert!(!finding.evidence.is_empty(), "{}: {finding:?}", case.name);
            for evidence in &finding.evidence {
                let source = case
                    .sources
                    .iter()
                    .find(|source| source.call() == evidence.call)
                    .unwrap();
                let line = source.text.lines().nth(evidence.line - 1).unwrap();
                let shown = evidence
                    .text
                    .trim_start_matches("..")
                    .trim_end_matches("..");
                assert!(line.contains(shown), "{}: {evidence:?}", case.name);
            }
        }
    }
}
