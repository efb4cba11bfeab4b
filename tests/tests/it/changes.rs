//! Recorded changes, from the webhook to the agent's first question, the API and `tarsy mcp changes`.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use serde_json::{Value, json};
use tarsy_tests::{Fleet, Ingest, SOON, StdioClient, scene};
use uuid::Uuid;

/// Returns the first question of a session's only stage.
async fn first_prompt(fleet: &Fleet, session: Uuid) -> String {
    let ended = fleet.rows.ended(session, SOON).await;
    assert_eq!(ended.status, "completed", "{ended:?}");
    let first_prompt =
        "select new_messages::text from llm_interactions where session_id = $1 and sequence = 0";
    let first_prompt = sqlx::query_scalar(first_prompt).bind(session);
    first_prompt.fetch_one(fleet.rows.pool()).await.unwrap()
}

async fn report(up: &Ingest, change: &Value) -> String {
    let url = format!("{}/webhooks/deploys", up.url);
    let answer = reqwest::Client::new().post(url).json(change).send();
    let answer: Value = answer.await.unwrap().json().await.unwrap();
    answer["results"][0]["status"].as_str().unwrap().to_owned()
}

async fn listed(client: &mut StdioClient, arguments: Value) -> Value {
    let text = client.call("list_changes", arguments).await;
    serde_json::from_str(&text).unwrap_or_else(|_| json!(text))
}

fn titles(listed: &Value) -> Vec<&str> {
    let changes = listed["changes"].as_array();
    let changes = changes.unwrap_or_else(|| panic!("{listed}"));
    changes
        .iter()
        .map(|change| change["title"].as_str().unwrap())
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_is_shown_to_the_agent_and_listed_over_mcp() {
    let config = concat!(env!("CARGO_MANIFEST_DIR"), "/config/changes.yaml");
    let fleet = Fleet::new(scene::play)
        .await
        .with("AGENT_CONFIG_FILE", config);
    let up = fleet.up().await;
    let alert = |number: i32| json!({"alert_type": "ReportOnly", "data": {"service": "checkout", "namespace": "shop", "number": number}});
    let first = fleet.submit_body(&up, &alert(1)).await;
    let quiet = first_prompt(&fleet, first).await;
    assert!(
        !quiet.contains("Recent Changes"),
        "nothing changed: {quiet}"
    );

    let change = json!({"title": "Deployed v2 with token ghp_16C7e42F292c6912E7710c838347Ae178B4a", "service": "checkout",
                        "id": "d-1", "kind": "deployment", "link": "https://ci.example.com/7"});
    assert_eq!(report(&up, &change).await, "recorded");
    assert_eq!(report(&up, &change).await, "duplicate");
    let other =
        json!({"title": "Scaled the ledger", "service": "ledger", "time": "2026-01-01T00:00:00Z"});
    assert_eq!(report(&up, &other).await, "recorded");

    let second = fleet.submit_body(&up, &alert(2)).await;
    let prompt = first_prompt(&fleet, second).await;
    assert!(prompt.contains("## Recent Changes"), "{prompt}");
    assert!(
        prompt.contains("<<<CHANGES START ")
            && prompt.contains("deployment: Deployed v2 with token [MASKED_"),
        "{prompt}"
    );
    assert!(
        !prompt.contains("ghp_16C7") && !prompt.contains("Scaled the ledger"),
        "{prompt}"
    );
    let kept: i64 = sqlx::query_scalar(
        "select jsonb_array_length(changes)::bigint from stage_executions where session_id = $1",
    )
    .bind(second)
    .fetch_one(fleet.rows.pool())
    .await
    .unwrap();
    assert_eq!(kept, 1);

    let variables = [("DATABASE_URL", fleet.database_url())];
    let mut client = StdioClient::start("changes", &variables).await;
    let all = listed(&mut client, json!({})).await;
    let [deployed, scaled] = titles(&all)[..] else {
        panic!("{all}")
    };
    assert!(
        deployed.starts_with("Deployed v2") && scaled == "Scaled the ledger",
        "{all}"
    );
    assert_eq!(all["changes"][1]["time"], "2026-01-01T00:00:00Z");
    assert_eq!(all["changes"][0]["link"], "https://ci.example.com/7");
    let ledger = listed(
        &mut client,
        json!({"service": "ledger", "to": "2026-01-02T00:00:00Z"}),
    )
    .await;
    assert_eq!(titles(&ledger), ["Scaled the ledger"]);
    let none = listed(
        &mut client,
        json!({"namespace": "shop", "from": "2026-01-01T00:00:00Z"}),
    )
    .await;
    assert_eq!(titles(&none), [""; 0]);
    let one = listed(&mut client, json!({"limit": 1})).await;
    assert!(one["note"].as_str().unwrap().contains("more"), "{one}");
    let wrong = listed(&mut client, json!({"from": "yesterday"})).await;
    assert!(
        wrong.as_str().unwrap().contains("`from` must be a time"),
        "{wrong}"
    );
}
