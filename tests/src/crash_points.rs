//! Finds the crash points in the sources.

use std::fs;
use std::path::{Path, PathBuf};

/// A process of the fleet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// `ingest-api`.
    Ingest,
    /// `chain-worker`.
    Chain,
    /// `stage-worker`.
    Stage,
}

/// A place in the sources where a process can be killed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CrashPoint {
    /// Its name, a value of `TARSY_CRASH_AT`.
    pub name: String,
    /// Processes that can reach it.
    pub roles: Vec<Role>,
}

/// Folders with crash points, and the processes that can reach them.
const SOURCES: &[(&str, &[Role])] = &[
    ("ingest-api/src", &[Role::Ingest]),
    ("shared/intake/src", &[Role::Ingest]),
    ("chain-worker/src", &[Role::Chain]),
    ("stage-worker/src", &[Role::Stage]),
    ("shared/transitions/src", &[Role::Chain, Role::Stage]),
    ("shared/queue/src", &[Role::Chain, Role::Stage]),
];

/// Prefix of the sweeper's points. The sweeper runs in every process.
const SWEEPER: &str = "queue.sweep.";

/// Returns all crash points. In each file that uses `tarsy_failpoint`, they are the string literals that
/// look like a name of a point (`words.in_lower_case.with_dots`).
#[must_use]
pub fn crash_points() -> Vec<CrashPoint> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut points: Vec<CrashPoint> = Vec::new();
    for (folder, roles) in SOURCES {
        for file in rust_files(&root.join(folder)) {
            let source = fs::read_to_string(file).unwrap();
            if !source.contains("tarsy_failpoint::reached") {
                continue;
            }
            for name in source
                .split('"')
                .skip(1)
                .step_by(2)
                .filter(|text| is_name(text))
                .filter(|name| is_reached(name, &source))
            {
                if points.iter().all(|point| point.name != name) {
                    let roles = match name.starts_with(SWEEPER) {
                        true => vec![Role::Ingest, Role::Chain, Role::Stage],
                        false => roles.to_vec(),
                    };
                    points.push(CrashPoint {
                        name: name.to_owned(),
                        roles,
                    });
                }
            }
        }
    }
    points
}

/// Returns the commits in the sources that have no crash point right before or right after them, as
/// `file:line`.
#[cfg(test)]
fn commits_without_points() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut found = Vec::new();
    for file in SOURCES
        .iter()
        .flat_map(|(folder, _)| rust_files(&root.join(folder)))
    {
        let source = fs::read_to_string(&file).unwrap();
        let lines: Vec<&str> = source.lines().collect();
        for (place, line) in lines.iter().enumerate() {
            let is_point = |place: Option<usize>| {
                let line = place.and_then(|place| lines.get(place));
                line.is_some_and(|line| line.trim().starts_with("reached("))
            };
            if line.contains(".commit()")
                && !(is_point(place.checked_sub(1)) && is_point(place.checked_add(1)))
            {
                found.push(format!("{}:{}", file.display(), place + 1));
            }
        }
    }
    found
}

/// Returns the functions that write and are called outside a transaction, without a crash point near the call.
#[cfg(test)]
fn lone_writes_without_points() -> std::collections::BTreeSet<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let of = |folder: &str| rust_files(&root.join(folder)).into_iter();
    // The text of a call, and the function's name. Functions of the store are called with their module.
    let store = root.join("shared/store/src");
    let written = |file: PathBuf| writing_functions(&fs::read_to_string(file).unwrap());
    let of_store = rust_files(&store).into_iter().flat_map(|file| {
        let module = file.strip_prefix(&store).unwrap().iter().next().unwrap();
        let module = Path::new(module).with_extension("").display().to_string();
        let call = move |name| (format!("tarsy_store::{module}::{name}("), name);
        written(file).into_iter().map(call)
    });
    let of_queue = of("shared/queue/src")
        .flat_map(written)
        .map(|name| (format!("tarsy_queue::{name}("), name));
    let writers: Vec<(String, String)> = of_store.chain(of_queue).collect();
    let mut found = std::collections::BTreeSet::new();
    let is_product = |file: &PathBuf| !file.ends_with("tests.rs");
    for file in SOURCES
        .iter()
        .flat_map(|(folder, _)| of(folder))
        .filter(is_product)
    {
        let source = fs::read_to_string(&file).unwrap();
        let product = source.split("#[cfg(test)]").next().unwrap_or_default();
        let lines: Vec<&str> = product.lines().collect();
        for (place, name) in lines.iter().enumerate().flat_map(|(place, line)| {
            let called = writers.iter().filter(|(call, _)| line.contains(call));
            called.map(move |(_, name)| (place, name))
        }) {
            let call = lines[place..lines.len().min(place + 2)].concat();
            // A connection passed as an argument is in the caller's transaction.
            let handed = call.contains("tx") || call.contains(&format!("{name}(conn"));
            let near = &lines[place.saturating_sub(8)..lines.len().min(place + 14)];
            if !handed && !near.iter().any(|line| line.contains("reached(")) {
                found.insert(name.clone());
            }
        }
    }
    found
}

/// Returns the names of the functions whose SQL changes rows.
#[cfg(test)]
fn writing_functions(source: &str) -> Vec<String> {
    let functions = source.split("async fn ").skip(1);
    let writing = functions.filter(|text| {
        let body = text.split("\n}\n").next().unwrap_or_default();
        ["insert into ", "update ", "delete from "]
            .iter()
            .any(|word| body.contains(word))
    });
    let names = writing.filter_map(|text| text.split(['(', '<']).next());
    names.map(str::to_owned).collect()
}

fn is_name(text: &str) -> bool {
    let is_word =
        |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase() || b == b'_');
    text.contains('.') && text.split('.').all(is_word)
}

/// Whether this is a point and not, for example, the name of an event: it is passed to `reached`, or is
/// one of a pair of points around a commit.
fn is_reached(name: &str, source: &str) -> bool {
    name.ends_with("_commit") || source.contains(&format!("reached(\"{name}\")"))
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files.sort();
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_distinguished_from_other_texts() {
        assert!(is_name("chain.start.before_commit"));
        for other in ["chain", "a sentence. Another", "v1.2", "x.", ""] {
            assert!(!is_name(other), "{other}");
        }
    }

    #[test]
    fn every_commit_is_between_two_points() {
        assert_eq!(commits_without_points(), [""; 0]);
    }

    #[test]
    fn every_lone_write_is_between_points() {
        assert_eq!(lone_writes_without_points(), [].into());
    }

    #[test]
    fn functions_that_write_are_distinguished_from_those_that_read() {
        let source = "pub async fn a(c: C) {\n    q(\"delete from t\")\n}\n\nasync fn b<E>(e: E) {\n    q(\"select 1\")\n}\n";
        assert_eq!(writing_functions(source), ["a"]);
    }

    #[test]
    fn the_sources_name_points_of_every_role() {
        let points = crash_points();
        for role in [Role::Ingest, Role::Chain, Role::Stage] {
            assert!(
                points.iter().any(|point| point.roles.contains(&role)),
                "{role:?}"
            );
        }
    }
}
