//! One trace from an alert's request to the last tool call, across all processes.

use std::collections::BTreeSet;

use serde_json::Value;
use tarsy_testing::fake_llm::Behaviour;
use tarsy_tests::collector::Collector;
use tarsy_tests::{Fleet, SOON, ops, scene};

/// Span kinds as OTLP numbers them.
const SERVER: i32 = 2;
const CLIENT: i32 = 3;

#[tokio::test(flavor = "multi_thread")]
async fn one_trace_spans_every_process_and_call_of_an_alert() {
    let collector = Collector::start().await;
    let fleet = Fleet::new(scene::play)
        .await
        .with("OTEL_EXPORTER_OTLP_ENDPOINT", &collector.endpoint)
        .with("OTEL_BSP_SCHEDULE_DELAY", "100");
    let (ingest, chain, stage) = (
        fleet.ingest().await,
        fleet.chain_worker(),
        fleet
            .program("stage-worker")
            .env("LOG_FORMAT", "json")
            .start()
            .unwrap(),
    );
    for path in ["/livez", "/readyz", "/health", "/metrics"] {
        reqwest::get(format!("{}{path}", ingest.url)).await.unwrap();
    }
    let session = fleet.submit(&ingest, "CheckoutDown").await;
    fleet.rows.ended(session, SOON).await;
    let mut exemplars = ops::exemplars(&ingest.url).await;
    for worker in [&chain, &stage] {
        exemplars.extend(ops::exemplars(&ops::url(worker).await).await);
    }
    // Processes flush their spans when they exit.
    for process in [&ingest.process, &chain, &stage] {
        process.terminate();
        assert!(process.ended(SOON).await.success());
    }

    let spans = collector.spans();
    let request = spans
        .iter()
        .find(|span| span.name == "POST /alerts")
        .unwrap();
    let ours: Vec<_> = spans
        .iter()
        .filter(|span| span.trace_id == request.trace_id)
        .collect();

    // Histograms of durations have exemplars of this trace.
    for histogram in [
        "tarsy_http_request_duration_seconds",
        "tarsy_stage_duration_seconds",
        "tarsy_llm_call_duration_seconds",
        "tarsy_mcp_call_duration_seconds",
    ] {
        let traces = exemplars.get(histogram);
        assert!(
            traces.is_some_and(|traces| traces.contains(&request.trace_id)),
            "{histogram}: {exemplars:?}"
        );
    }

    let services: BTreeSet<_> = ours.iter().map(|span| span.service.as_str()).collect();
    assert_eq!(
        services,
        BTreeSet::from(["chain-worker", "ingest-api", "stage-worker"])
    );
    let named = |name: &str| ours.iter().filter(|span| span.name == name).count();
    let names = [
        "advance chain",
        "run stage",
        "chat fake-1",
        "tools/call read_status",
        "tools/call restart_service",
    ];
    assert_eq!(
        names.map(named),
        [2, 3, scene::QUESTIONS, 2, 1],
        "{ours:#?}"
    );
    // Neither idle loops nor probes nor scrapes are traced.
    let others: BTreeSet<_> = spans
        .iter()
        .filter(|span| span.trace_id != request.trace_id)
        .map(|span| span.name.as_str())
        .collect();
    // A connection to an MCP server outlives its stage, and may end after the last export.
    assert!(
        others.is_subset(&BTreeSet::from(["MCP connection"])),
        "{others:?}"
    );

    let call = ours
        .iter()
        .find(|span| span.name == "tools/call restart_service")
        .unwrap();
    assert_eq!((call.kind, call.is_error), (CLIENT, false));
    assert_eq!(call.attributes["gen_ai.tool.name"], "restart_service");
    assert_eq!(call.attributes["mcp.method.name"], "tools/call");
    let chat = ours.iter().find(|span| span.name == "chat fake-1").unwrap();
    assert_eq!(chat.kind, CLIENT);
    for (name, value) in [
        ("gen_ai.operation.name", "chat"),
        ("gen_ai.provider.name", "openai"),
        ("gen_ai.request.model", "fake-1"),
    ] {
        assert_eq!(chat.attributes[name], value, "{chat:#?}");
    }
    assert_eq!(request.kind, SERVER);

    // Follows the parents from the tool call up to the request with the alert.
    let mut path = vec![*call];
    while let Some(parent) = ours
        .iter()
        .find(|span| span.span_id == path[path.len() - 1].parent_id)
    {
        path.push(parent);
    }
    let path: Vec<_> = path
        .iter()
        .rev()
        .map(|span| (span.service.as_str(), span.name.as_str()))
        .collect();
    assert_eq!(
        path,
        [
            ("ingest-api", "POST /alerts"),
            ("chain-worker", "advance chain"),
            ("stage-worker", "run stage"),
            ("stage-worker", "invoke_agent Collector"),
            ("stage-worker", "tools/call restart_service"),
        ]
    );

    // A log line of the stage names its trace, its session and its stage.
    let log = stage.log();
    let lines = log
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let line = lines
        .into_iter()
        .find(|line| line["message"] == "MCP server is connected")
        .unwrap_or_else(|| panic!("no such line in {log}"));
    assert_eq!(line["session.id"], session.to_string(), "{line}");
    assert!(line["stage.execution_id"].is_string(), "{line}");
    assert_eq!(line["trace_id"], request.trace_id, "{line}");

    // Each span of the trace has a parent, up to the request.
    for span in &ours {
        let hangs = span.span_id == request.span_id
            || ours.iter().any(|other| other.span_id == span.parent_id);
        assert!(hangs, "{span:?} hangs on nothing");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_fails_is_an_error_in_the_trace_with_its_class() {
    let collector = Collector::start().await;
    let fleet = Fleet::new(|_| Behaviour::fail(401, "invalid key"))
        .await
        .with("OTEL_EXPORTER_OTLP_ENDPOINT", &collector.endpoint)
        .with("OTEL_BSP_SCHEDULE_DELAY", "100");
    let (ingest, _chain, stage) = (
        fleet.ingest().await,
        fleet.chain_worker(),
        fleet.stage_worker(),
    );
    let session = fleet.submit(&ingest, "CheckoutDown").await;
    assert_eq!(fleet.rows.ended(session, SOON).await.status, "failed");
    stage.terminate();
    assert!(stage.ended(SOON).await.success());

    let spans = collector.spans();
    for (name, expected) in [("chat fake-1", "auth"), ("run stage", "llm_auth")] {
        let named: Vec<_> = spans.iter().filter(|span| span.name == name).collect();
        assert_eq!(named.len(), 3, "{name}: {spans:#?}");
        for span in named {
            let class = span.attributes.get("error.type").map(String::as_str);
            assert_eq!((span.is_error, class), (true, Some(expected)), "{span:#?}");
        }
    }
}
