//! Checks the format of Rust sources.

use anyhow::{Context as _, Result};

use crate::{shell, workspace};

/// Fails if rustfmt would change anything.
pub(crate) fn check() -> Result<()> {
    shell::run(workspace::cargo().args(["fmt", "--all", "--check"]))
        .context("run `cargo fmt --all`")
}
