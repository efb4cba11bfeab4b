//! `cargo build` and `cargo test` share what they build: a crate that one of them builds with fewer
//! features is built twice, with all that depend on it.

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

/// Crates with their versions and features.
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
