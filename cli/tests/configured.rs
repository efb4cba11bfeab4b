//! Commands of `tarsy` that use a configuration, as a user sees their output.

#[path = "configured/servers.rs"]
mod servers;

use std::io::Write as _;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

const CONFIG: &str = r#"
mcp_servers:
  gone:
    connection_params: {command: no-such-program-of-ours}
agents:
  collector:
    iteration_strategy: react-tools
    mcp_servers: [gone]
  analyst:
    description: Thinks
    limits: {max_iterations: 2, min_iterations_for_data_points: 1, conclusion_reserve: 10s, page_chars: 4000}
agent_chains:
  disk-chain:
    alert_types: [DiskFull]
    stages:
      - {name: think, agent: analyst}
      - {name: report, agent: "ConfigurableAgent:analyst", iteration_strategy: react-final-analysis, llm_provider: dear}
  gone-chain:
    alert_types: [Gone]
    stages: [{name: collect, agent: collector}]
llm_providers:
  cheap: {type: openai, model: small, api_key_env: CHEAP_KEY, max_tokens: 1000, fallbacks: [dear],
          price: {input_per_million: 1, output_per_million: 2}}
  dear: {type: openai, model: big, api_key_env: CHEAP_KEY, max_tokens: 1000,
         price: {input_per_million: 100, output_per_million: 200}}
default_llm_provider: cheap
"#;

/// Runs `tarsy` with the configuration, and an alert on its standard input.
fn tarsy(arguments: &[&str], alert: &str) -> Output {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("agents.yaml");
    std::fs::write(&file, CONFIG).expect("the configuration");
    let mut child = Command::new(env!("CARGO_BIN_EXE_tarsy"))
        .args(arguments)
        .arg("--config")
        .arg(&file)
        .env_clear()
        .envs([("PATH", std::env::var("PATH").unwrap_or_default())])
        .env("CHEAP_KEY", "canary-key")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("tarsy starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    // A command that needs no alert may end before the alert is written.
    stdin.write_all(alert.as_bytes()).ok();
    drop(stdin);
    let output = child.wait_with_output().expect("tarsy ends");
    let printed = [&output.stdout[..], &output.stderr].concat();
    assert!(
        !String::from_utf8_lossy(&printed).contains("canary-key"),
        "a key was shown"
    );
    output
}

fn json(output: &Output) -> Value {
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(&text)
        .unwrap_or_else(|_| panic!("no JSON: {text}{}", String::from_utf8_lossy(&output.stderr)))
}

#[test]
fn agents_and_chains_are_resolved() {
    let agents = json(&tarsy(&["agents", "--json"], ""));
    let analyst = agents
        .as_array()
        .unwrap()
        .iter()
        .find(|a| a["name"] == "analyst")
        .unwrap();
    assert_eq!(analyst["strategy"], "react");
    assert_eq!(
        analyst["stages"]["disk-chain"],
        serde_json::json!(["think", "report"])
    );

    let chains = json(&tarsy(&["chains", "--json"], ""));
    let chain = chains
        .as_array()
        .unwrap()
        .iter()
        .find(|c| c["chain_id"] == "disk-chain")
        .unwrap();
    let providers = |stage: usize| -> Vec<&str> {
        let listed = chain["stages"][stage]["providers"]
            .as_array()
            .unwrap()
            .iter();
        listed
            .map(|provider| provider["name"].as_str().unwrap())
            .collect()
    };
    assert_eq!(providers(0), ["cheap", "dear"]);
    assert_eq!(providers(1), ["dear"]);
    assert_eq!(chain["stages"][1]["strategy"], "react-final-analysis");
}

#[test]
fn a_dry_run_bounds_the_cost_of_every_stage() {
    let alert = r#"{"alert_type": "DiskFull", "runbook": "local:none", "data": {"disk": "sda"}}"#;
    let output = tarsy(&["submit", "-", "--dry-run", "--json"], alert);
    let plan = json(&output);
    assert!(output.status.success(), "{plan}");
    assert_eq!(plan["chain_id"], "disk-chain");
    assert!(plan["runbook"]["error"].is_string(), "{plan}");

    let think = &plan["stages"][0];
    let prompt = think["tokens"]["least"]["input"].as_f64().unwrap();
    assert!(prompt > 100.0, "the prompt itself is counted: {think}");
    // Two iterations and a conclusion, each of at most 1,000 tokens.
    assert_eq!(think["tokens"]["most"]["output"], 3_000);
    let least = think["usd"]["least"].as_f64().unwrap();
    assert!(
        (least - prompt / 1e6).abs() < 1e-9,
        "at the first provider's price"
    );
    let most = (prompt * 3.0 + 3_000.0) * 100.0 / 1e6 + 3_000.0 * 200.0 / 1e6;
    assert!(
        (think["usd"]["most"].as_f64().unwrap() - most).abs() < 1e-9,
        "at the fallback's price: {think}"
    );
    let total = plan["estimated_usd"]["most"].as_f64().unwrap();
    assert!(total > most, "stages add up");
}

#[test]
fn a_dry_run_is_about_the_alert_that_would_be_accepted() {
    let dry_run = |alert: &str| tarsy(&["submit", "-", "--dry-run", "--json"], alert);
    // As when an alert is accepted, the severity in `data` is used, and a member of `data` precedes one next to it.
    let named = r#"{"alert_type": "DiskFull", "runbook": "local:none", "data": {"severity": "critical", "disk": "sda"}}"#;
    let outside_data = r#"{"alert_type": "DiskFull", "runbook": " local:none ", "timestamp": 5, "disk": "sda", "data": {"severity": "critical"}}"#;
    let (named, outside_data) = (json(&dry_run(named)), json(&dry_run(outside_data)));
    assert_eq!(named["severity"], "critical");
    assert_eq!(named["fingerprint"].as_str().unwrap().len(), 64);
    assert_ne!(named["fingerprint"], outside_data["fingerprint"]);
    assert_eq!(outside_data["runbook"]["source"], "local:none");

    for (alert, complaint) in [
        (r#"{"runbook": "local:none"}"#, "`alert_type` is missing"),
        (
            r#"{"alert_type": "DiskFull", "runbook": "ftp://x", "severity": 3}"#,
            "`severity` must be a string; `runbook` must be an http or https URL",
        ),
        ("[]", "must be a JSON object"),
    ] {
        let output = dry_run(alert);
        let printed = String::from_utf8_lossy(&output.stderr);
        assert!(
            !output.status.success() && printed.contains(complaint),
            "{printed}"
        );
    }
}

#[test]
fn a_dry_run_reports_what_would_fail() {
    let alert = r#"{"alert_type": "Gone", "runbook": "local:none"}"#;
    let output = tarsy(&["submit", "-", "--dry-run", "--json"], alert);
    let plan = json(&output);
    assert!(!output.status.success());
    assert_eq!(plan["stages"][0]["unreachable"][0][0], "gone");
    assert!(plan["stages"][0]["fails"].is_string(), "{plan}");
    assert!(plan["estimated_usd"].is_null());

    let unknown = tarsy(
        &["submit", "-", "--dry-run"],
        r#"{"alert_type": "Nope", "runbook": "local:none"}"#,
    );
    assert!(
        String::from_utf8_lossy(&unknown.stderr).contains("known: DiskFull"),
        "{unknown:?}"
    );
}

#[test]
fn tools_of_a_missing_server_are_an_error_and_so_is_an_unknown_agent() {
    let output = tarsy(&["tools", "collector", "--json"], "");
    assert!(!output.status.success());
    assert!(
        json(&output)[0]["error"]
            .as_str()
            .unwrap()
            .contains("no-such-program-of-ours")
    );
    let unknown = tarsy(&["tools", "nobody"], "");
    assert!(
        String::from_utf8_lossy(&unknown.stderr).contains("known: KubernetesAgent"),
        "{unknown:?}"
    );
}

#[test]
fn a_closed_pipe_ends_the_command_in_silence() {
    for arguments in [
        &["agents"][..],
        &["chains", "--json"],
        &["completion", "bash"],
    ] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = Command::new(env!("CARGO_BIN_EXE_tarsy"))
            .args(arguments)
            .env_clear()
            .current_dir(tempfile::tempdir().unwrap().path())
            .stdout(writer)
            .stderr(Stdio::piped())
            .output()
            .unwrap();
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert_eq!(
            (complaint.as_ref(), output.status.code()),
            ("", Some(0)),
            "{arguments:?}"
        );
    }
}

#[test]
fn a_database_that_refuses_is_named() {
    // A port that was just free has no listener.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    for arguments in [&["migrate"][..], &["keys", "list"]] {
        let output = Command::new(env!("CARGO_BIN_EXE_tarsy"))
            .args(arguments)
            .env_clear()
            .env(
                "DATABASE_URL",
                format!("postgres://ada@127.0.0.1:{port}/tarsy"),
            )
            .output()
            .unwrap();
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success());
        let place = format!("the database at 127.0.0.1:{port} refused the connection");
        assert!(complaint.contains(&place), "{complaint}");
        assert!(complaint.contains("DATABASE_URL"), "{complaint}");
    }
    let hosts = [format!("127.0.0.1:{port}"), format!("localhost:{port}")];
    let output = Command::new(env!("CARGO_BIN_EXE_tarsy"))
        .arg("migrate")
        .env_clear()
        .env(
            "DATABASE_URL",
            format!("postgres://ada@{}/tarsy", hosts.join(",")),
        )
        .output()
        .unwrap();
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success());
    for host in hosts {
        let why = format!("{host}: Connection refused");
        assert!(complaint.contains(&why), "{complaint}");
    }
}
