//! `tarsy servers`: what it lists, adds and checks, with real servers from npm and `PyPI`.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};
use tarsy_testing::tools::{expect_node, expect_python};

/// A configuration whose comments and line layout must stay.
const CONFIG: &str = "\
# What the fleet knows.
mcp_servers:
  # Dashboards of the shop.
  metrics: {preset: grafana, url: \"${GRAFANA_URL}\", token: \"${GRAFANA_TOKEN}\"}  # kept
  logs:
    connection_params: {url: https://logs.example.com/mcp}

agents: {}
";

/// A kubeconfig whose cluster does not exist. Listing tools needs none.
const KUBECONFIG: &str = "apiVersion: v1\nkind: Config\ncurrent-context: none\nclusters: [{name: none, cluster: {server: \"http://127.0.0.1:9\"}}]\nusers: [{name: none, user: {}}]\ncontexts: [{name: none, context: {cluster: none, user: none}}]\n";

/// Runs `tarsy servers` with this configuration file and only these variables.
fn servers(arguments: &[&str], file: &Path, env: &[(&str, &str)]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tarsy"))
        .arg("servers")
        .args(arguments)
        .arg("--config")
        .arg(file)
        .env_clear()
        .envs(env.iter().copied())
        .output()
        .expect("tarsy starts")
}

/// Creates a folder with the configuration file.
fn folder() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("agents.yaml");
    std::fs::write(&file, CONFIG).expect("the configuration");
    (folder, file)
}

fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn parsed(output: &Output) -> Value {
    serde_json::from_str(&out(output)).unwrap_or_else(|_| panic!("no JSON: {output:?}"))
}

#[test]
fn presets_and_servers_are_listed() {
    let (_folder, file) = folder();
    let listed = servers(&["list"], &file, &[]);
    assert!(listed.status.success(), "{listed:?}");
    insta::assert_snapshot!(out(&listed));
    let listed = parsed(&servers(&["list", "--json"], &file, &[]));
    let servers = listed["servers"].as_array().expect("servers");
    let metrics = servers
        .iter()
        .find(|server| server["server_id"] == "metrics")
        .expect("one");
    assert_eq!(metrics["preset"], "grafana");
    let grafana = listed["presets"]
        .as_array()
        .expect("presets")
        .iter()
        .find(|preset| preset["name"] == "grafana");
    assert_eq!(grafana.expect("one")["package"]["version"], "2.1.1");
}

#[test]
fn a_preset_is_added_and_every_other_line_stays() {
    let (_folder, file) = folder();
    let printed = servers(&["add", "gitlab"], &file, &[]);
    assert!(printed.status.success(), "{printed:?}");
    assert!(out(&printed).starts_with("mcp_servers:\n  gitlab:\n    preset: gitlab\n    token: \"${GITLAB_PERSONAL_ACCESS_TOKEN}\""));
    assert!(
        err(&printed).contains("GITLAB_API_URL (optional): address"),
        "{printed:?}"
    );
    assert_eq!(
        std::fs::read_to_string(&file).expect("it"),
        CONFIG,
        "nothing is written"
    );

    let written = servers(&["add", "gitlab", "--as", "code", "--write"], &file, &[]);
    assert!(written.status.success(), "{written:?}");
    let text = std::fs::read_to_string(&file).expect("it");
    let kept: Vec<&str> = CONFIG
        .lines()
        .filter(|line| !text.lines().any(|other| other == *line))
        .collect();
    assert!(kept.is_empty(), "{text}");
    assert!(
        text.contains("mcp_servers:\n  code:\n    preset: gitlab\n"),
        "{text}"
    );

    for (arguments, expected) in [
        (
            &["add", "gitlab", "--as", "code"][..],
            "server `code` exists",
        ),
        (&["add", "gitlb"], "did you mean `gitlab`?"),
        (
            &["add", "gitlab", "--as", "a b"],
            "invalid server name `a b`",
        ),
        (&["check", "grafna"], "did you mean `grafana`?"),
        (&["check", "logs"], "has no preset"),
        (
            &["check", "metrics"],
            "environment variable `GRAFANA_TOKEN` is not set",
        ),
        (
            &["check", "argocd"],
            "environment variable `ARGOCD_API_TOKEN` is not set",
        ),
    ] {
        let refused = servers(
            arguments,
            &file,
            &[("GRAFANA_URL", "http://g"), ("ARGOCD_BASE_URL", "http://a")],
        );
        assert!(
            !refused.status.success() && err(&refused).contains(expected),
            "{arguments:?}: {refused:?}"
        );
    }
}

#[test]
fn a_server_that_can_not_be_started_reports_what_to_install() {
    let (folder, file) = folder();
    let path = folder.path().display().to_string();
    let env = [
        ("PATH", path.as_str()),
        ("GITHUB_PERSONAL_ACCESS_TOKEN", "canary-token"),
    ];
    let checked = servers(&["check", "github", "--json"], &file, &env);
    let report = parsed(&checked);
    assert!(!checked.status.success(), "{report}");
    assert!(
        report["error"]
            .as_str()
            .is_some_and(|text| text.contains("npx")),
        "{report}"
    );
    assert!(
        report["fix"]
            .as_str()
            .is_some_and(|text| text.contains("Install Node.js")),
        "{report}"
    );
    assert!(!out(&checked).contains("canary"), "{report}");
}

/// Checks that a preset's server lists the tools that the preset offers, when started from a folder of programs.
fn lists_its_tools(preset: &str, programs: &Path, env: &[(&str, &str)]) -> Value {
    let (_folder, file) = folder();
    let inherited = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{inherited}", programs.display());
    let env: Vec<_> = env
        .iter()
        .copied()
        .chain([("PATH", path.as_str())])
        .collect();
    let checked = servers(&["check", preset, "--json"], &file, &env);
    let report = parsed(&checked);
    assert!(checked.status.success(), "{report} {}", err(&checked));
    for empty in ["missing", "unknown", "effects"] {
        assert_eq!(report[empty], json!([]), "{report}");
    }
    report
}

#[test]
fn a_real_server_of_npm_is_started_through_its_preset() {
    let folder = tempfile::tempdir().expect("a folder");
    let kubeconfig = folder.path().join("kubeconfig.yaml");
    std::fs::write(&kubeconfig, KUBECONFIG).expect("it");
    let program = expect_node("kubernetes-mcp-server");
    let kubeconfig = kubeconfig.display().to_string();
    let programs = program.parent().expect("a folder");
    let report = lists_its_tools("kubernetes", programs, &[("KUBECONFIG", &kubeconfig)]);
    assert!(
        report["started"]
            .as_str()
            .is_some_and(|text| text.starts_with("kubernetes-mcp-server --read-only")),
        "{report}"
    );
    assert_eq!(report["listed"], 14, "{report}");
}

#[test]
fn a_real_server_of_pypi_is_started_through_its_preset() {
    let python = expect_python("tool-servers");
    let env = [
        ("GRAFANA_URL", "http://127.0.0.1:9"),
        ("GRAFANA_SERVICE_ACCOUNT_TOKEN", "canary-token"),
    ];
    let report = lists_its_tools("grafana", python.parent().expect("a folder"), &env);
    assert_eq!(report["listed"], 62, "{report}");
    let offered = report["offered"].as_array().expect("names");
    assert!(
        offered.contains(&json!("query_prometheus")) && !report.to_string().contains("canary"),
        "{report}"
    );
}
