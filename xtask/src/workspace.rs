//! Paths in the workspace.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Returns the workspace's root folder.
pub(crate) fn root() -> PathBuf {
    tarsy_testing::tools::workspace()
}

/// Returns the npm workspace of the web apps.
pub(crate) fn web() -> PathBuf {
    root().join("web")
}

pub(crate) fn target() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(folder) => root().join(folder),
        None => root().join("target"),
    }
}

/// Returns the folder of tools that are installed for this checkout.
pub(crate) fn tools() -> PathBuf {
    target().join("tools")
}

/// Returns a program of this workspace, built with this profile ("debug", "release").
pub(crate) fn binary(profile: &str, name: &str) -> PathBuf {
    target().join(profile).join(name)
}

/// Returns a cargo command in the workspace's root, without the variables that cargo set for this program.
pub(crate) fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    let inherited = std::env::vars_os()
        .map(|(name, _)| name)
        .filter(|name| name.as_encoded_bytes().starts_with(b"CARGO_PKG_"));
    for name in inherited.chain(["CARGO_MANIFEST_DIR".into(), "CARGO_MANIFEST_PATH".into()]) {
        command.env_remove(name);
    }
    command
}

/// Returns the path relative to the workspace's root.
pub(crate) fn shown(path: &Path) -> String {
    path.strip_prefix(root())
        .unwrap_or(path)
        .display()
        .to_string()
}
