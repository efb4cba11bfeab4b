//! Tests with a real fleet what a model reads of a long result and of a range of metrics. Also tests more tools than
//! are shown in full.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use tarsy_testing::fake_llm::{Behaviour, FakeLlm, SeenRequest};
use tarsy_tests::SOON;

use crate::evaluation::start_on;

/// Kind of model: one that reads everything, or one that searches. Both find the same facts.
#[derive(Clone, Copy)]
enum Reader {
    Pages,
    Searches,
}

/// Returns a log with 40 characters per line and the cause far from both ends.
fn long_log(lines: usize) -> Value {
    let cause = lines * 54 / 100;
    let line = |n: usize| match n {
        n if n == cause => {
            "02700 ERROR pool exhausted: 50 of 50 connections held by report-worker\n".to_owned()
        }
        n => format!("{n:05} INFO request served, id {:08x}\n", n * 7_919),
    };
    let log: String = (0..lines).map(line).collect();
    json!({
        "id": "large-log",
        "alert": {"alertname": "LedgerSlow", "service": "ledger-large"},
        "records": [{"tool": "app_logs", "args": {"service": "ledger-large"}, "result": log}],
        "truth": {"facts": [["pool exhausted"], ["report-worker"]], "path": ["app_logs"]},
    })
}

/// Returns the error metrics of two pods over four hours, with a step at 13:15.
fn metrics() -> Value {
    let series = |pod: &str, level: &str| {
        let points: Vec<Value> = (0..960)
            .map(|at| {
                json!([
                    1_795_867_200 + 15 * at,
                    if at < 300 { "0.0125" } else { level }
                ])
            })
            .collect();
        json!({"metric": {"pod": pod}, "values": points})
    };
    let result = json!({"resultType": "matrix", "result": [series("ledger-0", "0.0125"), series("ledger-1", "0.8375")]});
    json!({
        "id": "large-metrics",
        "alert": {"alertname": "LedgerErrors", "service": "ledger-metrics"},
        "records": [{"tool": "query_range", "args": {"service": "ledger-metrics"}, "result": json!({"status": "success", "data": result}).to_string()}],
        "truth": {"facts": [["0.8375"], ["ledger-1"]], "path": ["query_range"]},
    })
}

/// Returns sixty tools, one of which shows the cause.
fn many_tools() -> Value {
    let tool = |n: usize| {
        let properties: Value = ["namespace", "name", "container", "since", "until", "limit", "cluster", "format"]
            .into_iter()
            .map(|name| (name.to_owned(), json!({"type": "string", "description": format!("The {name} to read of, as the cluster names it")})))
            .collect::<serde_json::Map<_, _>>()
            .into();
        json!({
            "name": format!("shelf_{n}_read"),
            "description": format!("Reads shelf {n}. It takes some seconds, and the answer is in the order of time."),
            "input_schema": {"type": "object", "properties": properties, "required": ["name"]},
        })
    };
    json!({
        "id": "many-tools",
        "alert": {"alertname": "ShelfEmpty", "shelf": "41"},
        "tools": (0..60).map(tool).collect::<Vec<_>>(),
        "records": [{"tool": "shelf_41_read", "args": {"name": "a"}, "result": "shelf emptied by stock-sync at 12:00"}],
        "truth": {"facts": [["stock-sync"]], "path": ["shelf_41_read"]},
    })
}

fn act(tool: &str, input: &Value) -> Behaviour {
    Behaviour::text(format!(
        "Thought: next\nAction: {tool}\nAction Input: {input}"
    ))
}

/// A model that states a fact only after it has read it.
fn play(request: &SeenRequest, reader: Reader) -> Behaviour {
    let turn = request.assistant_turns();
    let conclude = |facts: &str| Behaviour::text(format!("Thought: done\nFinal Answer: {facts}"));
    let result = request.messages.iter().find_map(|message| {
        let (_, rest) = message.text.split_once(" of result ")?;
        rest.split(';').next()?.parse::<u32>().ok()
    });
    match (turn, reader) {
        _ if request.contains("report-worker") => conclude("pool exhausted by report-worker"),
        _ if request.contains("stock-sync") => conclude("emptied by stock-sync"),
        _ if request.contains("0.8375") => {
            conclude("errors of ledger-1 rose from 0.0125 to 0.8375")
        }
        (0, _) if request.contains("ledger-metrics") => {
            act("query_range", &json!({"service": "ledger-metrics"}))
        }
        (0, _) if request.contains("ledger-large") => {
            act("app_logs", &json!({"service": "ledger-large"}))
        }
        (_, Reader::Pages) if request.contains("ledger-") => act(
            "tarsy.read_page",
            &json!({"result": result.unwrap(), "page": turn + 1}),
        ),
        (_, Reader::Searches) if request.contains("ledger-") => act(
            "tarsy.search_result",
            &json!({"result": result.unwrap(), "grep": "ERROR", "before": 2}),
        ),
        (0, Reader::Searches) => act("tarsy.find_tools", &json!({"query": "shelf_41_read"})),
        _ => act("shelf_41_read", &json!({"name": "a"})),
    }
}

/// A summarizer that returns only the error lines of a log.
fn summarise(request: &SeenRequest) -> Behaviour {
    let lines = request.messages[1].text.lines();
    let unusual: Vec<&str> = lines.filter(|line| line.contains("ERROR")).collect();
    Behaviour::text(unusual.join("\n"))
}

#[tokio::test(flavor = "multi_thread")]
async fn another_model_reads_a_long_result_and_the_agent_reads_its_summary() {
    let folder = tempfile::tempdir().unwrap();
    let (cases, output) = (folder.path().join("cases"), folder.path().join("run"));
    fs::create_dir(&cases).unwrap();
    fs::write(cases.join("large-log.json"), long_log(2_000).to_string()).unwrap();
    let llm = FakeLlm::start(|request: &SeenRequest| {
        match request.contains("You shorten a tool result") {
            true => summarise(request),
            // It never searches, because the summary contains the facts.
            false => play(request, Reader::Pages),
        }
    })
    .await
    .unwrap();
    let run = start_on(&cases, "summary_provider: fake\n", &llm, &output).await;
    let status = run.process.ended(SOON * 4).await;
    assert!(status.success(), "{status}");
    let report = fs::read_to_string(output.join("report.md")).unwrap();
    assert!(report.contains("| cases right | 1 of 1 "), "{report}");
    assert!(report.contains("| readable replies | 2 of 2 |"), "{report}");
    assert!(
        report.contains("| of these, guessed: no result shows them | 0 |"),
        "{report}"
    );

    let session = fs::read_to_string(output.join("sessions/large-log.json")).unwrap();
    let session: Value = serde_json::from_str(&session).unwrap();
    assert_eq!(
        session["verdict"], "supported",
        "{}",
        session["verdict_check"]
    );
    let made = session["stages"][0]["chronological_interactions"]
        .as_array()
        .unwrap();
    let purposes: Vec<&Value> = made
        .iter()
        .filter(|one| one["type"] == "llm")
        .map(|one| &one["details"]["purpose"])
        .collect();
    assert_eq!(purposes, ["iteration", "result_summary", "iteration"]);
    let sent_bytes: usize = llm
        .requests()
        .iter()
        .map(|request| request.body.to_string().len())
        .sum();
    assert!(
        sent_bytes < 120_000,
        "the log of 80 KB is sent once: {sent_bytes}"
    );
}

/// Evaluates the cases. Returns the total size of the model requests for each, in bytes.
async fn bytes(folder: &Path, reader: Reader, keys: &str) -> [usize; 3] {
    let llm = FakeLlm::start(move |request: &SeenRequest| play(request, reader))
        .await
        .unwrap();
    let output = folder.join(match reader {
        Reader::Pages => "pages",
        Reader::Searches => "searches",
    });
    let run = start_on(&folder.join("cases"), keys, &llm, &output).await;
    let status = run.process.ended(SOON * 4).await;
    assert!(status.success(), "{status}");
    let report = fs::read_to_string(output.join("report.md")).unwrap();
    assert!(report.contains("| cases right | 3 of 3 "), "{report}");
    ["ledger-large", "ledger-metrics", "ShelfEmpty"].map(|about| {
        let requests = llm.requests();
        let about = requests.iter().filter(|request| request.contains(about));
        about.map(|request| request.body.to_string().len()).sum()
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_searched_shaped_or_found_costs_a_part_of_what_is_read() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("cases")).unwrap();
    for case in [long_log(5_000), metrics(), many_tools()] {
        let path = folder
            .path()
            .join(format!("cases/{}.json", case["id"].as_str().unwrap()));
        fs::write(path, case.to_string()).unwrap();
    }
    let whole = "limits: {max_tool_schemas: 10000, max_iterations: 20}\n";
    let before = bytes(folder.path(), Reader::Pages, whole).await;
    let after = bytes(folder.path(), Reader::Searches, "").await;
    // A model that pages sends each page again with every later request.
    assert!(
        after[0] * 5 < before[0],
        "a long log: {after:?} of {before:?}"
    );
    // Both models read a shortened form of 42 KB of points.
    assert!(after[1] < 20_000, "metrics: {after:?}");
    assert!(
        after[2] * 2 < before[2],
        "sixty tools: {after:?} of {before:?}"
    );
}
