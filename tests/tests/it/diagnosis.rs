//! The built-in chain with a configured cluster: the real Kubernetes MCP server, over a fake Kubernetes API.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};
use tarsy_testing::fake_llm::Behaviour;
use tarsy_testing::tools::expect_node;
use tarsy_tests::{Fleet, SOON};

const CONFIG: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/config/diagnosis.yaml");
const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures");

/// A fake Kubernetes API with the objects of the fixtures. It ends with the test.
pub(crate) struct FakeCluster {
    process: Child,
    address: String,
}

impl FakeCluster {
    pub(crate) fn start() -> Self {
        let mut process = Command::new("python3")
            .args(["-S", "-E"])
            .arg(format!("{FIXTURES}/kubernetes_api.py"))
            .arg(format!("{FIXTURES}/kubernetes_objects.json"))
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut address = String::new();
        let mut stdout = BufReader::new(process.stdout.take().unwrap());
        stdout.read_line(&mut address).unwrap();
        Self {
            process,
            address: address.trim().to_owned(),
        }
    }

    /// Writes a kubeconfig for it.
    pub(crate) fn kubeconfig(&self, path: &Path) {
        let server = &self.address;
        let text = json!({
            "apiVersion": "v1", "kind": "Config", "current-context": "test",
            "clusters": [{"name": "test", "cluster": {"server": server}}],
            "contexts": [{"name": "test", "context": {"cluster": "test", "user": "test"}}],
            "users": [{"name": "test", "user": {}}],
        });
        std::fs::write(path, text.to_string()).unwrap();
    }
}

impl Drop for FakeCluster {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Returns a `PATH` that includes the program of the Kubernetes MCP server.
pub(crate) fn path_with_server() -> String {
    let program = expect_node("kubernetes-mcp-server");
    let folder = program.parent().unwrap().display();
    format!("{folder}:{}", std::env::var("PATH").unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn the_built_in_chain_diagnoses_before_a_model_is_asked() {
    let cluster = FakeCluster::start();
    let folder = tempfile::tempdir().unwrap();
    let kubeconfig = folder.path().join("kubeconfig");
    cluster.kubeconfig(&kubeconfig);
    let fleet = Fleet::new(|_| {
        Behaviour::text("Final Answer: The tag 2.4.1 of cart's image does not exist.")
    })
    .await
    .with("AGENT_CONFIG_FILE", CONFIG)
    .with("KUBECONFIG", kubeconfig.display().to_string())
    .with("PATH", path_with_server());
    let api = fleet.ingest().await;
    let _workers = (fleet.chain_worker(), fleet.stage_worker());
    let alert = json!({
        "alert_type": "kubernetes", "severity": "critical",
        "data": {"namespace": "shop", "pod": "cart-7d4b9c6f5-x2x7k", "message": "Pod is not ready."},
    });
    let session = fleet.submit_body(&api, &alert).await;
    fleet.rows.ended(session, SOON).await;

    let url = format!("{}/api/v1/history/sessions/{session}", api.url);
    let shown: Value = reqwest::get(url).await.unwrap().json().await.unwrap();
    let stages = shown["stages"].as_array().unwrap();
    let ran: Vec<_> = stages
        .iter()
        .map(|stage| (&stage["stage_name"], &stage["status"]))
        .collect();
    assert_eq!(
        ran,
        [
            (&json!("diagnose"), &json!("completed")),
            (&json!("analysis"), &json!("completed"))
        ],
        "{shown:#}"
    );
    let found = stages[0]["stage_output"]["result"].as_str().unwrap();
    for part in [
        "1. **Deployment shop/cart** (`image_not_found`)",
        "registry.shop.example/cart:2.4.1",
        "`events_list namespace=shop`, line 6",
    ] {
        assert!(found.contains(part), "{part}: {found}");
    }
    assert!(
        !found.contains("till"),
        "a healthy pod is no finding: {found}"
    );
    let requests = fleet.llm.requests();
    assert!(
        requests[0].contains("image_not_found"),
        "the model starts from what was found"
    );
    fleet.assert_sound().await;
}
