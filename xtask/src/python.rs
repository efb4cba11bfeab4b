//! Finds the Python interpreter.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// Makes a command and its child processes find the interpreter before the shim of a version manager.
///
/// A shim is a shell script that takes three times as long as the interpreter takes to start. Each fleet of the tests
/// starts several interpreters.
pub(crate) fn before_its_shim(command: &mut Command) -> &mut Command {
    static PATH: OnceLock<Option<OsString>> = OnceLock::new();
    let path = PATH.get_or_init(|| {
        let inherited = env::var_os("PATH").unwrap_or_default();
        with_first(interpreter()?.parent()?, &inherited)
    });
    match path {
        Some(path) => command.env("PATH", path),
        None => command,
    }
}

/// Returns the interpreter that `python3` finally runs, if there is one.
fn interpreter() -> Option<PathBuf> {
    let mut python = Command::new("python3");
    let output = python.args(["-c", "import sys; print(sys.executable)"]);
    let output = output.output().ok()?;
    let path = String::from_utf8(output.stdout).ok()?;
    output
        .status
        .success()
        .then(|| PathBuf::from(path.trim_end()))
}

/// Returns `path` with `folder` in front, unless `python3` is found in `folder` anyway.
fn with_first(folder: &Path, path: &OsStr) -> Option<OsString> {
    let folders: Vec<PathBuf> = env::split_paths(path).collect();
    let found = folders
        .iter()
        .find(|folder| folder.join("python3").is_file())?;
    if found == folder {
        return None;
    }
    env::join_paths(std::iter::once(folder.to_owned()).chain(folders)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shim_is_bypassed() -> anyhow::Result<()> {
        let (shims, own) = (tempfile::tempdir()?, tempfile::tempdir()?);
        std::fs::write(shims.path().join("python3"), "")?;
        std::fs::write(own.path().join("python3"), "")?;
        let path = env::join_paths([shims.path(), Path::new("/bin")])?;
        let expected = env::join_paths([own.path(), shims.path(), Path::new("/bin")])?;
        assert_eq!(with_first(own.path(), &path), Some(expected));
        assert_eq!(with_first(shims.path(), &path), None);
        Ok(())
    }
}
