//! The shipped alert rules fire in a real Prometheus.
#![expect(clippy::unwrap_used, reason = "a test that can't go on has failed")]

use std::collections::BTreeSet;
use std::fs;
use std::net::TcpListener;

use serde_json::Value;
use tarsy_testing::fake_llm::Behaviour;
use tarsy_testing::process::{Process, Program};
use tarsy_testing::tools::{self, workspace};
use tarsy_testing::wait;
use tarsy_tests::command::tarsy;
use tarsy_tests::{Fleet, SOON, ops, scene};
use tempfile::TempDir;

/// A Prometheus that scrapes every second.
struct Prometheus {
    url: String,
    _process: Process,
    _folder: TempDir,
}

impl Prometheus {
    /// Starts it for these targets with the shipped rules, with `for` cut to a second.
    fn start(targets: &[String]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let shipped = fs::read_to_string(workspace().join("deploy/prometheus/rules.yaml")).unwrap();
        let is_pause = |line: &&str| line.trim().starts_with("for: ");
        let rules: Vec<_> = shipped
            .lines()
            .map(|line| {
                if is_pause(&line) {
                    "        for: 1s"
                } else {
                    line
                }
            })
            .collect();
        fs::write(folder.path().join("rules.yaml"), rules.join("\n")).unwrap();
        let config = folder.path().join("prometheus.yml");
        fs::write(
            &config,
            format!(
                "global: {{scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 1s}}\n\
                 rule_files: [rules.yaml]\n\
                 scrape_configs:\n- {{job_name: tarsy, static_configs: [{{targets: {targets:?}}}]}}\n"
            ),
        )
        .unwrap();
        let free = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = free.local_addr().unwrap();
        drop(free);
        let data = folder.path().join("data");
        let process = Program::at("prometheus", tools::expect("prometheus"))
            .arg(format!("--config.file={}", config.display()))
            .arg(format!("--storage.tsdb.path={}", data.display()))
            .arg(format!("--web.listen-address={address}"))
            .start()
            .unwrap();
        Self {
            url: format!("http://{address}"),
            _process: process,
            _folder: folder,
        }
    }

    async fn get(&self, path: &str) -> Option<Value> {
        let response = reqwest::get(format!("{}{path}", self.url)).await.ok()?;
        response.json().await.ok()
    }

    /// Names of the firing alerts.
    async fn firing(&self) -> Option<BTreeSet<String>> {
        let answer = self.get("/api/v1/alerts").await?;
        let alerts = answer["data"]["alerts"].as_array()?.iter();
        let firing = alerts.filter(|alert| alert["state"] == "firing");
        let names = firing.filter_map(|alert| alert["labels"]["alertname"].as_str());
        Some(names.map(str::to_owned).collect())
    }

    async fn fires(&self, alert: &str) {
        wait::until(&format!("{alert} to fire"), SOON * 2, async || {
            self.firing()
                .await
                .is_some_and(|firing| firing.contains(alert))
        })
        .await;
    }
}

fn address(url: &str) -> String {
    url.trim_start_matches("http://").to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn faults_of_a_fleet_fire_their_alerts() {
    let fleet = Fleet::new(scene::play).await;
    let (ingest, chain, stage) = (
        fleet.ingest().await,
        fleet.chain_worker(),
        fleet.stage_worker(),
    );
    fleet.workers(2).await;
    let targets = [
        address(&ingest.url),
        address(&ops::url(&chain).await),
        address(&ops::url(&stage).await),
    ];
    let prometheus = Prometheus::start(&targets);
    wait::until("all targets, and no alert", SOON, async || {
        let query = "/api/v1/query?query=count(tarsy_build_info)";
        let count = prometheus.get(query).await.unwrap_or_default();
        let is_all = count["data"]["result"][0]["value"][1] == "3";
        is_all && prometheus.firing().await == Some(BTreeSet::new())
    })
    .await;

    fleet.llm.queue([Behaviour::Fail {
        status: 401,
        code: None,
        message: "no such key".to_owned(),
        headers: Vec::new(),
    }]);
    let session = fleet.submit(&ingest, "ReportOnly").await;
    fleet.rows.ended(session, SOON).await;
    prometheus.fires("TarsyLlmKeyRefused").await;

    let api = [("TARSY_URL", ingest.url.as_str())];
    tarsy("queues pause chain --reason deploy", &api)
        .await
        .holds("chain");
    prometheus.fires("TarsyQueuePaused").await;

    stage.kill();
    prometheus.fires("TarsyProcessDown").await;
    prometheus.fires("TarsyNoStageWorkers").await;

    ingest.process.kill();
    prometheus.fires("TarsyApiMissing").await;
}
