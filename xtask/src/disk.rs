//! Checks for free disk space. PostgreSQL crashes on a full disk, and tests then fail with misleading errors.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Result, bail};

use crate::terminal;

/// Space in GiB for a complete run on a fresh checkout. 11 were measured without incremental files: 9.4 in the target
/// folder, 1 of dependencies. Incremental files add half as much again.
const FIRST_RUN: u64 = 16;

/// Free space in GiB below which no phase is started.
const LEAST: u64 = 2;

/// Warns if there is little space for a first run.
pub(crate) fn warn_if_short(folder: &Path) {
    let built = folder.join("debug").is_dir();
    if let Some(free) = free_gib(folder).filter(|free| *free < FIRST_RUN && !built) {
        terminal::info(&format!(
            "{free} GiB are free for {}; a first run takes about {FIRST_RUN}",
            folder.display()
        ));
    }
}

/// Fails if there is too little space for the next phase.
pub(crate) fn require(folder: &Path) -> Result<()> {
    match free_gib(folder) {
        Some(free) if free < LEAST => bail!(
            "only {free} GiB are free for {}: make room (at least {LEAST} GiB, {FIRST_RUN} for a \
             first run), or name another place in CARGO_TARGET_DIR",
            folder.display()
        ),
        // If `df` is missing, a full disk shows only during the run.
        _ => Ok(()),
    }
}

/// Returns the free space, reported by `df`, of the file system with the folder or its nearest existing parent.
fn free_gib(folder: &Path) -> Option<u64> {
    let existing = folder.ancestors().find(|path| path.is_dir())?;
    let output = Command::new("df")
        .args(["-P", "-k"])
        .arg(existing)
        .stdin(Stdio::null())
        .output()
        .ok()?;
    parse(&String::from_utf8_lossy(&output.stdout))
}

/// Parses the fourth column of the last line of `df -P -k`, and converts it to GiB.
fn parse(output: &str) -> Option<u64> {
    let available: u64 = output
        .lines()
        .last()?
        .split_whitespace()
        .nth(3)?
        .parse()
        .ok()?;
    Some(available / (1024 * 1024))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_the_output_of_df() {
        let output = "Filesystem 1024-blocks Used Available Capacity Mounted on\n\
                    /dev/vda 263174212 52428800 42991616 55% /\n";
        assert_eq!(parse(output), Some(41));
        assert_eq!(parse("df: nothing: No such file or directory\n"), None);
        assert!(free_gib(Path::new("/nowhere/at/all")).is_some());
    }
}
