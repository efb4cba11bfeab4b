//! Whether the built apps are older than their sources.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::UNIX_EPOCH;

use anyhow::{Context, Result};

/// What the build reads, beside the folders' own configuration files.
const FOLDERS: [&str; 5] = [
    "ui/src",
    "dashboard/src",
    "dashboard/public",
    "alert-dev-ui/src",
    "alert-dev-ui/public",
];
const FILES: [&str; 4] = [
    "package-lock.json",
    "ui/vite-app.js",
    "dashboard/index.html",
    "alert-dev-ui/index.html",
];

/// A text that changes when any source does: each file's name, size and time of change.
pub(super) fn fingerprint(root: &Path) -> Result<String> {
    let mut found = BTreeMap::new();
    for file in FILES {
        note(&root.join(file), &mut found)?;
    }
    for folder in FOLDERS {
        walk(&root.join(folder), &mut found)?;
    }
    Ok(found
        .into_iter()
        .map(|(file, state)| format!("{file} {state}\n"))
        .collect())
}

fn walk(folder: &Path, found: &mut BTreeMap<String, String>) -> Result<()> {
    let entries =
        fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    for entry in entries {
        let path = entry?.path();
        if path.is_dir() {
            walk(&path, found)?;
        } else {
            note(&path, found)?;
        }
    }
    Ok(())
}

fn note(file: &Path, found: &mut BTreeMap<String, String>) -> Result<()> {
    let meta = fs::metadata(file).with_context(|| format!("cannot read {}", file.display()))?;
    let changed = meta
        .modified()?
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    found.insert(
        file.display().to_string(),
        format!("{} {}", meta.len(), changed.as_micros()),
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_source_changes_the_fingerprint() {
        let root = tempfile::tempdir().unwrap();
        for folder in FOLDERS {
            fs::create_dir_all(root.path().join(folder)).unwrap();
        }
        for file in FILES {
            fs::write(root.path().join(file), "one").unwrap();
        }
        let before = fingerprint(root.path()).unwrap();
        assert_eq!(before, fingerprint(root.path()).unwrap());
        fs::write(root.path().join("ui/src/new.ts"), "").unwrap();
        assert_ne!(before, fingerprint(root.path()).unwrap());
    }
}
