//! Runs clippy, and shares its results with other commands.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use crate::{shell, workspace};

/// Lints every target. Queries are checked against `.sqlx`.
pub(crate) fn clippy() -> Result<()> {
    shell::run(&mut clippy_command())
}

/// Returns the command that [`clippy`] runs.
pub(crate) fn clippy_command() -> Command {
    let mut clippy = workspace::cargo();
    clippy.args([
        "clippy",
        "--workspace",
        "--all-targets",
        "--",
        "-D",
        "warnings",
    ]);
    clippy
}

/// Builds the documentation of the workspace's crates, and fails on warnings.
pub(crate) fn documentation() -> Result<()> {
    let mut doc = workspace::cargo();
    share_with_clippy(&mut doc);
    shell::run(
        doc.env("RUSTDOCFLAGS", "-D warnings")
            .args(["doc", "--workspace", "--no-deps"]),
    )
}

/// Makes cargo reuse clippy's results for the workspace's crates, so that it does not check them again.
///
/// `cargo clippy` sets these variables for the same arguments. If they are wrong, cargo only checks the crates again.
fn share_with_clippy(cargo: &mut Command) {
    let driver = tool("clippy-driver");
    if driver.is_file() {
        cargo.env("RUSTC_WORKSPACE_WRAPPER", driver).env(
            "CLIPPY_ARGS",
            "-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__",
        );
    }
}

/// Returns a program of the same toolchain as cargo. If it is not next to cargo, it returns the bare name.
pub(crate) fn tool(name: &str) -> PathBuf {
    let sibling = PathBuf::from(workspace::cargo().get_program()).with_file_name(name);
    if sibling.is_file() {
        sibling
    } else {
        name.into()
    }
}
