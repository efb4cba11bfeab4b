//! An MCP server is gone: the session reports what it could not see, and so do the health report and commands.

use serde_json::{Value, json};
use tarsy_testing::wait;
use tarsy_tests::command::tarsy;
use tarsy_tests::{Fleet, SOON, scene};

#[tokio::test(flavor = "multi_thread")]
async fn what_a_dead_server_kept_from_an_investigation_is_shown_everywhere() {
    let fleet = Fleet::new(scene::play).await.with_dead_server();
    let (ingest, _chain, _stage) = (
        fleet.ingest().await,
        fleet.chain_worker(),
        fleet.stage_worker(),
    );
    let get = async |path: &str| -> Value {
        let answer = reqwest::get(format!("{}{path}", ingest.url)).await.unwrap();
        answer.json().await.unwrap()
    };
    let session = fleet.submit(&ingest, "CheckoutDown").await;
    fleet.rows.ended(session, SOON).await;

    for query in ["", "?interactions=none"] {
        let detail = get(&format!("/api/v1/history/sessions/{session}{query}")).await;
        let gaps = detail["gaps"].as_array().unwrap();
        let first = &gaps[0];
        assert_eq!(
            json!([
                first["kind"],
                first["server"],
                first["tool"],
                first["stage"]
            ]),
            json!(["unreachable", "ledger", null, "collect"]),
            "{gaps:?}"
        );
        assert!(
            first["error"]
                .as_str()
                .is_some_and(|error| !error.is_empty())
        );
    }
    let url = format!(
        "{}/api/v1/history/sessions/{session}/export?format=md",
        ingest.url
    );
    let exported = reqwest::get(url).await.unwrap().text().await.unwrap();
    assert!(
        exported.contains("## Gaps in the investigation\n\n- ledger unreachable"),
        "{exported}"
    );

    let api = [("TARSY_URL", ingest.url.as_str())];
    tarsy(&format!("sessions show {session}"), &api)
        .await
        .prints("- ledger unreachable");
    let health = wait::until("health to know", SOON, async || {
        let health = get("/health").await;
        let known = health["services"]["mcp"]["unreachable"][0]["server"] == "ledger";
        known.then_some(health)
    })
    .await;
    assert_eq!(health["status"], "degraded", "{health}");
    let output = tarsy("health", &api).await;
    assert!(output.out.contains("MCP server ledger"), "{}", output.out);
    let accepted = reqwest::Client::new().post(format!("{}/alerts", ingest.url));
    let accepted = accepted.json(
        &json!({"alert_type": "CheckoutDown", "runbook": "local:checkout.md", "data": {"n": 2}}),
    );
    let accepted: Value = accepted.send().await.unwrap().json().await.unwrap();
    assert!(
        accepted["warnings"]
            .to_string()
            .contains("`ledger` is unreachable"),
        "{accepted}"
    );
}
