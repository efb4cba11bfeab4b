//! `tarsy mcp past_sessions` over what a fleet did.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::process::Stdio;

use serde_json::{Value, json};
use tarsy_testing::process::{Process, binary};
use tarsy_testing::wait;
use tarsy_tests::{Fleet, SOON, scene};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout};

/// A client over standard streams.
struct Client {
    _child: Child,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
}

impl Client {
    async fn start(fleet: &Fleet) -> Self {
        let mut child = tokio::process::Command::new(binary("tarsy"))
            .args(["mcp", "past_sessions"])
            .env("DATABASE_URL", fleet.database_url())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let output = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut client = Self {
            input: child.stdin.take().unwrap(),
            output,
            _child: child,
        };
        let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}});
        client.ask("initialize", hello).await;
        let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        client.send(&ready).await;
        client
    }

    async fn send(&mut self, message: &Value) {
        let line = format!("{message}\n");
        self.input.write_all(line.as_bytes()).await.unwrap();
        self.input.flush().await.unwrap();
    }

    async fn ask(&mut self, method: &str, params: Value) -> Value {
        let request = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        self.send(&request).await;
        let line = tokio::time::timeout(SOON, self.output.next_line()).await;
        let line = line.unwrap().unwrap().expect("the server hung up");
        serde_json::from_str(&line).unwrap()
    }

    async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let params = json!({"name": tool, "arguments": arguments});
        content(&self.ask("tools/call", params).await)
    }
}

/// The JSON of a tool's text; of a mistake the text.
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

    let mut client = Client::start(&fleet).await;
    let (first, second) = (first.to_string(), second.to_string());
    // Documents are written a moment after a session has ended.
    let both = json!({"query": "Was the CHECKOUT service down before, with a zebrafish?"});
    let found = wait::up_to(SOON, async || {
        let found = client.call("search", both.clone()).await;
        (ids(&found).len() == 2).then_some(found)
    });
    let found = found.await.expect("both sessions to be found");
    // The first has one word more, and a rare one.
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
        let found = client.call("search", query).await;
        assert_eq!(ids(&found), expected, "{filter}");
    }
    let nothing = client.call("search", json!({"query": "is it?"})).await;
    assert!(nothing.as_str().unwrap().contains("3 characters"));

    let read = client.call("get", json!({"session_id": first})).await;
    assert_eq!(read["conclusion"], scene::ANALYSIS);
    let text = read.to_string();
    assert!(text.contains("ledger.read_status"), "{text}");
    assert!(
        text.contains("zebrafish") && !text.contains("hunter2"),
        "masked: {text}"
    );
    let unknown = client.call("get", json!({"session_id": "nobody"})).await;
    assert!(unknown.as_str().unwrap().contains("no ended session"));
    over_http(&fleet, &first).await;
}

/// The same server over HTTP, with a token.
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
