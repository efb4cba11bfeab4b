//! `tarsy mcp past_sessions` over the sessions of a fleet.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use serde_json::{Value, json};
use tarsy_testing::process::Process;
use tarsy_testing::wait;
use tarsy_tests::{Fleet, SOON, StdioClient, scene};

/// Calls a tool and returns its JSON result. An error is returned as text.
async fn call(client: &mut StdioClient, tool: &str, arguments: Value) -> Value {
    let text = client.call(tool, arguments).await;
    serde_json::from_str(&text).unwrap_or_else(|_| json!(text))
}

/// Returns the JSON result in a response over HTTP.
fn content(answer: &Value) -> Value {
    let text = answer["result"]["content"][0]["text"].as_str();
    let text = text.unwrap_or_else(|| panic!("{answer}"));
    serde_json::from_str(text).unwrap_or_else(|_| json!(text))
}

fn ids(found: &Value) -> Vec<&str> {
    let results = found["results"].as_array();
    let results = results.unwrap_or_else(|| panic!("{found}"));
    results
        .iter()
        .map(|one| one["session_id"].as_str().unwrap())
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_fleet_concluded_is_found_by_words_and_read_back() {
    let fleet = Fleet::new(scene::play).await;
    let up = fleet.up().await;
    let alert = |namespace: &str, note: &str| {
        json!({"alert_type": "CheckoutDown", "severity": "critical", "runbook": "local:checkout.md", "data": {
            "service": "checkout", "namespace": namespace, "cluster": "eu-1", "note": note, "password": "hunter2-Xk93jf",
        }})
    };
    let first = fleet
        .submit_body(&up, &alert("shop", "zebrafish outage"))
        .await;
    let second = fleet.submit_body(&up, &alert("billing", "slow")).await;
    for session in [first, second] {
        fleet.rows.ended(session, SOON).await;
    }

    let variables = [("DATABASE_URL", fleet.database_url())];
    let mut client = StdioClient::start("past_sessions", &variables).await;
    let (first, second) = (first.to_string(), second.to_string());
    // The search documents are written a moment after a session has ended.
    let both = json!({"query": "Was the CHECKOUT service down before, with a zebrafish?"});
    let found = wait::up_to(SOON, async || {
        let found = call(&mut client, "search", both.clone()).await;
        (ids(&found).len() == 2).then_some(found)
    });
    let found = found.await.expect("both sessions to be found");
    // The first session matches one more word, and a rare one.
    assert_eq!(ids(&found), [&*first, &*second], "{found}");
    let best = &found["results"][0];
    assert_eq!(best["conclusion"], scene::ANALYSIS);
    assert!(best["score"].as_f64() > found["results"][1]["score"].as_f64());

    for (filter, expected) in [
        (json!({"namespace": "billing"}), vec![&*second]),
        (json!({"namespace": "nowhere"}), vec![]),
        (json!({"cluster": "eu-1", "limit": 1}), vec![&*first]),
        (json!({"cluster": "us-1"}), vec![]),
        (json!({"alert_type": "Later"}), vec![]),
    ] {
        let mut query = both.clone();
        for (key, value) in filter.as_object().unwrap() {
            query[key] = value.clone();
        }
        let found = call(&mut client, "search", query).await;
        assert_eq!(ids(&found), expected, "{filter}");
    }
    let nothing = call(&mut client, "search", json!({"query": "is it?"})).await;
    assert!(nothing.as_str().unwrap().contains("3 characters"));

    let read = call(&mut client, "get", json!({"session_id": first})).await;
    assert_eq!(read["conclusion"], scene::ANALYSIS);
    let text = read.to_string();
    assert!(text.contains("ledger.read_status"), "{text}");
    assert!(
        text.contains("zebrafish") && !text.contains("hunter2"),
        "masked: {text}"
    );
    let unknown = call(&mut client, "get", json!({"session_id": "nobody"})).await;
    assert!(unknown.as_str().unwrap().contains("no ended session"));
    over_http(&fleet, &first).await;
}

/// Tests the same server over HTTP, with a token.
async fn over_http(fleet: &Fleet, session: &str) {
    let serving: Process = fleet
        .program("tarsy")
        .arg("mcp")
        .arg("past_sessions")
        .arg("--http")
        .arg("127.0.0.1:0")
        .env("TARSY_PAST_SESSIONS_TOKEN", "t0ken")
        .start()
        .unwrap();
    let line = serving.printed("listening on ", SOON).await;
    let (_, url) = line.split_once("listening on ").unwrap();
    let request = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "get", "arguments": {"session_id": session},
    }});
    let post = async |token: &str| {
        let post = reqwest::Client::new().post(url.trim()).bearer_auth(token);
        let post = post
            .header("accept", "application/json, text/event-stream")
            .header("mcp-protocol-version", "2025-06-18");
        post.json(&request).send().await.unwrap()
    };
    assert_eq!(post("wrong").await.status().as_u16(), 401);
    let answer = post("t0ken").await;
    assert_eq!(answer.status().as_u16(), 200);
    let answer: Value = answer.json().await.unwrap();
    assert_eq!(content(&answer)["conclusion"], scene::ANALYSIS);
    serving.kill();
}
