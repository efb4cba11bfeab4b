//! Checks that the files of this crate use each other in one direction only: no two files use each other, directly or
//! indirectly.
#![expect(clippy::panic, clippy::unwrap_used, reason = "a test")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// Collects every module by its path from the root, with the text of its file without comments and tests.
fn modules(folder: &Path, path: &str, found: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let file = entry.unwrap().path();
        let stem = file.file_stem().unwrap().to_string_lossy().into_owned();
        let inner = match (path, stem.as_str()) {
            (_, "mod" | "lib") => path.to_owned(),
            ("", name) => name.to_owned(),
            (_, name) => format!("{path}::{name}"),
        };
        if file.is_dir() {
            modules(&file, &inner, found);
        } else if file.extension().is_some_and(|e| e == "rs") {
            let text = fs::read_to_string(&file).unwrap();
            let code = text.split("#[cfg(test)]\nmod tests").next().unwrap();
            let lines = code.lines().filter(|l| !l.trim_start().starts_with("//"));
            found.insert(inner, lines.collect::<Vec<_>>().join("\n"));
        }
    }
}

/// Returns the modules that `path` names after `crate::`; `find::{a, b::C}` names two.
fn named(path: &str, modules: &BTreeMap<String, String>) -> Vec<String> {
    let end = path.find(|c: char| !c.is_alphanumeric() && !"_:".contains(c));
    let stem = path.get(..end.unwrap_or(path.len())).unwrap_or_default();
    let deepest = |path: &str| {
        let mut path = path.trim_end_matches(':');
        while !modules.contains_key(path) {
            path = path.rsplit_once("::").map_or("", |(head, _)| head);
        }
        path.to_owned()
    };
    let group = end.and_then(|end| path.get(end..)?.strip_prefix('{')?.split_once('}'));
    match group {
        Some((items, _)) => items
            .split(',')
            .map(|item| deepest(&format!("{stem}{}", item.trim())))
            .collect(),
        None => vec![deepest(stem)],
    }
}

fn edges(modules: &BTreeMap<String, String>) -> BTreeMap<String, BTreeSet<String>> {
    let mut edges = BTreeMap::new();
    for (module, code) in modules {
        let mut used: BTreeSet<String> = BTreeSet::new();
        for piece in code.split("crate::").skip(1) {
            used.extend(named(piece, modules));
        }
        for declared in code.split("mod ").skip(1) {
            if let Some((name, _)) = declared.split_once(';') {
                used.insert(
                    format!("{module}::{name}")
                        .trim_start_matches(':')
                        .to_owned(),
                );
            }
        }
        if code.contains("super::") {
            used.insert(
                module
                    .rsplit_once("::")
                    .map_or("", |(outer, _)| outer)
                    .to_owned(),
            );
        }
        used.remove(module);
        used.retain(|name| modules.contains_key(name));
        edges.insert(module.clone(), used);
    }
    edges
}

#[test]
fn no_file_is_used_by_what_it_uses() {
    let mut found = BTreeMap::new();
    modules(
        Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src")),
        "",
        &mut found,
    );
    let mut left = edges(&found);
    assert!(left.values().map(BTreeSet::len).sum::<usize>() > 150);
    // Remove modules that use none of the remaining ones until none is left.
    while !left.is_empty() {
        let free: Vec<String> = left
            .iter()
            .filter(|(_, used)| used.iter().all(|name| !left.contains_key(name)))
            .map(|(name, _)| name.clone())
            .collect();
        if free.is_empty() {
            panic!("a ring among {left:#?}");
        }
        left.retain(|name, _| !free.contains(name));
    }
}
