//! Installs PostgreSQL from Debian's package, as root.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::Report;
use super::account::Account;
use crate::command::run;
use crate::{Error, Result};

/// Configuration that Debian's package reads before it creates the system's own cluster.
const DROP_IN: &str = "/etc/postgresql-common/createcluster.d/tarsy.conf";

/// Installs the package without a cluster for the system, and returns its folder of binaries.
pub(super) fn install(_tools: &Path, report: Report<'_>) -> Result<PathBuf> {
    if Account::choose() == Account::Own {
        return Err(Error::Spawn {
            command: "apt-get install postgresql".into(),
            source: std::io::Error::new(std::io::ErrorKind::PermissionDenied, "needs root"),
        });
    }
    report("installing Debian's PostgreSQL package");
    let drop_in = Path::new(DROP_IN);
    let folder = drop_in.parent().unwrap_or(drop_in);
    fs::create_dir_all(folder).map_err(Error::io("create", folder))?;
    fs::write(drop_in, "create_main_cluster = false\n").map_err(Error::io("write", drop_in))?;
    run(apt().arg("update"))?;
    run(apt().args(["install", "--yes", "--no-install-recommends", "postgresql"]))?;

    let root = Path::new("/usr/lib/postgresql");
    let newest = fs::read_dir(root)
        .map_err(Error::io("list", root))?
        .flatten()
        .map(|version| version.path().join("bin"))
        .filter(|bin| bin.join("initdb").is_file())
        .max();
    newest.ok_or_else(|| {
        Error::io("find a server in", root)(std::io::Error::from(std::io::ErrorKind::NotFound))
    })
}

fn apt() -> Command {
    let mut command = Command::new("apt-get");
    command
        .env("DEBIAN_FRONTEND", "noninteractive")
        .arg("--quiet");
    command
}
