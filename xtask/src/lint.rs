//! Clippy, and sharing its results with other commands.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use crate::{shell, workspace};

/// Lints every target. Queries are checked against `.sqlx`.
pub(crate) fn clippy() -> Result<()> {
    shell::run(&mut clippy_command())
}

/// The command of [`clippy`].
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

/// Builds the documentation of our crates and fails on warnings.
pub(crate) fn documentation() -> Result<()> {
    let mut doc = workspace::cargo();
    share_with_clippy(&mut doc);
    shell::run(
        doc.env("RUSTDOCFLAGS", "-D warnings")
            .args(["doc", "--workspace", "--no-deps"]),
    )
}

/// Makes cargo take our crates as clippy has checked them, instead of checking them once more.
///
/// These variables are what `cargo clippy` sets for the same arguments. Where they are wrong, cargo
/// checks the crates again, and nothing else is different.
fn share_with_clippy(cargo: &mut Command) {
    let driver = tool("clippy-driver");
    if driver.is_file() {
        cargo.env("RUSTC_WORKSPACE_WRAPPER", driver).env(
            "CLIPPY_ARGS",
            "-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__",
        );
    }
}

/// A program of the toolchain that cargo is of; where it isn't next to cargo, the one that is found by its name.
pub(crate) fn tool(name: &str) -> PathBuf {
    let beside = PathBuf::from(workspace::cargo().get_program()).with_file_name(name);
    if beside.is_file() {
        beside
    } else {
        name.into()
    }
}
