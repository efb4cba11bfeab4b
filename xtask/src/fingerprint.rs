//! Detects changed files.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::UNIX_EPOCH;

use anyhow::{Context, Result};

/// Computes a fingerprint of files from their names, sizes and modification times.
pub(crate) fn compute(root: &Path, paths: &[&str]) -> Result<String> {
    let mut found = BTreeMap::new();
    for path in paths {
        collect(&root.join(path), &mut found)?;
    }
    Ok(found
        .into_iter()
        .map(|(file, state)| format!("{file} {state}\n"))
        .collect())
}

fn collect(path: &Path, found: &mut BTreeMap<String, String>) -> Result<()> {
    let unreadable = || format!("cannot read {}", path.display());
    let meta = fs::metadata(path).with_context(unreadable)?;
    if meta.is_dir() {
        for entry in fs::read_dir(path).with_context(unreadable)? {
            collect(&entry?.path(), found)?;
        }
        return Ok(());
    }
    let changed = meta
        .modified()?
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    found.insert(
        path.display().to_string(),
        format!("{} {}", meta.len(), changed.as_micros()),
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_file_changes_the_fingerprint() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("ui/src")).unwrap();
        fs::write(root.path().join("package.json"), "one").unwrap();
        let now = || compute(root.path(), &["ui", "package.json"]).unwrap();
        let before = now();
        assert_eq!(before, now());
        fs::write(root.path().join("ui/src/new.ts"), "").unwrap();
        assert_ne!(before, now());
    }
}
