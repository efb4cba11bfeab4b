//! Length and names of files and crates, and names of functions that say nothing.

use std::fs;

use regex::Regex;

use super::workspace::{members, rust_files};

/// Names that say nothing about their subject.
const EMPTY_NAMES: &[&str] = &[
    "common", "util", "utils", "helper", "helpers", "types", "core", "manager",
];

/// Longest file of code, in lines.
const MAX_LINES: usize = 500;

#[test]
fn files_have_one_subject_and_a_name_for_it() {
    let mut broken = Vec::new();
    for crate_ in members() {
        let stem = crate_.name.trim_start_matches("tarsy-");
        if EMPTY_NAMES.contains(&stem) {
            broken.push(format!("{}: a name that says nothing", crate_.name));
        }
        let folder = crate_.manifest.parent().unwrap();
        for file in rust_files(&folder.join("src"))
            .into_iter()
            .chain(rust_files(&folder.join("tests")))
        {
            let lines = fs::read_to_string(&file).unwrap().lines().count();
            if lines > MAX_LINES {
                broken.push(format!(
                    "{}: {lines} lines, at most {MAX_LINES}",
                    file.display()
                ));
            }
            let stem = file
                .file_stem()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            if EMPTY_NAMES.contains(&stem.as_str()) {
                broken.push(format!("{}: a name that says nothing", file.display()));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

/// `of` says nothing at its definition: `new`, `parse`, `from_config` and `permission` do.
#[test]
fn no_function_is_called_of() {
    let unwanted = Regex::new(r"\bfn of\b").unwrap();
    let mut found = Vec::new();
    for crate_ in members() {
        let folder = crate_.manifest.parent().unwrap();
        for part in ["src", "tests"] {
            for file in rust_files(&folder.join(part)) {
                let text = fs::read_to_string(&file).unwrap();
                let count = unwanted.find_iter(&text).count();
                if count > 0 && !file.ends_with("boundaries/file_names.rs") {
                    found.push(format!("{}: {count}", file.display()));
                }
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}
