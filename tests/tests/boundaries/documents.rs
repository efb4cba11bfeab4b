//! Tests that documents name existing files: in relative links, and in backticks.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Top-level folders. Names of files in backticks that begin with one must exist.
const OURS: [&str; 14] = [
    "ingest-api/",
    "chain-worker/",
    "stage-worker/",
    "shared/",
    "migrations/",
    "deploy/",
    "config/",
    "tests/",
    "cli/",
    "web/",
    "docs/",
    "xtask/",
    ".ci/",
    ".github/",
];

#[test]
fn every_relative_link_leads_to_a_file() {
    let broken: Vec<String> = documents()
        .iter()
        .flat_map(|document| {
            let text = fs::read_to_string(document).unwrap();
            let folder = document.parent().unwrap().to_owned();
            let links = links(&text).into_iter().filter(move |link| {
                let target = link.split('#').next().unwrap_or_default();
                !target.is_empty() && !folder.join(target).exists()
            });
            links
                .map(|link| format!("{}: {link}", shown(document)))
                .collect::<Vec<_>>()
        })
        .collect();
    assert!(
        broken.is_empty(),
        "links that lead nowhere:\n{}",
        broken.join("\n")
    );
}

#[test]
fn every_file_that_a_document_names_is_there() {
    let missing: BTreeSet<String> = documents()
        .iter()
        // History may name files that were removed since.
        .filter(|document| !is_history(document))
        .flat_map(|document| {
            let text = fs::read_to_string(document).unwrap();
            let names = named_files(&text).into_iter();
            let names = names.filter(|name| !root().join(name).exists());
            names
                .map(|name| format!("{}: {name}", shown(document)))
                .collect::<Vec<_>>()
        })
        .collect();
    let missing: Vec<_> = missing.into_iter().collect();
    assert!(
        missing.is_empty(),
        "files that are not there:\n{}",
        missing.join("\n")
    );
}

#[test]
fn links_and_names_are_found_in_a_text() {
    let text = "See [a](docs/A.md#b), [c](https://example.com) and `shared/queue/src/sweep.rs`; not `shared/{a,b}`, `tests/*.rs`.";
    assert_eq!(links(text), ["docs/A.md#b"]);
    assert_eq!(named_files(text), ["shared/queue/src/sweep.rs"]);
}

/// Whether a document describes the past.
pub(crate) fn is_history(document: &Path) -> bool {
    document.ends_with("CHANGELOG.md")
        || document
            .parent()
            .is_some_and(|folder| folder.ends_with("docs/decisions"))
}

/// Returns the targets of Markdown links to files, without URLs.
fn links(text: &str) -> Vec<&str> {
    let targets = text
        .split("](")
        .skip(1)
        .filter_map(|rest| rest.split(')').next());
    targets
        .filter(|target| !target.contains("://") && !target.starts_with("mailto:"))
        .collect()
}

/// Returns the paths of the repository in backticks, without patterns for several files.
fn named_files(text: &str) -> Vec<&str> {
    let quoted = text.split('`').skip(1).step_by(2);
    quoted
        .filter(|name| OURS.iter().any(|folder| name.starts_with(folder)))
        .filter(|name| !name.contains(['*', '{', '<', ' ', '$', '\n', '|']))
        .filter(|name| {
            name.rsplit('/')
                .next()
                .is_some_and(|last| last.contains('.'))
        })
        .collect()
}

pub(crate) fn documents() -> Vec<PathBuf> {
    let listed = Command::new("git")
        .current_dir(root())
        .args(["ls-files", "*.md"])
        .output()
        .expect("git runs");
    let listed = String::from_utf8(listed.stdout).expect("names are UTF-8");
    let documents: Vec<_> = listed.lines().map(|name| root().join(name)).collect();
    assert!(documents.len() > 10, "git lists no documents");
    documents
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the workspace is above")
        .to_owned()
}

pub(crate) fn shown(document: &Path) -> String {
    document
        .strip_prefix(root())
        .unwrap_or(document)
        .display()
        .to_string()
}
