//! Our MCP client against the official conformance suite.

use std::path::Path;
use std::process::Command;

use tarsy_testing::tools;

/// Scenarios of the suite `core` that must pass with every check.
const PLAYED: [&str; 5] = [
    "initialize",
    "tools_call",
    "elicitation-sep1034-client-defaults",
    "sse-retry",
    "auth/pre-registration",
];

/// Scenarios of the authorization code flow, with the checks that hold for the client credentials
/// grant too: metadata and authorization server are found, the server is called with a token. One of the
/// checks is passed once more by `server/discover`, which carries the token too.
const PARTLY: [(&str, u32); 9] = [
    ("auth/metadata-default", 7),
    ("auth/metadata-var1", 7),
    ("auth/metadata-var2", 7),
    ("auth/metadata-var3", 7),
    ("auth/basic-cimd", 7),
    ("auth/scope-from-scopes-supported", 7),
    ("auth/scope-omitted-when-undefined", 7),
    ("auth/token-endpoint-auth-basic", 10),
    ("auth/token-endpoint-auth-post", 10),
];

/// Scenarios outside of `core` that are about OAuth as a program without a user speaks it.
const OAUTH: [&str; 3] = [
    "auth/client-credentials-basic",
    "auth/client-credentials-jwt",
    // A server whose metadata names another resource than itself gets no token.
    "auth/resource-mismatch",
];

#[test]
fn the_client_passes_the_core_suite() {
    let not_played = Path::new(env!("CARGO_MANIFEST_DIR")).join("not-played.yaml");
    let output = play(
        &["--suite", "core", "--expected-failures"],
        Some(&not_played),
    );
    for scenario in PLAYED {
        let line = line_about(scenario, &output);
        assert!(line.contains(", 0 failed"), "{line}\n{output}");
        assert!(
            !line.contains(": 0 passed"),
            "nothing was checked: {line}\n{output}"
        );
    }
    for (scenario, passed) in PARTLY {
        let line = line_about(scenario, &output);
        assert!(line.contains(&format!(": {passed} passed,")), "{line}");
    }
}

/// `✓ tools_call: 1 passed, 0 failed`
fn line_about<'s>(scenario: &str, output: &'s str) -> &'s str {
    output
        .lines()
        .find(|line| line.contains(&format!(" {scenario}: ")))
        .unwrap_or_else(|| panic!("`{scenario}` was not run: {output}"))
}

#[test]
fn the_client_passes_what_applies_of_oauth() {
    for scenario in OAUTH {
        let output = play(&["--scenario", scenario], None);
        // `Passed: 3/3, 0 failed, 0 warnings`
        assert!(output.contains(", 0 failed"), "{scenario}: {output}");
        assert!(!output.contains("Passed: 0/"), "{scenario}: {output}");
    }
}

/// Run the suite with our client; what it said, unless it failed.
fn play(arguments: &[&str], file: Option<&Path>) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let suite = Command::new(tools::expect_node("node"))
        .arg(tools::expect_node("conformance"))
        .args(["client", "--command"])
        .arg(env!("CARGO_BIN_EXE_mcp-conformance-client"))
        .args(arguments)
        .args(file)
        .arg("--output-dir")
        .arg(folder.path())
        .env("NO_COLOR", "1")
        .output()
        .expect("the suite starts");
    let output = String::from_utf8_lossy(&suite.stdout) + String::from_utf8_lossy(&suite.stderr);
    assert!(suite.status.success(), "{arguments:?}: {output}");
    output.into_owned()
}
