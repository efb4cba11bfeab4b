//! Pools of stages that a template derives from the alert.

use reqwest::StatusCode;
use serde_json::{Value, json};
use tarsy_config::Source;

use crate::server::{Server, alert};

#[tokio::test]
async fn a_stage_runs_in_the_pool_of_the_alerts_cluster() {
    let yaml = "agent_chains:\n  c:\n    alert_types: [Clustered]\n    stages:\n      - {name: look, agent: KubernetesAgent, pool: \"{{ alert.data.cluster }}\"}\n      - {name: report, agent: KubernetesAgent}\n";
    let source = Source::Text {
        name: "test".to_owned(),
        text: yaml.to_owned(),
    };
    let server = Server::configured_with(source, &[("OPENAI_API_KEY", "not-used")]).await;
    let post = async |data: Value| {
        let mut body = alert(data);
        body["alert_type"] = json!("Clustered");
        server.post("/alerts", &body).await
    };
    let accepted = post(json!({ "cluster": "eu-1" })).await;
    assert_eq!(accepted.status, StatusCode::ACCEPTED, "{accepted:?}");
    let kept: Value = sqlx::query_scalar("select chain_definition from alert_sessions")
        .fetch_one(server.db())
        .await
        .unwrap();
    let pools: Vec<&Value> = kept["stages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|stage| &stage["pool"])
        .collect();
    assert_eq!(pools, ["eu-1", "default"], "{kept}");

    for (data, expected) in [
        (json!({ "node": "a" }), "can't derive the pool"),
        (json!({ "cluster": "EU 1" }), "is no name of a pool"),
    ] {
        let refused = post(data).await;
        assert_eq!(
            refused.status,
            StatusCode::UNPROCESSABLE_ENTITY,
            "{refused:?}"
        );
        let errors = refused.body["errors"].to_string();
        assert!(
            errors.contains("pool of stage `look`") && errors.contains(expected),
            "{errors}"
        );
    }
    assert_eq!(
        server.count("alert_sessions").await,
        1,
        "rejected ones are not stored as sessions"
    );
    let queues = server.get("/api/v1/admin/queues").await.body.to_string();
    assert!(!queues.contains("{{"), "{queues}");
}
