//! `/metrics` of every process passes `promtool`. Alert rules and dashboard use only existing metrics.
#![expect(clippy::unwrap_used, reason = "a test that can't go on has failed")]

use std::collections::BTreeSet;
use std::fs;

use reqwest::StatusCode;
use serde_json::{Value, json};
use tarsy_testing::tools::workspace;
use tarsy_tests::{Fleet, SOON, ops, promtool, scene};

const RULES: &str = "deploy/prometheus/rules.yaml";

async fn scrape(url: &str) -> String {
    let (status, text) = ops::get(url, "/metrics").await.unwrap();
    assert_eq!(status, StatusCode::OK, "{text}");
    text
}

fn read(path: &str) -> String {
    fs::read_to_string(workspace().join(path)).unwrap()
}

/// Returns the names of tarsy's metrics in a text, e.g. in a query.
fn named(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    let ours = words.filter(|word| word.starts_with("tarsy_") || word.starts_with("process_"));
    ours.map(str::to_owned).collect()
}

/// Returns the names of the series in a scrape, without labels.
fn series(scrape: &str) -> BTreeSet<String> {
    let lines = scrape.lines().filter(|line| !line.starts_with('#'));
    let names = lines.filter_map(|line| line.split(['{', ' ']).next());
    names.map(str::to_owned).collect()
}

/// Returns the queries of a dashboard's panels.
fn queries(dashboard: &Value) -> Vec<&str> {
    let panels = dashboard["panels"].as_array().unwrap();
    let targets = panels
        .iter()
        .flat_map(|panel| panel["targets"].as_array().into_iter().flatten());
    targets
        .map(|target| target["expr"].as_str().unwrap())
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn rules_and_dashboard_use_existing_metrics_and_promtool_finds_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("agents.yaml");
    let more = "\nprices:\n  fake-1: {input_per_million: 2.0, output_per_million: 12.0}\n\nnotifications:\n  outside: {format: slack, url: \"http://localhost:9/told\", private: true, http: true}\n";
    // A chain whose limit stops its first stage.
    let spent = "agent_chains:\n  spent:\n    alert_types: [Spent]\n    spending: {cost_per_day: 0.0}\n    stages:\n      - {name: report, agent: Reporter}\n";
    let chains = read("tests/config/fleet.yaml").replace("agent_chains:\n", spent);
    fs::write(&config, chains + more).unwrap();
    let fleet = Fleet::new(scene::play)
        .await
        .with("AGENT_CONFIG_FILE", config.display().to_string());
    // The same server under another host name simulates a replica. The metrics are the same.
    let url = fleet.database_url().replace("127.0.0.1", "localhost");
    let fleet = fleet.with("HISTORY_DATABASE_URL", url);
    let (ingest, chain, stage) = (
        fleet.ingest().await,
        fleet.chain_worker(),
        fleet.stage_worker(),
    );
    let alert = json!({
        "alert_type": "CheckoutDown", "runbook": "local:checkout.md", "severity": "critical",
        "data": {"service": "checkout", "password": "correct-Horse7battery"},
    });
    let session = fleet.submit_body(&ingest, &alert).await;
    let ended = fleet.rows.ended(session, SOON).await;
    assert_eq!(ended.outcome.as_deref(), Some("completed"), "{ended:?}");

    let mut all = BTreeSet::new();
    let ports = [
        ("ingest-api", ingest.url.clone()),
        ("chain-worker", ops::url(&chain).await),
        ("stage-worker", ops::url(&stage).await),
    ];
    for (who, url) in &ports {
        let text = scrape(url).await;
        promtool::check_metrics(who, &text).await;
        all.extend(series(&text));
        for metric in [
            "tarsy_build_info",
            "process_start_time_seconds",
            "tarsy_pool_max_connections",
        ] {
            assert!(
                series(&text).contains(metric),
                "{metric} of {who} in\n{text}"
            );
        }
        if *who == "stage-worker" {
            for line in [
                r#"tarsy_worker_jobs_total{outcome="done",queue="stage:default"} 3"#,
                r#"tarsy_stage_duration_seconds_count{end="completed",pool="default"} 3"#,
                r#"tarsy_llm_calls_total{model="fake-1",provider="fake",result="ok"} 6"#,
                r#"tarsy_llm_calls_total{model="fake-1",provider="fake",result="auth"} 0"#,
                r#"tarsy_llm_tokens_total{direction="input",model="fake-1",provider="fake"} 600"#,
                r#"tarsy_llm_cached_tokens_total{model="fake-1",provider="fake"} 0"#,
                r#"tarsy_llm_retries_total{error="rate_limited",model="fake-1",provider="fake"} 0"#,
                r#"tarsy_mcp_calls_total{result="ok",server="ledger",tool="read_status"} 2"#,
            ] {
                assert!(text.lines().any(|one| one == line), "{line} in\n{text}");
            }
        }
    }

    // This metric exists only after a limit has stopped a stage.
    let stopped = fleet.submit(&ingest, "Spent").await;
    fleet.rows.ended(stopped, SOON).await;
    all.extend(series(&scrape(&ops::url(&stage).await).await));

    let dashboard: Value = serde_json::from_str(&read("deploy/grafana/tarsy.json")).unwrap();
    for query in queries(&dashboard) {
        let missing: Vec<_> = named(query).difference(&all).cloned().collect();
        assert!(
            missing.is_empty(),
            "no process tells {missing:?} of {query}"
        );
        assert!(!named(query).is_empty(), "{query} asks for nothing of ours");
    }
    let missing: Vec<_> = named(&read(RULES)).difference(&all).cloned().collect();
    assert!(missing.is_empty(), "{RULES}: no process tells {missing:?}");
}

#[tokio::test]
async fn each_rule_fires_once_is_explained_and_is_in_the_chart() {
    let folder = workspace().join("deploy/prometheus");
    for arguments in [
        ["check", "rules", "rules.yaml"],
        ["test", "rules", "rules.test.yaml"],
    ] {
        let (succeeded, output) = promtool::run(&arguments, &folder, "").await;
        assert!(succeeded, "{output}");
    }
    let (rules, fired) = (read(RULES), read("deploy/prometheus/rules.test.yaml"));
    let operations = read("docs/OPERATIONS.md");
    let alerts = rules
        .lines()
        .filter_map(|line| line.trim().strip_prefix("- alert: "));
    let alerts: Vec<_> = alerts.collect();
    assert!(alerts.len() > 10, "{alerts:?}");
    for alert in alerts {
        assert!(
            fired.contains(&format!("  - name: {alert}\n")),
            "{alert} is never fired"
        );
        assert!(
            operations.contains(&format!("\n### {alert}\n")),
            "{alert} has no runbook"
        );
        let anchor = format!("OPERATIONS.md#{}\n", alert.to_lowercase());
        assert!(rules.contains(&anchor), "{alert} names no runbook");
    }
    assert_eq!(
        rules,
        read("deploy/helm/tarsy/rules.yaml"),
        "the chart holds a copy"
    );
}
