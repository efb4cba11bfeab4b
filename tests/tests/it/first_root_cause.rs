//! The steps of docs/FIRST-ROOT-CAUSE.md with its configuration. A real Prometheus fires an alert, a real Alertmanager
//! posts it, and rules and a model find the cause. The cluster and the model are fakes.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use axum::{Router, routing};
use serde_json::{Value, json};
use tarsy_testing::fake_llm::Behaviour;
use tarsy_testing::process::binary;
use tarsy_testing::wait;
use tarsy_tests::{Fleet, SOON};
use uuid::Uuid;

use crate::alertmanager::Alertmanager;
use crate::alerts_fire::prometheus::Prometheus;
use crate::diagnosis::{FakeCluster, path_with_server};

const CONFIG: &str = include_str!("../../../config/cluster.yaml");
const MODEL: &str = include_str!("../../config/diagnosis.yaml");
const RULES: &str = "groups:
- name: workloads
  rules:
  - alert: KubeDeploymentReplicasMismatch
    expr: kube_deployment_status_replicas_unavailable > 0
    labels: {severity: warning}
    annotations: {summary: '{{ $labels.namespace }}/{{ $labels.deployment }} has {{ $value }} unavailable replicas'}
";

/// Serves the metrics of a cluster, as kube-state-metrics exports them.
async fn state_metrics() -> String {
    let metrics = routing::get(async || {
        "kube_deployment_status_replicas_unavailable{namespace=\"shop\",deployment=\"cart\"} 1\n\
         kube_deployment_status_replicas_unavailable{namespace=\"shop\",deployment=\"till\"} 0\n"
    });
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    tokio::spawn(
        async move { axum::serve(listener, Router::new().route("/metrics", metrics)).await },
    );
    address
}

#[tokio::test(flavor = "multi_thread")]
async fn an_alert_of_prometheus_gets_a_root_cause_with_six_lines_of_configuration() {
    let cluster = FakeCluster::start();
    let folder = tempfile::tempdir().unwrap();
    let (kubeconfig, config) = (
        folder.path().join("kubeconfig"),
        folder.path().join("agents.yaml"),
    );
    cluster.kubeconfig(&kubeconfig);
    std::fs::write(&config, format!("{CONFIG}{MODEL}")).unwrap();
    // `tarsy` itself is the MCP server for metrics.
    let path = format!(
        "{}:{}",
        binary("tarsy").parent().unwrap().display(),
        path_with_server()
    );
    let query = json!({"query": "kube_deployment_status_replicas_unavailable > 0"});
    let fleet = Fleet::new(move |request| {
        Behaviour::text(match request.assistant_turns() {
            0 => format!("Thought: how many?\nAction: metrics.query\nAction Input: {query}"),
            _ => "Final Answer: ## Root cause\nDeployment shop/cart has 1 unavailable replica: \
                  image registry.shop.example/cart:2.4.1 was not found."
                .to_owned(),
        })
    })
    .await
    .with("AGENT_CONFIG_FILE", config.display().to_string())
    .with("KUBECONFIG", kubeconfig.display().to_string())
    .with("PATH", path);

    let exporter = state_metrics().await;
    // Prometheus needs Alertmanager's address, Alertmanager the API's address, and the workers Prometheus's address.
    let api = fleet.ingest().await;
    let alertmanager = Alertmanager::start(
        json!({"webhook_configs": [{"url": format!("{}/webhooks/alertmanager", api.url)}]}),
    );
    let prometheus = Prometheus::configured(
        &format!(
            "global: {{scrape_interval: 1s, evaluation_interval: 1s}}\nrule_files: [rules.yaml]\n\
             alerting: {{alertmanagers: [{{static_configs: [{{targets: ['{}']}}]}}]}}\n\
             scrape_configs:\n- {{job_name: kube-state-metrics, static_configs: [{{targets: ['{exporter}']}}]}}\n",
            alertmanager.address
        ),
        RULES,
    );
    let fleet = fleet.with("PROMETHEUS_URL", prometheus.url.clone());
    let _workers = (fleet.chain_worker(), fleet.stage_worker());

    let accepted = wait::up_to(SOON, async || {
        let id = sqlx::query_scalar::<_, Uuid>("select session_id from alert_sessions");
        id.fetch_optional(fleet.rows.pool()).await.unwrap()
    });
    let session = accepted.await.expect("the session of the alert");
    fleet.rows.ended(session, SOON).await;
    let url = format!("{}/api/v1/history/sessions/{session}", api.url);
    let shown: Value = reqwest::get(url).await.unwrap().json().await.unwrap();
    assert_eq!(shown["source"], "alertmanager", "{shown:#}");
    let diagnosis = shown["stages"][0]["stage_output"]["result"]
        .as_str()
        .unwrap();
    assert!(
        diagnosis.contains("1. **Deployment shop/cart** (`image_not_found`)"),
        "{diagnosis}"
    );
    assert_eq!(
        shown["verdict"], "supported",
        "{:#}",
        shown["verdict_check"]
    );
    fleet.assert_sound().await;
}
