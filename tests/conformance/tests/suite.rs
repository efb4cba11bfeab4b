//! Our MCP client against the official conformance suite.

use std::path::Path;
use std::process::Command;

use tarsy_testing::tools;

/// Scenarios that must pass with every check.
const PLAYED: [&str; 4] = [
    "initialize",
    "tools_call",
    "elicitation-sep1034-client-defaults",
    "sse-retry",
];

#[test]
fn the_client_passes_the_core_suite() {
    let folder = tempfile::tempdir().expect("a folder");
    let suite = Command::new(tools::expect_node("node"))
        .arg(tools::expect_node("conformance"))
        .args([
            "client",
            "--suite",
            "core",
            "--command",
            env!("CARGO_BIN_EXE_mcp-conformance-client"),
        ])
        .arg("--expected-failures")
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("not-played.yaml"))
        .arg("--output-dir")
        .arg(folder.path())
        .env("NO_COLOR", "1")
        .output()
        .expect("the suite starts");
    let said = String::from_utf8_lossy(&suite.stdout) + String::from_utf8_lossy(&suite.stderr);
    assert!(suite.status.success(), "{said}");

    for scenario in PLAYED {
        // `✓ tools_call: 1 passed, 0 failed`
        let line = said
            .lines()
            .find(|line| line.contains(&format!(" {scenario}: ")));
        let line = line.unwrap_or_else(|| panic!("`{scenario}` was not run: {said}"));
        assert!(line.contains(", 0 failed"), "{line}\n{said}");
        assert!(
            !line.contains(": 0 passed"),
            "nothing was checked: {line}\n{said}"
        );
    }
}
