//! Tests that no manifest disables existing tests: `test = false` and `doctest = false` are only for targets
//! without tests, to save their builds.

use std::fs;
use std::path::PathBuf;

use super::workspace::{Member, Target, members, rust_files};

const TESTS: [&str; 3] = ["#[test]", "#[tokio::test", "proptest!"];

#[test]
fn every_target_with_tests_runs_them() {
    let skipped = matching(
        |target| !target.test,
        |line| TESTS.iter().any(|text| line.starts_with(text)),
    );
    assert!(skipped.is_empty(), "remove `test = false`: {skipped:?}");
}

#[test]
fn every_library_with_examples_runs_them() {
    let skipped = matching(
        |target| !target.doctest && target.kind == "lib",
        |line| line.starts_with("/// ```") || line.starts_with("//! ```"),
    );
    assert!(skipped.is_empty(), "remove `doctest = false`: {skipped:?}");
}

/// Returns the sources of the wanted targets that contain a line for which `holds` is true.
fn matching(is_wanted: impl Fn(&Target) -> bool, holds: impl Fn(&str) -> bool) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for member in members() {
        for target in member.targets.iter().filter(|target| is_wanted(target)) {
            found.extend(sources(&member, target).into_iter().filter(|file| {
                let text = fs::read_to_string(file).unwrap();
                text.lines().any(|line| holds(line.trim_start()))
            }));
        }
    }
    found
}

/// Returns the files of a library or program. A program next to a library has no own modules.
fn sources(member: &Member, target: &Target) -> Vec<PathBuf> {
    let has_library = member.targets.iter().any(|other| other.kind == "lib");
    match target.kind.as_str() {
        "lib" => rust_files(&member.manifest.with_file_name("src")),
        "bin" if !has_library => rust_files(&member.manifest.with_file_name("src")),
        "bin" => vec![target.source.clone()],
        _ => Vec::new(),
    }
}
