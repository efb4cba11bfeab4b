//! Room on the disk: a full one makes PostgreSQL crash, and every test behind it fail for no reason
//! that its message names.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Result, bail};

use crate::terminal;

/// GiB that a whole run takes on a fresh checkout: 11 were measured without incremental files (9.4 in the target
/// folder, 1 of dependencies), which are half as much again.
const FIRST_RUN: u64 = 16;

/// GiB below which no part of a run is begun.
const LEAST: u64 = 2;

/// Say so when a run that starts from nothing may not fit.
pub(crate) fn warn_if_short(folder: &Path) {
    let built = folder.join("debug").is_dir();
    if let Some(free) = free_gib(folder).filter(|free| *free < FIRST_RUN && !built) {
        terminal::say(&format!(
            "{free} GiB are free for {}; a first run takes about {FIRST_RUN}",
            folder.display()
        ));
    }
}

/// Refuse to go on where the next thing to fail would be somebody else's write.
pub(crate) fn require(folder: &Path) -> Result<()> {
    match free_gib(folder) {
        Some(free) if free < LEAST => bail!(
            "only {free} GiB are free for {}: make room (at least {LEAST} GiB, {FIRST_RUN} for a \
             first run), or name another place in CARGO_TARGET_DIR",
            folder.display()
        ),
        // Where `df` cannot tell, the run finds out.
        _ => Ok(()),
    }
}

/// What `df` says of the file system that holds the folder, or its nearest parent that exists.
fn free_gib(folder: &Path) -> Option<u64> {
    let existing = folder.ancestors().find(|path| path.is_dir())?;
    let said = Command::new("df")
        .args(["-P", "-k"])
        .arg(existing)
        .stdin(Stdio::null())
        .output()
        .ok()?;
    parse(&String::from_utf8_lossy(&said.stdout))
}

/// The fourth column of the last line of `df -P -k`, in GiB.
fn parse(said: &str) -> Option<u64> {
    let available: u64 = said
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
    fn reads_what_df_says() {
        let said = "Filesystem 1024-blocks Used Available Capacity Mounted on\n\
                    /dev/vda 263174212 52428800 42991616 55% /\n";
        assert_eq!(parse(said), Some(41));
        assert_eq!(parse("df: nothing: No such file or directory\n"), None);
        assert!(free_gib(Path::new("/nowhere/at/all")).is_some());
    }
}
