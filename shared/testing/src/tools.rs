//! Finds programs and files that `cargo xtask setup` installs for tests. Never installs them.

use std::path::{Path, PathBuf};

/// Folder of the Node packages that tests run, relative to the workspace's root.
pub const NODE: &str = "tests/node";

/// Folder of the model all-MiniLM-L6-v2, relative to the workspace's root.
pub const MINILM: &str = "target/tools/all-MiniLM-L6-v2";

/// Returns the workspace's root folder.
#[must_use]
pub fn workspace() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here).to_owned()
}

/// Finds a program in `PATH`.
#[must_use]
pub fn find(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .map(|folder| folder.join(program))
        .find(|file| file.is_file())
}

/// Returns the folder of all-MiniLM-L6-v2, if it was downloaded.
#[must_use]
pub fn minilm() -> Option<PathBuf> {
    let folder = workspace().join(MINILM);
    folder.join("model.safetensors").is_file().then_some(folder)
}

/// Finds a program that a test needs, e.g. `prometheus-alertmanager`.
///
/// # Panics
///
/// When it is missing. The message explains how to get it.
#[must_use]
pub fn expect(program: &str) -> PathBuf {
    find(program).unwrap_or_else(|| {
        panic!("`{program}` is missing: run `cargo xtask setup`, or install it with your package manager")
    })
}

/// Returns the interpreter of a Python environment below `target/tools`.
///
/// # Panics
///
/// When it is missing. The message explains how to get it.
#[must_use]
pub fn expect_python(environment: &str) -> PathBuf {
    let file = workspace()
        .join("target/tools")
        .join(environment)
        .join("bin/python");
    assert!(
        file.exists(),
        "{} is missing: run `cargo xtask setup`",
        file.display()
    );
    file
}

/// Returns the path of a command from a pinned Node package, e.g. `mcp-server-everything`.
///
/// # Panics
///
/// When it is missing. The message explains how to get it.
#[must_use]
pub fn expect_node(command: &str) -> PathBuf {
    let file = workspace()
        .join(NODE)
        .join("node_modules/.bin")
        .join(command);
    assert!(
        file.exists(),
        "{} is missing: run `cargo xtask setup`",
        file.display()
    );
    file
}
