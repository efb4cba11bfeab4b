//! The crates of the workspace and their sources.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// A crate of the workspace.
pub(super) struct Member {
    pub(super) name: String,
    pub(super) manifest: PathBuf,
    pub(super) uses: Vec<Dependency>,
    pub(super) targets: Vec<Target>,
}

/// A library, program or test of a crate.
pub(super) struct Target {
    pub(super) kind: String,
    pub(super) source: PathBuf,
    /// Whether cargo runs its unit tests.
    pub(super) test: bool,
    /// Whether cargo runs the examples of its documentation.
    pub(super) doctest: bool,
}

/// A dependency of a crate.
pub(super) struct Dependency {
    pub(super) name: String,
    pub(super) ours: bool,
    pub(super) dev: bool,
}

/// The crates of the workspace, by `cargo metadata`.
pub(super) fn members() -> Vec<Member> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let output = Command::new(env!("CARGO"))
        .args([
            "metadata",
            "--format-version=1",
            "--no-deps",
            "--offline",
            "--locked",
        ])
        .current_dir(root)
        .output()
        .expect("cargo metadata runs");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let metadata: Value =
        serde_json::from_slice(&output.stdout).expect("cargo metadata prints JSON");
    let packages = metadata["packages"].as_array().expect("a list of packages");
    packages.iter().map(member).collect()
}

fn member(package: &Value) -> Member {
    let dependencies = package["dependencies"].as_array().into_iter().flatten();
    let targets = package["targets"].as_array().into_iter().flatten();
    Member {
        name: text(&package["name"]),
        manifest: text(&package["manifest_path"]).into(),
        uses: dependencies
            .map(|dependency| Dependency {
                name: text(&dependency["name"]),
                ours: dependency["path"].is_string(),
                dev: dependency["kind"] == "dev",
            })
            .collect(),
        targets: targets
            .map(|target| Target {
                kind: text(&target["kind"][0]),
                source: text(&target["src_path"]).into(),
                test: target["test"] == true,
                doctest: target["doctest"] == true,
            })
            .collect(),
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// Rust sources below a folder.
pub(super) fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    entries
        .flatten()
        .flat_map(|entry| {
            let path = entry.path();
            if path.is_dir() {
                rust_files(&path)
            } else {
                Vec::from_iter(
                    path.extension()
                        .is_some_and(|name| name == "rs")
                        .then_some(path),
                )
            }
        })
        .collect()
}
