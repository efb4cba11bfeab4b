//! One trace from the request that brings an alert to the last tool call of its last agent,
//! across all processes.

use std::collections::BTreeSet;

use tarsy_testing::wait;
use tarsy_tests::collector::{Collector, SeenSpan};
use tarsy_tests::{Fleet, SOON, scene};

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
        fleet.stage_worker(),
    );
    let session = fleet.submit(&ingest, "CheckoutDown").await;
    fleet.rows.ended(session, SOON).await;
    // Their end flushes what they still hold.
    for process in [&ingest.process, &chain, &stage] {
        process.terminate();
        assert!(process.ended(SOON).await.success());
    }

    eprintln!(
        "SPANS {:?}",
        collector
            .spans()
            .iter()
            .map(|s| (s.service.clone(), s.name.clone()))
            .collect::<Vec<_>>()
    );
    let seen = |spans: &[SeenSpan], name: &str| spans.iter().any(|span| span.name == name);
    wait::until("spans of a stage and its tool calls", SOON, async || {
        let spans = collector.spans();
        ["request", "call tool", "run stage", "advance chain"]
            .iter()
            .all(|name| seen(&spans, name))
    })
    .await;
    let spans = collector.spans();
    let request = spans.iter().find(|span| span.name == "request").unwrap();
    let ours: Vec<_> = spans
        .iter()
        .filter(|span| span.trace_id == request.trace_id)
        .collect();

    let services: BTreeSet<_> = ours.iter().map(|span| span.service.as_str()).collect();
    assert_eq!(
        services,
        BTreeSet::from(["chain-worker", "ingest-api", "stage-worker"])
    );
    let named = |name: &str| ours.iter().filter(|span| span.name == name).count();
    for name in ["advance chain", "run stage", "ask model", "call tool"] {
        assert!(named(name) > 0, "{name} is part of the alert's trace");
    }

    // Each span of the trace hangs on another, up to the request.
    for span in &ours {
        let hangs = !span.parent_id.is_empty() || span.span_id == request.span_id;
        assert!(hangs, "{span:?} hangs on nothing");
    }
}
