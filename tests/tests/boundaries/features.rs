//! Tests that `cargo build` and `cargo test` share their builds. If one of them builds a crate with fewer
//! features, that crate and all its dependents are built twice.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

#[test]
fn programs_are_built_of_the_same_crates_as_tests() {
    let tested = built(&["--workspace", "--edges=normal,build,dev"]);
    let shipped = built(&["--edges=normal,build"]);
    let twice: Vec<_> = shipped.difference(&tested).collect();
    assert!(
        twice.is_empty(),
        "tests turn more features on than programs: set these in the root's Cargo.toml, too: {twice:#?}"
    );
}

/// Returns the crates of a build, with their versions and features.
fn built(selection: &[&str]) -> BTreeSet<String> {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--offline", "--locked", "--prefix=none"])
        .args(["--format={p} {f}"])
        .args(selection)
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(".."))
        .output()
        .expect("cargo tree runs");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let text = String::from_utf8_lossy(&output.stdout);
    let lines = text.lines().map(|line| line.trim_end_matches(" (*)"));
    lines
        .filter(|line| !line.is_empty())
        .map(str::to_owned)
        .collect()
}
