//! A real Alertmanager with one receiver.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::net::{SocketAddr, TcpListener};

use serde_json::{Value, json};
use tarsy_testing::process::{Process, Program};
use tarsy_testing::tools;
use tarsy_testing::wait;
use tarsy_tests::SOON;

pub(crate) struct Alertmanager {
    pub(crate) address: SocketAddr,
    _process: Process,
    _folder: tempfile::TempDir,
}

impl Alertmanager {
    /// Starts it with this receiver, to which it adds a name.
    pub(crate) fn start(mut receiver: Value) -> Self {
        receiver["name"] = json!("team");
        let folder = tempfile::tempdir().unwrap();
        let config = folder.path().join("alertmanager.yml");
        let route = json!({
            "receiver": "team", "group_by": ["alertname", "namespace"], "group_wait": "10ms", "group_interval": "100ms",
            "repeat_interval": "1h",
        });
        // YAML is a superset of JSON.
        let yaml = json!({"route": route, "receivers": [receiver]}).to_string();
        std::fs::write(&config, yaml).unwrap();
        let free = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = free.local_addr().unwrap();
        drop(free);
        let process = Program::at("alertmanager", tools::expect("prometheus-alertmanager"))
            .arg(format!("--config.file={}", config.display()))
            .arg(format!("--storage.path={}", folder.path().display()))
            .arg(format!("--web.listen-address={address}"))
            .arg("--cluster.listen-address=")
            .start()
            .unwrap();
        Self {
            address,
            _process: process,
            _folder: folder,
        }
    }

    /// Sends it an alert, of which it then notifies its receiver.
    pub(crate) async fn fires(&self, labels: Value, summary: &str) {
        let url = format!("http://{}/api/v2/alerts", self.address);
        let alerts = json!([{"labels": labels, "annotations": {"summary": summary}}]);
        let client = reqwest::Client::new();
        wait::until("alertmanager to take alerts", SOON, async || {
            let sent = client.post(&url).json(&alerts).send().await;
            sent.is_ok_and(|answer| answer.status().is_success())
        })
        .await;
    }
}
