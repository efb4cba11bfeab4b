//! A real Prometheus with the shipped alert rules.

use std::collections::BTreeSet;
use std::fs;
use std::net::TcpListener;

use serde_json::Value;
use tarsy_testing::process::{Process, Program};
use tarsy_testing::tools::{self, workspace};
use tarsy_testing::wait;
use tarsy_tests::{Ingest, SOON, ops};
use tempfile::TempDir;

pub(crate) struct Prometheus {
    pub(crate) url: String,
    _process: Process,
    _folder: TempDir,
}

impl Prometheus {
    /// Starts it for these targets with the shipped rules, whose `for` is reduced to a second.
    pub(crate) fn start(targets: &[String]) -> Self {
        Self::every(1, targets)
    }

    /// Starts it like [`Prometheus::start`], with this many seconds as scrape interval and scrape timeout.
    pub(super) fn every(seconds: u32, targets: &[String]) -> Self {
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
        let config = format!(
            "global: {{scrape_interval: {seconds}s, scrape_timeout: {seconds}s, evaluation_interval: 1s}}\n\
             rule_files: [rules.yaml]\n\
             scrape_configs:\n- {{job_name: tarsy, static_configs: [{{targets: {targets:?}}}]}}\n"
        );
        Self::configured(&config, &rules.join("\n"))
    }

    /// Starts it with this configuration and these rules. The configuration must include the rules as `rules.yaml`.
    pub(crate) fn configured(yaml: &str, rules: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("rules.yaml"), rules).unwrap();
        let config = folder.path().join("prometheus.yml");
        fs::write(&config, yaml).unwrap();
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

    pub(super) async fn get(&self, path: &str) -> Option<Value> {
        let response = reqwest::get(format!("{}{path}", self.url)).await.ok()?;
        response.json().await.ok()
    }

    /// Returns the names of the firing alerts.
    pub(super) async fn firing(&self) -> Option<BTreeSet<String>> {
        let answer = self.get("/api/v1/alerts").await?;
        let alerts = answer["data"]["alerts"].as_array()?.iter();
        let firing = alerts.filter(|alert| alert["state"] == "firing");
        let names = firing.filter_map(|alert| alert["labels"]["alertname"].as_str());
        Some(names.map(str::to_owned).collect())
    }

    /// Starts it for these processes, and waits until it scrapes them all and no alert fires.
    pub(super) async fn watching(ingest: &Ingest, workers: &[&Process]) -> Self {
        let mut targets = vec![address(&ingest.url)];
        for worker in workers {
            targets.push(address(&ops::url(worker).await));
        }
        let prometheus = Self::start(&targets);
        let all = targets.len().to_string();
        wait::until("all targets, and no alert", SOON, async || {
            let query = "/api/v1/query?query=count(tarsy_build_info)";
            let count = prometheus.get(query).await.unwrap_or_default();
            let is_all = count["data"]["result"][0]["value"][1] == all;
            is_all && prometheus.firing().await == Some(BTreeSet::new())
        })
        .await;
        prometheus
    }

    /// Repeats `act` until the alert fires, because rates need more than one event.
    pub(super) async fn fires_while(&self, alert: &str, mut act: impl AsyncFnMut()) {
        wait::until(&format!("{alert} to fire"), SOON * 2, async || {
            act().await;
            self.firing()
                .await
                .is_some_and(|firing| firing.contains(alert))
        })
        .await;
    }

    pub(super) async fn fires(&self, alert: &str) {
        self.fires_while(alert, async || {}).await;
    }
}

pub(crate) fn address(url: &str) -> String {
    url.trim_start_matches("http://").to_owned()
}
