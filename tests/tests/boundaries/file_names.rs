//! Tests the length of files, and forbids vague names of files, crates, functions and types.

use std::fs;

use regex::Regex;

use super::workspace::{members, rust_files};

/// Names that do not describe a subject.
const EMPTY_NAMES: &[&str] = &[
    "common", "util", "utils", "helper", "helpers", "types", "core", "manager",
];

/// Maximum length of a source file, in lines.
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

/// Names of functions that had many meanings each, with more precise names.
const VAGUE_FUNCTIONS: [(&str, &str); 13] = [
    ("behind", "after_x"),
    ("beside", "with_x, next_to"),
    ("heard", "received, notified"),
    ("hear", "listen, handle_x"),
    ("held", "ensure_held, with_hold, x_claimed"),
    ("hold", "lock_claim, keep_x"),
    ("look", "poll, read_x, refresh"),
    ("said", "describe, explain, x_text"),
    ("settle", "finish_x, write_x, resolve"),
    ("settled", "x_status"),
    ("sit", "take_seat"),
    ("tell", "print_x, publish, notify_x"),
    ("told", "x_text, x_section"),
];

/// File in which `settle` is allowed. A claim in the queue is settled as in AMQP: completed, retried, released or
/// given up.
const SETTLES_CLAIMS: &str = "shared/queue/src/worker/settlement.rs";

/// Names that up to nine different types had at once.
const VAGUE_TYPES: &str = "Heard|Look|Place|Told";

#[test]
fn functions_and_types_have_names_with_one_meaning() {
    let names = VAGUE_FUNCTIONS.map(|(name, _)| name).join("|");
    let vague = Regex::new(&format!(
        r"\bfn (?<fn>{names})\b|\b(struct|enum|type|trait) (?<type>{VAGUE_TYPES})\b"
    ));
    let vague = vague.unwrap();
    let mut found = Vec::new();
    for crate_ in members() {
        let sources = crate_.manifest.parent().unwrap().join("src");
        for file in rust_files(&sources) {
            let inside = file.strip_prefix(&sources).unwrap();
            let is_test = inside.ends_with("tests.rs")
                || inside.components().any(|part| part.as_os_str() == "tests");
            if is_test || file.ends_with(SETTLES_CLAIMS) {
                continue;
            }
            let text = fs::read_to_string(&file).unwrap();
            for name in vague.captures_iter(&text) {
                let name = name.name("fn").or(name.name("type")).unwrap().as_str();
                let better = VAGUE_FUNCTIONS.iter().find(|(vague, _)| *vague == name);
                let better = better.map_or("say whose it is", |(_, better)| *better);
                found.push(format!("{}: `{name}`: {better}", file.display()));
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// The name `of` has no meaning at its definition.
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
